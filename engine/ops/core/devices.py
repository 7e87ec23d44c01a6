"""Rounding of devices: how far the functions and products of each may be from exact results.

`python -m tests.device functions` measures a device, prints its rows in this form, and names the rows that it exceeds.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from math import log2
from typing import NamedTuple

TF32, BF16 = 2.0**-11, 2.0**-8
"""Unit roundoffs of types that products round their factors to."""
TYPES = ("float32", "bfloat16", "float16", "float64")
"""The types of a row, by NumPy's names."""
PRECISIONS = ("DEFAULT", "HIGH", "HIGHEST")
NARROWED = ("float32", "complex64")
"""Types of factors that products may round, by NumPy's names."""


class Accuracy(NamedTuple):
    """The maximum error of a function: units in the last place of the result, and an absolute error besides."""

    ulps: float
    absolute: float = 0.0
    """Error near zeros that are no floats, where units in the last place have no limit."""


Row = Mapping[str, Accuracy]
"""The accuracies of a function by type."""


def _row(*cells: float | tuple[float, float] | None) -> Row:
    """A row of accuracies in the order of `TYPES`, in units in the last place or with an absolute error; `None`: unknown."""
    return {
        dtype: Accuracy(*(cell if isinstance(cell, tuple) else (cell,)))
        for dtype, cell in zip(TYPES, cells, strict=True)
        if cell is not None
    }


@dataclass(frozen=True)
class Device:
    """The rounding of a kind of device, beyond that of any implementation."""

    title: str
    """`an NVIDIA GPU`."""
    source: str = ""
    """`measured on an H200 with jaxlib 0.11.2`."""
    functions: Mapping[str, Row] = field(default_factory=dict)
    """Rows by the name of an op without its dialect."""
    products: Mapping[str, float] = field(default_factory=dict)
    """Unit roundoff of factors in types of `NARROWED` by precision; others are not rounded."""
    flushes_denormals: bool = True
    """Whether denormals of f32 may become 0; those of factors that are rounded may on each device."""
    unordered: frozenset[str] = frozenset()
    """Ops that add in any order, so that each run may have other bits."""

    def accuracy(self, function: str, dtype: str) -> Accuracy | None:
        """The accuracy of a function; `None` if the table does not list it."""
        return self.functions.get(function, {}).get(dtype)

    def unordered_text(self, functions: Iterable[str]) -> str:
        """`scatter adds in any order on an NVIDIA GPU, measured on an H200 with jaxlib 0.11.2`; empty without such an op."""
        found = sorted(self.unordered.intersection(functions))
        if not found:
            return ""
        verb = "adds" if len(found) == 1 else "add"
        return f"{' and '.join(found)} {verb} in any order on {self.title}, {self.source}"

    def function_text(self, function: str, dtype: str) -> str:
        """`tanh of float32 may be 6 ULP off on an NVIDIA GPU, measured on an H200 with jaxlib 0.11.2`."""
        found = self.functions[function][dtype]
        besides = f" and {found.absolute:.2g}" if found.absolute else ""
        return f"{function} of {dtype} may be {found.ulps:g} ULP{besides} off on {self.title}, {self.source}"

    def product_text(self, function: str, precision: str, factors: str) -> str:
        """`dot_general rounds f32 factors to 11 significant bits at DEFAULT precision on an NVIDIA GPU, measured on …`."""
        bits = round(-log2(self.products[precision]))
        where = f"at {precision} precision on {self.title}, {self.source}"
        return f"{function} rounds {factors} factors to {bits} significant bits {where}"


_ON_PLATFORM = re.compile(r"\bon (cpu|gpu|tpu)\b(?: \(([^)]*)\))?")

ANY = Device("any device")
"""A device that the table does not list."""

