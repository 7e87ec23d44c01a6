"""Elementwise comparison of two arrays: differences, distances, units in the last place.

Supports every element type of a tensor: floats down to four bits, complex numbers, integers and Booleans.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from ..ops.core.rounding import unit_roundoff

Array = NDArray[Any]
Flat = NDArray[np.float64]
Mask = NDArray[np.bool_]
Measure = Literal["signed", "absolute", "relative", "ulps"]
"""How far apart two elements are; signed: the first minus the second; relative to the second."""


@dataclass(frozen=True)
class FloatFormat:
    """Bit layout of a float dtype, as far as comparisons need it."""

    bits: int
    signed: bool
    largest: float
    smallest_normal: float
    flushed: bool
    """Whether processors may flush denormals in this type, or in f32 on its behalf."""


@cache
def float_format(dtype: np.dtype[Any]) -> FloatFormat | None:
    """The format of a real float dtype; `None` for any other dtype."""
    if not is_float(dtype):
        return None
    info = ml_dtypes.finfo(dtype)
    signed = info.bits > info.nexp + info.nmant
    flushed = float(info.smallest_normal) < 1e-30
    return FloatFormat(int(info.bits), signed, float(info.max), float(info.smallest_normal), flushed)


@cache
def is_float(dtype: np.dtype[Any]) -> bool:
    """Whether elements are real floats, of NumPy or of ml_dtypes."""
    return dtype.kind == "f" or (dtype.type.__module__ != "numpy" and "float" in dtype.name)


def words_of(array: Array) -> Array:
    """The bits of an array's elements as unsigned integers, two per complex element."""
    flat = np.ascontiguousarray(array).reshape(-1)
    if flat.dtype.kind == "c":
        return flat.view(f"u{flat.dtype.itemsize // 2}").reshape(-1, 2)
    return flat.view(f"u{flat.dtype.itemsize}")


def nan_mask(array: Array) -> Mask:
    """Which elements are NaN."""
    if array.dtype.kind == "c" or is_float(array.dtype):
        return np.asarray(np.isnan(array))
    return np.zeros(array.shape, np.bool_)


def differing(before: Array, after: Array) -> NDArray[np.int64]:
    """Flat indices of the elements whose bits differ; all NaNs are equal."""
    if before is after or not before.size:
        return np.zeros(0, np.int64)
    unequal = words_of(before) != words_of(after)
    if not unequal.any():
        return np.zeros(0, np.int64)
    found = np.flatnonzero(unequal.any(axis=1) if unequal.ndim == 2 else unequal)
    both = nan_mask(before.reshape(-1)[found]) & nan_mask(after.reshape(-1)[found])
    return found[~both]


def distance(before: Array, after: Array) -> Flat:
    """Distances as f64: 0 for equal infinities, infinite if one is infinite, NaN if one is NaN.

    The difference of 64-bit integers is exact before it is rounded; that of complex numbers is a modulus.
    """
    if before.dtype.kind in "iu" or before.dtype.kind == "b":
        return _integer_distance(before, after)
    if before.dtype.kind == "V" or before.dtype.type.__module__ != "numpy":
        before, after = widened_elements(before), widened_elements(after)
        if before.dtype.kind in "iu":
            return _integer_distance(before, after)
    wide = _wide(before)
    with np.errstate(all="ignore"):
        found = np.abs(before.astype(wide) - after.astype(wide))
    return np.where(before == after, 0.0, found).astype(np.float64)


def widened_elements(array: Array) -> Array:
    """The same numbers in a NumPy dtype: f32 for small floats, bytes for small integers."""
    if array.dtype.type.__module__ == "numpy":
        return array
    if is_float(array.dtype):
        return array.astype(np.float32)
    return array.astype(np.uint8 if "uint" in array.dtype.name else np.int8)


