"""Two arrays of one dtype, element by element: which differ, by how much, and in how many units in the last place.

Of every element type that a tensor can have: floats down to four bits, complex numbers, integers, booleans.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Flat = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class FloatFormat:
    """What a float dtype's bits mean, as far as comparisons ask."""

    bits: int
    signed: bool
    largest: float
    smallest_normal: float
    flushed: bool
    """Whether processors may take denormals for 0: those that compute in this type, or in f32 for it."""


@cache
def float_format(dtype: np.dtype[Any]) -> FloatFormat | None:
    """The format of a float dtype; `None` of any other, complex ones too."""
    if not is_float(dtype):
        return None
    info = ml_dtypes.finfo(dtype)
    signed = info.bits > info.nexp + info.nmant
    flushed = float(info.smallest_normal) < 1e-30
    return FloatFormat(int(info.bits), signed, float(info.max), float(info.smallest_normal), flushed)


@cache
def is_float(dtype: np.dtype[Any]) -> bool:
    """Whether elements are real floats, of NumPy's or of fewer bits."""
    return dtype.kind == "f" or (dtype.type.__module__ != "numpy" and "float" in dtype.name)


def words_of(array: Array) -> Array:
    """The bits of the elements of an array that is no tuple, as unsigned integers; of complex ones two each."""
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
    """The row-major numbers of the elements whose bits differ; NaN is equal to NaN, whatever its bits."""
    if before is after or not before.size:
        return np.zeros(0, np.int64)
    unequal = words_of(before) != words_of(after)
    if not unequal.any():
        return np.zeros(0, np.int64)
    found = np.flatnonzero(unequal.any(axis=1) if unequal.ndim == 2 else unequal)
    both = nan_mask(before.reshape(-1)[found]) & nan_mask(after.reshape(-1)[found])
    return found[~both]


def distance(before: Array, after: Array) -> Flat:
    """How far elements are apart, as f64: 0 of equal infinities, infinite where one is infinite, NaN where one is NaN.

    Of 64-bit integers the difference is exact before it is rounded; of complex numbers it is a modulus.
    """
    if before.dtype.kind in "iu" or before.dtype.kind == "b":
        return _integer_distance(before, after)
    if before.dtype.kind == "V" or before.dtype.type.__module__ != "numpy":
        before, after = widened_elements(before), widened_elements(after)
        if before.dtype.kind in "iu":
            return _integer_distance(before, after)
    wide = np.complex128 if before.dtype.kind == "c" else np.float64
    with np.errstate(all="ignore"):
        found = np.abs(before.astype(wide) - after.astype(wide))
    return np.where(before == after, 0.0, found).astype(np.float64)


def widened_elements(array: Array) -> Array:
    """The same numbers in a dtype of NumPy's own: f32 for small floats, bytes for integers of a few bits."""
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
    # The difference of two integers fits into as many bits without a sign.
    with np.errstate(over="ignore"):
        return np.asarray(high.view(unsigned) - low.view(unsigned), np.float64)


def ulps_apart(before: Array, after: Array) -> Flat | None:
    """How many numbers of the type lie between, plus one, element by element; `None` for what has no units in the last place.

    -0 and +0 are 0 apart; of complex numbers it is the greater of both parts; NaN where one is NaN.
    """
    if before.dtype.kind == "c":
        real, imaginary = ulps_apart(before.real, after.real), ulps_apart(before.imag, after.imag)
        return None if real is None or imaginary is None else np.maximum(real, imaginary)
    found = float_format(before.dtype)
    if found is None:
        return None
    ranks = _ranks(before, found), _ranks(after, found)
    low, high = np.minimum(*ranks), np.maximum(*ranks)
    apart = (high - low).astype(np.float64)
    return np.where(nan_mask(before) | nan_mask(after), np.nan, apart)


def _ranks(array: Array, found: FloatFormat) -> NDArray[np.uint64]:
    """A number for each element, in the order of the elements' values, one higher for the next float."""
    words = np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}").astype(np.uint64)
    if not found.signed:
        return words
    sign = np.uint64(1 << found.bits - 1)
    magnitude = words & (sign - np.uint64(1))
    return np.where(words & sign, sign - magnitude, sign + magnitude)


def signed_zeros(before: Array, after: Array) -> Mask:
    """Where both are zero, whatever their signs."""
    if not (is_float(before.dtype) or before.dtype.kind == "c"):
        return np.zeros(before.shape, np.bool_)
    return np.asarray((before == 0) & (after == 0))


def flushed_denormals(before: Array, after: Array) -> Mask:
    """Where one is 0 and the other a denormal: what becomes of it on a processor that flushes."""
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
    """Where one is infinite and the other is another number."""
    if not (is_float(before.dtype) or before.dtype.kind == "c"):
        return np.zeros(before.shape, np.bool_)
    return np.asarray((np.isinf(before) | np.isinf(after)) & (before != after))
