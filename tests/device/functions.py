"""What the functions, products, denormals and sums of a device do, and the rows of its table that this exceeds.

`python -m tests.device functions [--on gpu|cpu] [--json] [--seconds N]` needs jax and NumPy. Functions of f32 are compared
with f64, on random arguments; those of bf16 and f16 on all arguments; those of f64 with `longdouble`, where that is wider.
SciPy computes special functions where it is installed, hloscope otherwise.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from importlib import import_module
from math import ceil, floor, inf, isfinite, log2, log10
from typing import Any, TypeVar

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from hloscope.engine.ops.core.devices import NARROWED, PRECISIONS, TYPES, Accuracy, Device, device_of

Array = NDArray[Any]
T = TypeVar("T")
POINTS = 1 << 20
"""Random arguments of each function of f32."""
WIDE_POINTS = 1 << 17
"""The same of f64, whose exact values take longer."""
MARGIN = 1.1
"""Factor between the largest error that is measured and a row of the table: not all arguments are tried."""
ENDS = 4
"""Numbers within this factor of the ends of the range are left out, because what they are computed from may leave it."""
FEW = 4
"""Units in the last place beside which a function with zeros that are no floats has an absolute error."""
RUNS = 10
"""Runs that are compared for equal bits."""


def _special(name: str) -> Callable[..., Any]:
    """A special function in f64."""
    try:
        found = getattr(import_module("scipy.special"), _SCIPY[name])
    except ImportError:
        found = getattr(import_module("hloscope.engine.ops.chlo.special_functions"), name)
    return lambda x: found(x.astype(np.float64))


_SCIPY = {
    "erf": "erf",
    "erfc": "erfc",
    "erf_inv": "erfinv",
    "lgamma": "gammaln",
    "digamma": "digamma",
    "bessel_i1e": "i1e",
}


@dataclass(frozen=True)
class Function:
    """A function, its name in `jax.lax`, and its arguments."""

    lax: str
    exact: Callable[..., Any] | None
    """In the type of its arguments; `None` for a special function."""
    low: float
    high: float
    """The range of magnitudes."""
    signed: bool = True
    near: tuple[float, ...] = ()
    """Arguments near which others are tried too: zeros, poles and ends."""
    arguments: int = 1
    has_zeros: bool = False
    """Whether no float is a zero of it, so that its error is an absolute one there."""


def _logistic(x: Array) -> Any:
    return np.where(x < 0, np.exp(x) / (1 + np.exp(x)), 1 / (1 + np.exp(-x)))


FUNCTIONS: Mapping[str, Function] = {
    "acos": Function("acos", np.arccos, 1e-8, 1, near=(1, -1)),
    "acosh": Function("acosh", np.arccosh, 1, 1e30, signed=False, near=(1,)),
    "asin": Function("asin", np.arcsin, 1e-8, 1, near=(1, -1)),
    "asinh": Function("asinh", np.arcsinh, 1e-8, 1e30),
    "atan": Function("atan", np.arctan, 1e-8, 1e30),
    "atan2": Function("atan2", np.arctan2, 1e-8, 1e8, arguments=2),
    "atanh": Function("atanh", np.arctanh, 1e-8, 1, near=(1, -1)),
    "bessel_i1e": Function("bessel_i1e", None, 1e-6, 1e6, near=(8, -8)),
    "cbrt": Function("cbrt", np.cbrt, 1e-30, 1e30),
    "cosh": Function("cosh", np.cosh, 1e-6, 700),
    "cosine": Function("cos", np.cos, 1e-6, 1e5),
    "digamma": Function("digamma", None, 1e-6, 1e8, near=(1.4616321449683622, -0.5, -5), has_zeros=True),
    "divide": Function("div", np.divide, 1e-8, 1e8, arguments=2),
    "erf": Function("erf", None, 1e-8, 6),
    "erf_inv": Function("erf_inv", None, 1e-8, 1, near=(1, -1)),
    "erfc": Function("erfc", None, 1e-8, 26),
    "exponential": Function("exp", np.exp, 1e-8, 700),
    "exponential_minus_one": Function("expm1", np.expm1, 1e-8, 700),
    "lgamma": Function("lgamma", None, 1e-8, 1e8, near=(1, 2, -0.5, -5), has_zeros=True),
    "log": Function("log", np.log, 1e-30, 1e30, signed=False, near=(1,)),
    "log_plus_one": Function("log1p", np.log1p, 1e-8, 1e30, near=(-1,)),
    "logistic": Function("logistic", _logistic, 1e-8, 700),
    "power": Function("pow", np.power, 1e-4, 1e4, signed=False, arguments=2),
    "remainder": Function("rem", np.fmod, 1e-2, 1e4, arguments=2),
    "rsqrt": Function("rsqrt", lambda x: 1 / np.sqrt(x), 1e-30, 1e30, signed=False),
    "sine": Function("sin", np.sin, 1e-6, 1e5),
    "sinh": Function("sinh", np.sinh, 1e-6, 700),
    "sqrt": Function("sqrt", np.sqrt, 1e-30, 1e30, signed=False),
    "tan": Function("tan", np.tan, 1e-6, 1e5),
    "tanh": Function("tanh", np.tanh, 1e-8, 20),
}


@dataclass(frozen=True)
class Measured:
    """The largest error of a function in a type."""

    function: str
    dtype: str
    ulps: float
    absolute: float
    """The absolute error beside that in units in the last place, for a function with zeros that are no floats."""
    usual: float
    """The error in units in the last place that one argument of a thousand exceeds."""
    worst: tuple[float, ...]
    """The arguments with the largest error."""
    found: float
    exact: float

    def row(self) -> Accuracy:
        """The row of the table that this makes: with a margin, rounded up."""
        ulps = self.ulps * MARGIN
        return Accuracy(_up(ulps, 10 if ulps < 10 else 1), _up_to_digits(self.absolute * MARGIN))

    def exceeds(self, row: Accuracy) -> bool:
        """Whether the error is beyond a row."""
        return self.ulps > row.ulps or self.absolute > row.absolute


def _up(value: float, steps: int) -> float:
    return ceil(value * steps - 1e-9) / steps if isfinite(value) else value


def _up_to_digits(value: float) -> float:
    if not value or not isfinite(value):
        return value
    unit = 10.0 ** (floor(log10(value)) - 1)
    return float(f"{ceil(value / unit) * unit:.1e}")


def points(function: Function, dtype: np.dtype[Any], random: np.random.Generator) -> list[Array]:
    """The arguments of a function: all of a small type, or random ones of all magnitudes, and of those near special ones."""
    if dtype.itemsize == 2 and function.arguments == 1:
        return [np.arange(1 << 16, dtype=np.uint16).view(dtype)]
    count = POINTS if dtype.itemsize < 8 else WIDE_POINTS
    with np.errstate(over="ignore"):  # `find_largest` leaves infinities out
        return [_drawn(function, count, random).astype(dtype) for _ in range(function.arguments)]


def _drawn(function: Function, count: int, random: np.random.Generator) -> Array:
    share = count // 4
    logs = 10 ** random.uniform(log10(function.low), log10(function.high), 2 * share)
    even = random.uniform(function.low, min(function.high, 100 * max(function.low, 1)), count - 3 * share)
    near = random.choice(function.near or (1.0,), share) + random.normal(size=share) * 10 ** random.uniform(
        -7, 0, share
    )
    drawn = np.concatenate([logs, even, near])
    signs = random.choice([-1.0, 1.0], 3 * count // 4 + count % 4)
    if function.signed:
        drawn[: len(logs) + len(even)] *= signs[: len(logs) + len(even)]
    return drawn


def exact_values(name: str, arguments: list[Array]) -> Array | None:
    """The values of a function in more digits than its type has; `None` without any."""
    function, dtype = FUNCTIONS[name], arguments[0].dtype
    is_wide = dtype == np.float64
    if is_wide and (function.exact is None or np.finfo(np.longdouble).eps > 2.0**-60):
        return None
    with np.errstate(all="ignore"):
        wide = [value.astype(np.longdouble if is_wide else np.float64) for value in arguments]
        return np.asarray((function.exact or _special(name))(*wide))


def measure(name: str, dtype: np.dtype[Any], on: Any) -> Measured | None:
    """The largest error of a function in a type on a device; `None` without exact values, or a device that has no such type."""
    import jax

    function = FUNCTIONS[name]
    arguments = points(function, dtype, np.random.default_rng(0))
    exact = exact_values(name, arguments)
    if exact is None:
        return None
    apply = jax.jit(getattr(jax.lax, function.lax))
    with jax.default_device(on):
        found = np.asarray(apply(*arguments))
    with np.errstate(all="ignore"):
        found = found.astype(exact.dtype)
    return find_largest(name, dtype, arguments, found, exact)


def find_largest(
    name: str, dtype: np.dtype[Any], arguments: list[Array], found: Array, exact: Array
) -> Measured:
    """The largest error of the values of a function."""
    information = ml_dtypes.finfo(dtype)
    smallest, largest = ENDS * float(information.smallest_normal), float(information.max) / ENDS
    size = np.abs(exact)
    inside = (size >= smallest) & (size <= largest)
    for value in arguments:
        inside &= (np.abs(_wide(value)) >= smallest) & (np.abs(_wide(value)) <= largest)
    kept = [value[inside] for value in arguments]
    found, exact, size = found[inside], exact[inside], size[inside]
    with np.errstate(all="ignore"):
        error = np.abs(found - exact)
    error = np.where(np.isnan(error), inf, error).astype(np.float64)
    unit = np.ldexp(float(information.eps), (np.frexp(size)[1] - 1).astype(int)).astype(np.float64)
    near_zeros = FUNCTIONS[name].has_zeros and bool((error > FEW * unit).any())
    absolute = float((error - FEW * unit)[size <= 1].max(initial=0.0)) if near_zeros else 0.0
    ulps = np.maximum(error - absolute, 0) / unit
    at = int(np.argmax(ulps))
    usual = float(np.quantile(error / unit, 0.999, method="lower"))
    worst = tuple(float(value[at]) for value in kept)
    return Measured(
        name, dtype.name, float(ulps[at]), absolute, usual, worst, float(found[at]), float(exact[at])
    )


# Products


@dataclass(frozen=True)
class Product:
    """The precision of a product of matrices."""

    what: str
    """`dot float32 HIGH`."""
    factors: float
    """The largest relative error of a factor: of products with the unit matrix."""
    sums: float
    """The largest error of a product of random matrices, over the product of their magnitudes."""


RESULTS = {"complex64": "complex64", "bfloat16": "float32", "float16": "float32", "float8_e4m3fn": "float32"}
"""Types of factors, and those of results, which show how sums are rounded."""


def products(on: Any) -> Iterator[tuple[str, Callable[[], Product]]]:
    """Measurements of dot products and convolutions by name."""
    for precision in PRECISIONS:
        yield f"convolution float32 {precision}", partial(_convolution, precision, on)
        for dtype in ("float32", *RESULTS):
            what = f"dot {dtype} {precision}"
            yield what, partial(_dot, what, dtype, RESULTS.get(dtype, dtype), precision, on)
    yield "dot float64 DEFAULT", partial(_dot, "dot float64 DEFAULT", "float64", "float64", "DEFAULT", on)


def _matrix(dtype: np.dtype[Any], random: np.random.Generator, *shape: int) -> Array:
    drawn = random.normal(size=shape)
    return (drawn + 1j * random.normal(size=shape) if dtype.kind == "c" else drawn).astype(dtype)


def _wide(value: Array) -> Array:
    with np.errstate(all="ignore"):
        return value.astype(np.complex128 if value.dtype.kind == "c" else np.float64)


def _dot(what: str, name: str, result: str, precision: str, on: Any) -> Product:
    import jax

    dtype = np.dtype(name)
    random = np.random.default_rng(0)
    multiply = jax.jit(
        partial(jax.lax.dot, precision=precision.lower(), preferred_element_type=np.dtype(result))
    )

    def multiplied(a: Array, b: Array) -> Array:
        with jax.default_device(on):
            return _wide(np.asarray(multiply(a, b)))

    a = _matrix(dtype, random, 256, 256)
    a = np.where(a == 0, np.ones((), dtype), a)
    factors = _relative(multiplied(a, np.eye(256).astype(dtype)), _wide(a))
    a, b = _matrix(dtype, random, 256, 8192), _matrix(dtype, random, 8192, 256)
    sums = np.abs(multiplied(a, b) - _wide(a) @ _wide(b)) / (np.abs(_wide(a)) @ np.abs(_wide(b)))
    return Product(what, factors, float(sums.max()))


def _convolution(precision: str, on: Any) -> Product:
    import jax

    random = np.random.default_rng(0)
    convolve = jax.jit(
        partial(
            jax.lax.conv_general_dilated, window_strides=(1, 1), padding="VALID", precision=precision.lower(),
            dimension_numbers=("NHWC", "HWIO", "NHWC"),
        )
    )  # fmt: skip

    def convolved(a: Array, b: Array) -> Array:
        with jax.default_device(on):
            return _wide(np.asarray(convolve(a, b)))

    a = random.normal(size=(4, 32, 32, 64)).astype(np.float32)
    one = np.zeros((3, 3, 64, 64), np.float32)
    one[1, 1] = np.eye(64)
    factors = _relative(convolved(a, one), _wide(a[:, 1:-1, 1:-1]))
    b = random.normal(size=one.shape).astype(np.float32)
    windows = np.lib.stride_tricks.sliding_window_view(_wide(a), (3, 3), (1, 2))
    exact, size = (
        np.einsum("nhwcij,ijco->nhwo", f(windows), f(_wide(b)), optimize=True) for f in (np.asarray, np.abs)
    )
    sums = np.abs(convolved(a, b) - exact) / size
    return Product(f"convolution float32 {precision}", factors, float(sums.max()))


def _relative(found: Array, exact: Array) -> float:
    return float((np.abs(found - exact) / np.abs(exact)).max())


# Denormals, and bits that change


def denormals(on: Any) -> dict[str, bool]:
    """Whether a device keeps the denormals of each op."""
    import jax

    lax = jax.lax
    small, eye = np.full(256, 1e-40, np.float32), np.eye(256, dtype=np.float32)
    halves = np.full(256, 2.0**-20, np.float16)
    tried: dict[str, tuple[Callable[..., Any], tuple[Array, ...], float]] = {
        "add": (lax.add, (small, small), 2e-40),
        "multiply": (lax.mul, (np.full(256, 1e-30, np.float32), np.full(256, 1e-10, np.float32)), 1e-40),
        "multiply by 2": (lax.mul, (small, np.full(256, 2, np.float32)), 2e-40),
        "divide": (lax.div, (np.full(256, 1e-30, np.float32), np.full(256, 1e10, np.float32)), 1e-40),
        "sqrt": (lax.sqrt, (small,), 1e-20),
        "exponential": (lax.exp, (np.full(256, -92, np.float32),), 1.11e-40),
        "log": (lax.log, (small,), -92.1034),
        "tanh": (lax.tanh, (small,), 1e-40),
        "sine": (lax.sin, (small,), 1e-40),
        "compare": (lambda x: (x > 0).astype(np.float32), (small,), 1),
        "sum": (lambda x: x.sum(keepdims=True), (small,), 2.56e-38),
        "convert to float16": (lambda x: x.astype(np.float16), (np.full(256, 2.0**-20, np.float32),), 2.0**-20),
        "add float16": (lax.add, (halves, halves), 2.0**-19),
        "dot": (lax.dot, (np.tile(small, (256, 1)), eye), 1e-40),
        "dot HIGHEST": (partial(lax.dot, precision="highest"), (np.tile(small, (256, 1)), eye), 1e-40),
        "dot float16": (lax.dot, (np.tile(halves, (256, 1)), eye.astype(np.float16)), 2.0**-20),
    }  # fmt: skip
    with jax.default_device(on):
        return {
            name: bool(
                np.allclose(np.asarray(jax.jit(f)(*given)).astype(np.float64), wanted, rtol=1e-2, atol=0)
            )
            for name, (f, given, wanted) in tried.items()
        }


def repeatability(on: Any) -> dict[str, int]:
    """The number of different results in `RUNS` runs of the same code."""
    import jax
    import jax.numpy as jnp

    random = np.random.default_rng(0)
    values = random.normal(size=1 << 20).astype(np.float32)
    places = random.integers(0, 1000, 1 << 20)
    square = values.reshape(1024, 1024)
    tried: dict[str, Callable[[], Any]] = {
        "scatter": lambda: scatter(values, places),
        "reduce": lambda: jnp.sum(values),
        "cumsum": lambda: jnp.cumsum(values),
        "dot": lambda: jnp.dot(square, square),
        "dot split": lambda: jnp.dot(values.reshape(8, -1), values.reshape(-1, 8)),
        "sort": lambda: jnp.argsort(places),
    }
    scatter = jax.jit(lambda x, at: jnp.zeros(1000, x.dtype).at[at].add(x))
    with jax.default_device(on):
        return {name: len({np.asarray(run()).tobytes() for _ in range(RUNS)}) for name, run in tried.items()}


# The report


def exceeded(
    device: Device,
    measured: list[Measured],
    found: list[Product],
    kept: Mapping[str, bool],
    runs: Mapping[str, int],
) -> Iterator[str]:
    """The rows of the table that a measurement exceeds, or that are missing."""
    for each in measured:
        row = device.accuracy(each.function, each.dtype)
        if row is None:
            yield f"{each.function} {each.dtype}: no row"
        elif each.exceeds(row):
            yield f"{each.function} {each.dtype}: {each.ulps:.3g} ULP and {each.absolute:.2g}, beyond {tuple(row)}"
    for product in found:
        _, dtype, precision = product.what.split()
        allowed = max(
            device.products.get(precision, 0.0) if dtype in NARROWED else 0.0,
            float(ml_dtypes.finfo(_part(dtype)).eps) / 2,
        )
        if product.factors > allowed * 1.01:
            yield f"{product.what}: factors have {-log2(product.factors):.1f} significant bits, not {-log2(allowed):.1f}"
    if not device.flushes_denormals:
        yield from (
            f"denormals: flushed by {name}"
            for name, is_kept in kept.items()
            if not (is_kept or (name == "dot" and "DEFAULT" in device.products))
        )
    for name, count in runs.items():
        if count > 1 and name not in device.unordered:
            yield f"{name}: {count} different results in {RUNS} runs"


def _part(dtype: str) -> np.dtype[Any]:
    return np.dtype(np.float32 if dtype == "complex64" else dtype)


def table(measured: list[Measured]) -> Iterator[str]:
    """The rows that the measurements make, in the form of `engine/ops/core/devices.py`."""
    by_function: dict[str, dict[str, Measured]] = {}
    for each in measured:
        by_function.setdefault(each.function, {})[each.dtype] = each
    for name, found in sorted(by_function.items()):
        cells = ", ".join(_cell(found.get(dtype)) for dtype in TYPES)
        yield f'    "{name}": _row({cells}),'


def _cell(found: Measured | None) -> str:
    if found is None:
        return "None"
    row = found.row()
    return f"({row.ulps:g}, {row.absolute:g})" if row.absolute else f"{row.ulps:g}"


def _in_time(measurements: Iterator[tuple[str, Callable[[], T]]], end: float, left: list[str]) -> Iterator[T]:
    """The measurements that begin before the end; the others, and those that XLA refuses, are added to `left`."""
    from jax.errors import JaxRuntimeError

    for name, run in measurements:
        if time.monotonic() > end:
            left.append(name)
            continue
        try:
            yield run()
        except JaxRuntimeError as problem:
            left.append(f"{name} ({str(problem).splitlines()[0]})")


def main(arguments: list[str]) -> int:
    """Print the table and what exceeds it; 1 if anything does."""
    parser = argparse.ArgumentParser(prog="python -m tests.device functions", description=__doc__)
    parser.add_argument("--on", help="the platform (default: that of jax)")
    parser.add_argument("--json", action="store_true", help="print one object")
    parser.add_argument(
        "--seconds", type=float, default=150, help="no measurement starts later (default: %(default)s)"
    )
    options = parser.parse_args(arguments)
    import jax

    with jax.enable_x64(True):
        return _measure_all(options)


def _measure_all(options: argparse.Namespace) -> int:
    """The measurements that `main` prints."""
    import jax
    import jaxlib

    on = jax.devices(options.on)[0] if options.on else jax.devices()[0]
    device, end = device_of(on.platform, on.device_kind), time.monotonic() + options.seconds
    kept, runs = denormals(on), repeatability(on)
    left: list[str] = []
    found = list(_in_time(products(on), end, left))
    functions = (
        (f"{name} {dtype}", partial(measure, name, np.dtype(dtype), on))
        for dtype in TYPES
        for name in FUNCTIONS
    )
    measured = [each for each in _in_time(functions, end, left) if each is not None]
    beyond = list(exceeded(device, measured, found, kept, runs))
    where = f"{on.device_kind} ({on.platform}), jaxlib {jaxlib.__version__}"
    if options.json:
        print(
            json.dumps(
                {
                    "device": where,
                    "functions": [asdict(each) for each in measured],
                    "products": [asdict(each) for each in found],
                    "denormals": kept,
                    "different_results": runs,
                    "exceeded": beyond,
                    "left_out": left,
                }
            )
        )
        return bool(beyond)
    print(f"{where}: against the table of {device.title}")
    for each in measured:
        besides = f" and {each.absolute:.2g}" if each.absolute else ""
        at = ", ".join(f"{value:.9g}" for value in each.worst)
        print(
            f"{each.function:22} {each.dtype:9} {each.ulps:8.4g} ULP{besides}, 99.9 % {each.usual:.3g}; "
            f"of {at}: {each.found:.9g}, not {each.exact:.9g}"
        )
    for product in found:
        bits = f"{-log2(product.factors):.1f}" if product.factors else "all"
        print(
            f"{product.what}: {bits} significant bits of a factor; sums within {product.sums * 2**24:.3g} of 2^-24"
        )
    print("denormals:", ", ".join(f"{name} {'kept' if each else 'flushed'}" for name, each in kept.items()))
    print(f"different results in {RUNS} runs:", ", ".join(f"{name} {count}" for name, count in runs.items()))
    print("the table:", *table(measured), sep="\n")
    print(f"left out: {', '.join(left)}" if left else "nothing left out")
    print(f"{len(beyond)} rows exceeded or missing", *beyond, sep="\n  ")
    return bool(beyond)