def _integer_distance(before: Array, after: Array) -> Flat:
    if before.dtype.kind == "b":
        return np.asarray(before != after, np.float64)
    unsigned = f"u{before.dtype.itemsize}"
    low, high = np.minimum(before, after), np.maximum(before, after)
    # The difference of two integers fits into an unsigned integer of the same width.
    with np.errstate(over="ignore"):
        return np.asarray(high.view(unsigned) - low.view(unsigned), np.float64)


def ulps_apart(before: Array, after: Array) -> Flat | None:
    """Distance in units in the last place; `None` for types without such units.

    -0 and +0 are 0 apart. For complex numbers it is the larger of both parts, and NaN if one is NaN. While `units_of` is
    open for tf32, units of f32 are those of tf32.
    """
    if before.dtype.kind == "c":
        real, imaginary = ulps_apart(before.real, after.real), ulps_apart(before.imag, after.imag)
        return None if real is None or imaginary is None else np.maximum(real, imaginary)
    found = float_format(before.dtype)
    if found is None:
        return None
    ranks = _ranks(before, found), _ranks(after, found)
    low, high = np.minimum(*ranks), np.maximum(*ranks)
    apart = (high - low) * (ml_dtypes.finfo(before.dtype).eps / 2 / unit_roundoff(before.dtype))
    return np.where(nan_mask(before) | nan_mask(after), np.nan, apart)


def measured(before: Array, after: Array, measure: Measure) -> Flat | None:
    """The difference of two arrays of one dtype, element by element; `None` for `ulps` of types without such units.

    NaN where one is NaN, and 0 where both are. The signed difference of complex numbers is a modulus.
    """
    with np.errstate(all="ignore"):
        found = ulps_apart(before, after) if measure == "ulps" else distance(before, after)
        if found is None:
            return None
        ours, theirs = widened_elements(before), widened_elements(after)
        if measure == "signed" and ours.dtype.kind != "c":
            found = np.where(ours < theirs, -found, found)
        if measure == "relative":
            found = np.where(found == 0, 0.0, found / np.abs(theirs.astype(_wide(theirs))))
        return np.where(nan_mask(before) & nan_mask(after), 0.0, found)


def _wide(array: Array) -> type[np.generic]:
    return np.complex128 if array.dtype.kind == "c" else np.float64


def _ranks(array: Array, found: FloatFormat) -> NDArray[np.uint64]:
    """Ranks of floats: ordered like their values, and one higher for the next float."""
    words = np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}").astype(np.uint64)
    if not found.signed:
        return words
    sign = np.uint64(1 << found.bits - 1)
    magnitude = words & (sign - np.uint64(1))
    return np.where(words & sign, sign - magnitude, sign + magnitude)


def signed_zeros(before: Array, after: Array) -> Mask:
    """Elements that are zero in both arrays, with any sign."""
    if not (is_float(before.dtype) or before.dtype.kind == "c"):
        return np.zeros(before.shape, np.bool_)
    return np.asarray((before == 0) & (after == 0))


def flushed_denormals(before: Array, after: Array) -> Mask:
    """Elements that are 0 in one array and a flushable denormal in the other."""
    if before.dtype.kind == "c":
        parts = [(before.real, after.real), (before.imag, after.imag)]
        small = [flushed_denormals(*part) | (part[0] == part[1]) for part in parts]
        return np.asarray(small[0] & small[1] & (before != after))
    found = float_format(before.dtype)
    if found is None or not found.flushed:
        return np.zeros(before.shape, np.bool_)
    magnitudes = [np.abs(widened_elements(array)) for array in (before, after)]
    tiny = (magnitudes[0] < found.smallest_normal) & (magnitudes[1] < found.smallest_normal)
    return np.asarray(tiny & ((magnitudes[0] == 0) | (magnitudes[1] == 0)) & (before != after))


def infinite(before: Array, after: Array) -> Mask:
    """Elements that are infinite in one array and differ in the other."""
    if not (is_float(before.dtype) or before.dtype.kind == "c"):
        return np.zeros(before.shape, np.bool_)
    return np.asarray((np.isinf(before) | np.isinf(after)) & (before != after))
