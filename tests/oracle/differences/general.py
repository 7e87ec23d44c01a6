"""Differences of elementwise ops, reductions and contractions."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from ..cases import Case
from ..compare import distance
from ..values import Array
from .known import INTERPRETER, XLA, Known, Mask, as_f64, element_name

WITHOUT_NAN = ("f4E2M1FN", "f6E2M3FN", "f6E3M2FN")
"""Types that have neither NaN nor infinities."""
WITH_INFINITIES = ("f8E3M4", "f8E4M3", "f8E5M2")


def _no_nan(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    if element_name(case) not in WITHOUT_NAN or ours.dtype != case.results[0].element_type.dtype:
        return None
    largest = float(ml_dtypes.finfo(ours.dtype).max)
    return np.asarray((as_f64(theirs) == 0) & np.isin(np.abs(as_f64(ours)), (0, largest)))


def _round_small(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    if op not in ("ceil", "floor", "round_nearest_afz", "round_nearest_even") or element_name(case) not in (
        "f8E3M4",
        "f6E2M3FN",
    ):
        return None
    return np.ones(ours.shape, np.bool_)


def _no_infinity(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    name = element_name(case)
    if op != "reduce_precision" or not name.startswith(("f4", "f6", "f8")) or name in WITH_INFINITIES:
        return None
    largest = float(ml_dtypes.finfo(ours.dtype).max)
    if name == "f8E8M0FNU":
        return np.ones(ours.shape, np.bool_)
    mask = np.isnan(as_f64(ours)) | (np.abs(as_f64(ours)) == largest)
    if name.endswith("FNUZ"):
        info = ml_dtypes.finfo(ours.dtype)
        would_be_infinity = theirs.view(np.uint8) & 0x7F == (1 << info.nexp) - 1 << info.nmant
        mask |= would_be_infinity | (as_f64(ours) == 0) | (as_f64(theirs) == 0) | np.isnan(as_f64(theirs))
    return np.asarray(mask)


def _nan_for_infinity(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    if op != "reduce_precision":
        return None
    return np.asarray(np.isnan(as_f64(case.operands[0])) & np.isnan(as_f64(ours)) & np.isinf(as_f64(theirs)))


def _widened_by_xla(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    if op != "reduce_precision" or not element_name(case).startswith("f8"):
        return None
    return np.ones(ours.shape, np.bool_)


def _popcnt_sign(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    if op != "popcnt" or element_name(case) not in ("i4", "i2"):
        return None
    return np.asarray(case.operands[0].astype(np.int8) < 0)


def _no_zero(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    if not any(found.element_type.name == "f8E8M0FNU" for found in (*case.types, *case.results)):
        return None
    return np.isnan(ours) if np.iscomplexobj(ours) else np.isnan(as_f64(ours))


def _flushed(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    """Where an operand or the result is a denormal, of the type or of f32."""
    mask = _denormal(ours) | _denormal(theirs)
    for operand in case.operands:
        found = _denormal(operand)
        mask = mask | (found if operand.shape == ours.shape else found.any())
    return np.asarray(mask)


def _denormal(array: Array) -> Mask:
    if np.issubdtype(array.dtype, np.complexfloating):
        return np.asarray(_denormal(array.real) | _denormal(array.imag))
    try:
        tiny = float(ml_dtypes.finfo(array.dtype).smallest_normal)
    except ValueError:
        return np.zeros(array.shape, np.bool_)
    smallest = max(tiny, float(np.finfo(np.float32).tiny)) if array.dtype != np.float64 else tiny
    wide = np.abs(as_f64(array))
    return np.asarray((wide > 0) & (wide < smallest))


def _boolean_add(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    if op not in ("add", "reduce", "scatter", "dot_general", "reduce_window") or ours.dtype != np.bool_:
        return None
    return np.ones(ours.shape, np.bool_) if "stablehlo.add" in case.statement or op == "dot_general" else None


def _logistic(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    if op != "logistic" or not case.results[0].element_type.is_float:
        return None
    if element_name(case).startswith("f8"):
        return np.asarray(np.isnan(as_f64(theirs)) | (as_f64(theirs) == 0))
    overflowed = (as_f64(theirs) == 0) & (
        as_f64(ours) < float(ml_dtypes.finfo(ours.dtype).smallest_normal) * 4
    )
    return np.asarray((distance(ours, theirs) <= LOGISTIC_ULPS) | overflowed)


def _total_order(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    if op != "compare" or "TOTALORDER" not in case.statement:
        return None
    lhs, rhs = (as_f64(operand) for operand in case.operands)
    return np.asarray(np.isnan(lhs) | np.isnan(rhs) | ((lhs == 0) & (rhs == 0)))


def _f32_functions(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    if case.ulps == 0 or element_name(case) not in ("f32", "f64", "bf16", "f16"):
        return None
    return np.asarray(distance(ours, theirs) <= XLA_ULPS)


def _large_exponents(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    if op != "power" or not np.issubdtype(ours.dtype, np.integer):
        return None
    return np.asarray(case.operands[1] > LARGEST_EXPONENT)


def _older_exponents(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    explained = _large_exponents(op, case, ours, theirs)
    if explained is None:
        return None
    base, exponent = case.operands
    older = (base % 2 == 0) | (exponent > np.iinfo(f"i{ours.dtype.itemsize}").max)
    return np.asarray(explained & older)


def _zeros(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    if op not in ("dot_general", "reduce", "scatter", "reduce_window"):
        return None
    if not np.iscomplexobj(ours):
        return np.asarray((ours == 0) & (theirs == 0))
    # Equal numbers of different bits differ in the sign of a part that is 0.
    return np.asarray(ours == theirs)


def _one_element(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    if op != "reduce" or case.types[0].element_count > ours.size:
        return None
    return np.ones(ours.shape, np.bool_)


def _dropped_windows(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    return np.ones(ours.shape, np.bool_) if op == "scatter" and case.outside else None


def _empty_index_vectors(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    inputs = len(case.types) // 2
    if op != "scatter" or case.types[inputs].element_count:
        return None
    return np.ones(ours.shape, np.bool_)


def _unsigned_storage(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    if op not in ("uniform_quantize", "uniform_dequantize") or "quant.uniform<u" not in case.statement:
        return None
    return np.asarray(theirs < ours)


XLA_ULPS = 16
LARGEST_EXPONENT = 63
LOGISTIC_ULPS = 3
"""Three roundings where ours has one."""


def _rounded_twice(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    if op not in ("sqrt", "rsqrt") or not element_name(case).startswith("f8"):
        return None
    return np.asarray(distance(ours, theirs) <= 1)


KNOWN_DIFFERENCES: tuple[Known, ...] = (
    Known(
        "XLA computes f8 in f16, and rounds a second time: sqrt(15.5) is 4 in f8E3M4.", (XLA,), _rounded_twice
    ),
    Known(
        "f4 and f6 have neither NaN nor infinities; the interpreter writes zeros for them where ml_dtypes "
        "and XLA take the largest number for what is too large. The specification leaves it open.",
        (INTERPRETER, XLA),
        _no_nan,
    ),
    Known(
        "The interpreter's ceil, floor and roundings of f8E3M4 give NaN for most numbers, of f6E2M3FN zeros.",
        (INTERPRETER,),
        _round_small,
    ),
    Known(
        "The interpreter's reduce_precision writes the pattern that would be infinity where a type has none: "
        "a smaller number than the largest. Here it is what a conversion gives, NaN or the largest number. "
        "Of the FNUZ types it takes another bias, and writes -0 where that is the pattern of NaN; "
        "the top bit of f8E8M0FNU it takes for a sign.",
        (INTERPRETER,),
        _no_infinity,
    ),
    Known(
        "reduce_precision keeps NaN, as in the specification's example; both make infinity of NaN where the "
        "bits that tell the two apart are cut.",
        (INTERPRETER, XLA),
        _nan_for_infinity,
    ),
    Known(
        "XLA reduces the precision of f8 in f16, where f8's denormals are normal numbers and its largest "
        "numbers have neighbours above. The interpreter agrees with ours.",
        (XLA,),
        _widened_by_xla,
    ),
    Known("XLA counts the bits of a negative i4 in a byte.", (XLA,), _popcnt_sign),
    Known(
        "f8E8M0FNU has no zero and no sign. What is not representable is NaN here, as in ml_dtypes; the "
        "interpreter writes the nearest number, or forgets that an operand is NaN.",
        (INTERPRETER, XLA),
        _no_zero,
    ),
    Known(
        "The interpreter composes logistic of ops of the type itself, and rounds each. exp(-x) overflows to "
        "NaN or to infinity, and 1 / (1 + NaN) stays NaN. The true value is near 0.",
        (INTERPRETER,),
        _logistic,
    ),
    Known(
        "Of StableHLO text both compute TOTALORDER as FLOAT; XLA's own HLO, and the specification, order NaN "
        "and signed zeros.",
        (INTERPRETER, XLA),
        _total_order,
        stablehlo_only=True,
    ),
    Known(
        "XLA's vectorised transcendental functions are polynomials with errors of some units of the last place.",
        (XLA,),
        _f32_functions,
    ),
    Known(
        "XLA's integer power reads six bits of the exponent.", (XLA,), _large_exponents, stablehlo_only=True
    ),
    Known(
        "Before jaxlib 0.12 XLA also reads six bits for even bases, and exponents as signed.",
        (XLA,),
        _older_exponents,
    ),
    Known("XLA leaves out the addition of 0, which makes +0 of -0.", (XLA,), _zeros),
    Known(
        "XLA drops init_values where a reduction has one element; the specification takes them into account.",
        (XLA,),
        _one_element,
        stablehlo_only=True,
    ),
    Known(
        "XLA drops a scattered window as a whole if a part of it is outside; the specification drops elements.",
        (XLA,),
        _dropped_windows,
        stablehlo_only=True,
    ),
    Known(
        "XLA applies one update where scatter_indices has no elements; the specification applies all of them, at index 0.",
        (XLA,),
        _empty_index_vectors,
    ),
    Known("XLA on CPU flushes denormals to zero.", (XLA,), _flushed),
    Known("XLA on CPU adds i1 by XOR; the specification says OR.", (XLA,), _boolean_add, stablehlo_only=True),
    Known(
        "The interpreter clamps unsigned storage to the greatest signed integer of as many bits.",
        (INTERPRETER,),
        _unsigned_storage,
    ),
)