_NVIDIA = {
    "acos": _row(1.5, 0.6, 0.6, 1.6),
    "acosh": _row(2.3, 0.6, 0.6, 2),
    "asin": _row(1.5, 0.6, 0.6, 2.1),
    "asinh": _row(1.7, 0.6, 0.6, 2.3),
    "atan": _row(1.4, 0.6, 0.6, 1.7),
    "atan2": _row(2, 0.6, 0.6, 1.7),
    "atanh": _row(3.4, 0.6, 0.6, 2.6),
    "bessel_i1e": _row(17, 0.6, 0.6, None),
    "cbrt": _row(1.1, 0.6, 0.6, 0.6),
    "cosh": _row(2.4, 0.6, 0.6, 1.4),
    "cosine": _row(1.6, 0.6, 0.6, 1.6),
    "digamma": _row((4.4, 2.4e-06), 0.6, 2.8, None),
    "divide": _row(2.3, 0.6, 0.6, 0.6),
    "erf": _row(5.9, 0.6, 0.6, None),
    "erf_inv": _row(72, 0.6, 0.6, None),
    "erfc": _row(70, 0.6, 0.6, None),
    "exponential": _row(2, 0.6, 0.6, 1),
    "exponential_minus_one": _row(1.5, 0.6, 0.6, 1.3),
    "lgamma": _row((5, 6.1e-06), 0.6, 1.3, None),
    "log": _row(1, 0.6, 0.6, 0.6),
    "log_plus_one": _row(1, 0.6, 0.6, 1.6),
    "logistic": _row(3.4, 2.3, 2.2, 2.7),
    "power": _row(1.3, 0.6, 0.6, 1.4),
    "remainder": _row(0, 0, 0, 0),
    "rsqrt": _row(1.7, 0.6, 0.6, 0.6),
    "sine": _row(1.7, 0.6, 0.6, 1.5),
    "sinh": _row(3.1, 0.6, 0.6, 1.6),
    "sqrt": _row(1.1, 0.6, 0.6, 0.6),
    "tan": _row(3.1, 0.6, 0.6, 1.9),
    "tanh": _row(5.8, 0.6, 0.6, 1.5),
}
"""Measured on an H200 with jaxlib 0.11.2 by `python -m tests.device functions`, times 1.1.

Some rows of f32 are those of an earlier measurement, with other arguments, that found a larger error.
"""
_CPU = {
    "acos": _row(2.2, 1.3, 1.2, 1.6),
    "acosh": _row(4.5, 1.8, 2, 3.8),
    "asin": _row(2.4, 1.6, 1.5, 1.7),
    "asinh": _row(3.2, 1.3, 1.5, 2.5),
    "atan": _row(1, 0.6, 0.6, 0.6),
    "atan2": _row(1.6, 0.6, 0.6, 0.6),
    "atanh": _row(3.1, 1.2, 1.4, 141),
    "bessel_i1e": _row(12, 0.6, 0.6, None),
    "cbrt": _row(1.1, 0.6, 0.6, 3.3),
    "cosh": _row(27, 0.6, 0.6, 545),
    "cosine": _row(0.7, 0.6, 0.6, 0.6),
    "digamma": _row((4.4, 2.4e-06), 0.6, 2.8, None),
    "divide": _row(0.6, 0.6, 0.6, 0.6),
    "erf": _row(5.6, 0.6, 0.6, None),
    "erf_inv": _row(72, 0.6, 0.6, None),
    "erfc": _row(70, 0.6, 0.6, None),
    "exponential": _row(1.1, 0.6, 0.6, 1.7),
    "exponential_minus_one": _row(6.1, 0.6, 2.4, 4.2),
    "lgamma": _row((4.4, 5.3e-06), 0.6, 2.7, None),
    "log": _row(1.3, 0.6, 0.6, 0.6),
    "log_plus_one": _row(2.7, 0.6, 0.6, 133),
    "logistic": _row(2.5, 2.3, 2.2, 2.7),
    "power": _row(0.7, 0.6, 0.6, 0.6),
    "remainder": _row(0, 0, 0, 0),
    "rsqrt": _row(1.2, 0.6, 0.6, 1.3),
    "sine": _row(0.7, 0.6, 0.6, 0.6),
    "sinh": _row(27, 0.6, 0.6, 545),
    "sqrt": _row(0.6, 0.6, 0.6, 0.6),
    "tan": _row(1.3, 0.6, 0.6, 0.6),
    "tanh": _row(5.1, 0.6, 0.6, 7.7),
}
NVIDIA = Device(
    "an NVIDIA GPU",
    "measured on an H200 with jaxlib 0.11.2",
    _NVIDIA,
    {"DEFAULT": TF32, "HIGH": TF32},
    flushes_denormals=False,
    unordered=frozenset({"scatter"}),
)
AMD = Device("an AMD GPU", "not measured", {}, NVIDIA.products, unordered=NVIDIA.unordered)
TPU = Device("a TPU", "as its documentation says", {}, {"DEFAULT": BF16, "HIGH": BF16**2})
CPU = Device("a CPU", "measured on x86-64 with jaxlib 0.10.2", _CPU)


def device_of(platform: str, name: str = "") -> Device:
    """The table of a device, by its platform and its name in jax: `gpu`, `NVIDIA H200`."""
    if platform == "gpu" and any(maker in name for maker in ("AMD", "Radeon", "Instinct", "gfx")):
        return AMD
    return {"cpu": CPU, "gpu": NVIDIA, "tpu": TPU}.get(platform, ANY)


def devices_named(title: str) -> Device:
    """The table of the devices that computed a run, by the title of its engine: `XLA of jaxlib 0.10.2 on gpu (NVIDIA H200)`."""
    found = [device_of(*each) for each in _ON_PLATFORM.findall(title)]
    return either(found) if found else ANY


def either(devices: Sequence[Device]) -> Device:
    """A device that rounds as far as any of these."""
    known = list({device.title: device for device in devices}.values())
    if len(known) == 1:
        return known[0]
    names = {name for device in known for name in device.functions}
    return Device(
        " or ".join(device.title for device in known),
        "; ".join(device.source for device in known if device.source),
        {name: _widest([device.functions.get(name, {}) for device in known]) for name in names},
        {
            precision: max(device.products.get(precision, 0.0) for device in known)
            for device in known
            for precision in device.products
        },
        any(device.flushes_denormals for device in known),
        frozenset().union(*(device.unordered for device in known)),
    )


def _widest(rows: Sequence[Row]) -> Row:
    types = {dtype for row in rows for dtype in row}
    return {
        dtype: Accuracy(*map(max, zip(*(row[dtype] for row in rows if dtype in row), strict=True)))
        for dtype in types
    }


_DEVICE: ContextVar[Device] = ContextVar("_DEVICE", default=ANY)


@contextmanager
def rounding_of(device: Device) -> Iterator[None]:
    """Let error bounds be those of a device."""
    token = _DEVICE.set(device)
    try:
        yield
    finally:
        _DEVICE.reset(token)


def current_device() -> Device:
    """The device whose rounding error bounds contain."""
    return _DEVICE.get()
