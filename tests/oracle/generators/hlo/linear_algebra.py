"""Normalisation, transforms, matrices and random numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ir.types import TensorType

from ...cases import Case, seeds, shapes, sizes
from ...values import array
from ..linear_algebra import FLOATS, MATRICES, relative_error
from ..linear_algebra import cholesky as stablehlo_cholesky
from ..linear_algebra import rng_bit_generator as stablehlo_rng_bit_generator
from ..linear_algebra import triangular_solve as stablehlo_triangular_solve
from .cases import HloCase, module, one
from .text import Computation, Value, dimensions, spelled


@st.composite
def batch_norm(draw: st.DrawFn, name: str) -> HloCase:
    """Variances are not negative, and small ones make all numbers large."""
    shape = draw(st.lists(sizes, min_size=1, max_size=4).map(tuple))
    operand = TensorType(shape, draw(st.sampled_from(FLOATS)))
    feature = draw(st.integers(0, operand.rank - 1))
    vector = operand.with_shape((shape[feature],))
    signatures: dict[str, tuple[Sequence[TensorType], TensorType | Sequence[TensorType]]] = {
        "training": ((operand, vector, vector), (operand, vector, vector)),
        "inference": ((operand, *[vector] * 4), operand),
        "grad": ((operand, vector, vector, vector, operand), (operand, vector, vector)),
    }
    types, results = signatures[name]
    seed, variance = draw(seeds), {"training": None, "inference": 4, "grad": 3}[name]
    given = {}
    if variance is not None:
        positive = np.abs(array(seed, vector, "normal").astype(np.float64)) + 0.5
        given[variance] = np.asarray(positive).astype(operand.element_type.dtype)
    epsilon = draw(st.sampled_from(("0.001", "0.5", "1e-05")))
    small = 4 if operand.element_type.bits == 16 else 1
    stated: dict[str, Any] = {"given": given, "flavours": ("normal",) * len(types), "seed": seed}
    stated["relative"] = small * relative_error(operand.element_type)
    attributes = f"epsilon={epsilon}", f"feature_index={feature}"
    return one(draw, f"batch-norm-{name}", types, results, *attributes, **stated)


@st.composite
def fft(draw: st.DrawFn) -> HloCase:
    """Lengths with small and large prime factors, and none."""
    count = draw(st.integers(1, 3))
    lengths = draw(st.lists(st.sampled_from((0, 1, 2, 3, 4, 5, 7, 8)), min_size=count, max_size=count))
    batch, kind = draw(st.lists(sizes, max_size=1)), draw(st.sampled_from(("FFT", "IFFT", "RFFT", "IRFFT")))
    real = ELEMENT_TYPES[draw(st.sampled_from(("f32", "f64")))]
    number = ELEMENT_TYPES[f"complex<{real}>"]
    whole, signal = TensorType((*batch, *lengths), number), TensorType((*batch, *lengths), real)
    half = whole.with_shape((*batch, *lengths[:-1], lengths[-1] // 2 + 1 if lengths[-1] else 0))
    operand, result = {
        "FFT": (whole, whole),
        "IFFT": (whole, whole),
        "RFFT": (signal, half),
        "IRFFT": (half, signal),
    }[kind]
    attributes = f"fft_type={kind}", dimensions(lengths, "fft_length")
    relative = relative_error(real) / 10
    return one(draw, "fft", [operand], result, *attributes, flavours=("normal",), relative=relative)


def _as(draw: st.DrawFn, opcode: str, case: Case, *attributes: str) -> HloCase:
    """The operands of a case of StableHLO."""
    stated: dict[str, Any] = {"seed": case.seed, "given": case.given, "relative": case.relative}
    results = case.results[0] if len(case.results) == 1 else case.results
    return one(draw, opcode, case.types, results, *attributes, **stated)


def _flag(name: str, text: str, stated: str) -> str:
    return f"{name}={'true' if stated in text else 'false'}"


@st.composite
def cholesky(draw: st.DrawFn) -> HloCase:
    case = draw(stablehlo_cholesky())
    return _as(draw, "cholesky", case, _flag("lower", case.statement, "lower = true"))


@st.composite
def triangular_solve(draw: st.DrawFn) -> HloCase:
    case = draw(stablehlo_triangular_solve())
    transpose = next(name for name in ("NO_TRANSPOSE", "ADJOINT", "TRANSPOSE") if name in case.statement)
    names = ("left_side", "lower", "unit_diagonal")
    flags = [_flag(name, case.statement, f"{name} = true") for name in names]
    return _as(draw, "triangular-solve", case, *flags, f"transpose_a={transpose}")


def _unsigned(case: Case) -> bool:
    found = case.results[1].element_type
    return found.kind == "unsigned" and found.bits >= 8


@st.composite
def rng_bit_generator(draw: st.DrawFn) -> HloCase:
    """Bit by bit, with counters that overflow; XLA gives unsigned integers whatever is asked for."""
    case = draw(stablehlo_rng_bit_generator().filter(_unsigned))
    name = next(name for name in ("DEFAULT", "THREE_FRY", "PHILOX") if name in case.statement)
    return _as(draw, "rng-bit-generator", case, f"algorithm=rng_{name.lower()}")


@st.composite
def rng(draw: st.DrawFn) -> HloCase:
    """Numbers that are no surprise: the only one of an interval, or without any deviation from the mean."""
    element_type = ELEMENT_TYPES[draw(st.sampled_from(("i32", "ui32", "i64", "f32", "f64")))]
    result = TensorType(draw(shapes), element_type)
    value = draw(st.integers(0, 9))
    distribution = "uniform" if element_type.is_integer else draw(st.sampled_from(("uniform", "normal")))
    second = 0 if distribution == "normal" else value + element_type.is_integer
    given = {0: np.array(value, element_type.dtype), 1: np.array(second, element_type.dtype)}
    scalar = result.with_shape(())
    return one(draw, "rng", [scalar, scalar], result, f"distribution=rng_{distribution}", given=given)


@st.composite
def rng_state(draw: st.DrawFn) -> HloCase:
    """The state before the first draw, which is the same in each process, by any operation on it."""
    result = TensorType((2,), ELEMENT_TYPES["ui64"])
    name = draw(st.sampled_from(("negate", "not", "copy", "reverse")))
    attributes = ("dimensions={0}",) if name == "reverse" else ()

    def build(entry: Computation, _: list[Value]) -> Value:
        state = entry.op("rng-get-and-update-state", [], result, f"delta={draw(st.integers(1, 1 << 40))}")
        return entry.op(name, [state], result, *attributes)

    return module(draw, "rng-get-and-update-state", [], result, build)


LAPACK = {"f32": "s", "f64": "d", "complex<f32>": "c", "complex<f64>": "z"}


@st.composite
def lapack_cholesky(draw: st.DrawFn) -> HloCase:
    """As JAX calls it, with columns that lie one after another: the only layout that LAPACK knows."""
    element_type, n = draw(st.sampled_from(MATRICES)), draw(st.integers(1, 4))
    operand, info = TensorType((n, n), element_type), TensorType((), ELEMENT_TYPES["i32"])
    seed = draw(seeds)
    half = array(seed, operand, "normal")
    given = {0: (half @ np.conjugate(half.T) + np.eye(n)).astype(element_type.dtype)}
    letter = draw(st.sampled_from("LU"))
    attributes = (
        f'custom_call_target="lapack_{LAPACK[element_type.name]}potrf_ffi"',
        "api_version=API_VERSION_TYPED_FFI",
        f"backend_config={{uplo = {ord(letter)} : ui8}}",
    )

    def build(entry: Computation, operands: list[Value]) -> Value:
        columns = entry.op("copy", operands, operand, layout=(0, 1))
        limits = f"operand_layout_constraints={{{spelled(operand, layout=(0, 1))}}}"
        found = entry.op("custom-call", [columns], (operand, info), limits, *attributes, layout=(0, 1))
        first = entry.op("get-tuple-element", [found], operand, "index=0", layout=(0, 1))
        return entry.pack([entry.op("copy", [first], operand), entry.element(found, 1)])

    stated: dict[str, Any] = {"given": given, "seed": seed, "emitted": True}
    stated["relative"] = 2e-3 if "32" in element_type.name else 1e-8
    return module(draw, "custom-call", [operand], [operand, info], build, **stated)


GENERATORS = {
    **{f"batch-norm-{name}": batch_norm(name) for name in ("training", "inference", "grad")},
    "fft": fft(),
    "cholesky": cholesky(),
    "triangular-solve": triangular_solve(),
    "rng-bit-generator": rng_bit_generator(),
    "rng": rng(),
    "rng-get-and-update-state": rng_state(),
}
