"""Ranks of elements: finite 0, infinite 1, NaN 2. A complex element has the greater rank of its parts."""

from collections.abc import Sequence
from functools import cache
from math import isfinite, isnan
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from ...ir.element_types import DTYPES

Array = NDArray[Any]
Ranks = NDArray[np.uint8]
Arrays = tuple[Array, ...]
Shape = tuple[int, ...]

OperandRanks = tuple[Ranks | None, ...]
"""The ranks of each operand's elements; `None` where all are finite."""
SeenRanks = tuple[Ranks | int, ...]
"""For each result, the greatest rank that each element reads; one number if all read the same."""

INFINITE, NAN = 1, 2
_BF16 = np.dtype(ml_dtypes.bfloat16)
_SMALL_FLOATS = frozenset(
    dtype for name, dtype in DTYPES.items() if dtype.type.__module__ != "numpy" and "f" in name
)
"""The types of `ml_dtypes`, which NumPy's functions and the processor's flags know nothing of."""
_BF16_SIGN, _BF16_INFINITY = np.uint16(0x7FFF), 0x7F80
_BLOCK = 1 << 16
_COMPARED = frozenset(map(np.dtype, (np.float32, np.float64)))
"""Types of which the processor finds the greatest and the least element faster than it tests each."""


def is_inexact(dtype: np.dtype[Any]) -> bool:
    """Whether elements are real or complex floats, NumPy's or those of `ml_dtypes`."""
    return dtype.kind in "fc" or dtype in _SMALL_FLOATS


def raises_flags(dtype: np.dtype[Any]) -> bool:
    """Whether the processor raises its flags where a cast to this type overflows: `ml_dtypes` rounds with integers."""
    return dtype not in _SMALL_FLOATS


def ranks_of(array: Array) -> Ranks | None:
    """The ranks of all elements; `None` where all are finite, or no floats."""
    if not is_inexact(array.dtype) or is_finite(array):
        return None
    if array.dtype in _SMALL_FLOATS:
        return _table(array.dtype)[_bits(array)]
    return np.where(np.isnan(array), np.uint8(NAN), np.isinf(array).view(np.uint8))


def is_finite(array: Array) -> bool:
    """Whether all elements of an array of floats are finite.

    Large arrays are looked at block by block, so that what is made of a block stays in the processor's cache.
    """
    if array.size <= _BLOCK or not array.flags.c_contiguous:
        return _is_finite(array)
    flat = array.reshape(-1)
    return all(_is_finite(flat[k : k + _BLOCK]) for k in range(0, flat.size, _BLOCK))


def _is_finite(array: Array) -> bool:
    if array.dtype in _COMPARED and array.size and array.flags.c_contiguous:
        # Either is NaN if any element is.
        ends = np.maximum.reduce(array, axis=None), np.minimum.reduce(array, axis=None)
        return all(map(isfinite, ends))
    if array.dtype == _BF16:
        bits = _bits(array) & _BF16_SIGN
        return bool(np.maximum.reduce(bits, axis=None, initial=0) < _BF16_INFINITY)
    if array.dtype in _SMALL_FLOATS:
        return not array.size or not _table(array.dtype)[_bits(array)].any()
    return bool(np.logical_and.reduce(np.isfinite(array), axis=None))


def holds_nan(array: Array) -> bool:
    """Whether any element is NaN."""
    if array.dtype in _COMPARED and array.size:
        # The greatest element is NaN if any is; what repeats need not be compared with itself.
        if 0 in array.strides:
            array = array[tuple(slice(0, 1 if stride == 0 else None) for stride in array.strides)]
        return isnan(np.maximum.reduce(array, axis=None))
    ranks = ranks_of(array)
    return ranks is not None and worst_rank((ranks,)) == NAN


def worst_rank(ranks: Sequence[Ranks | None]) -> int:
    """The greatest of all ranks."""
    return max((int(found.max(initial=0)) for found in ranks if found is not None), default=0)


def worst_ranks(ranks: Sequence[Ranks | None]) -> Ranks | int:
    """The greatest rank at each index, of arrays of one shape and of scalars."""
    worst: Ranks | int = 0
    for found in ranks:
        if found is not None:
            worst = found if isinstance(worst, int) else np.maximum(worst, found)
    return worst


def matrix_ranks(ranks: Sequence[Ranks | None], dimensions: int = 2) -> Ranks | int:
    """For each matrix of a batch, or line along the last `dimensions`, the greatest rank in it."""
    axes = tuple(range(-dimensions, 0))
    return worst_ranks(
        [None if found is None else found.max(axes, initial=0, keepdims=True) for found in ranks]
    )


@cache
def _table(dtype: np.dtype[Any]) -> Ranks:
    """The rank of each pattern of bits."""
    bits = np.arange(1 << 8 * dtype.itemsize, dtype=f"u{dtype.itemsize}")
    values = bits.view(dtype).astype(np.float32)
    return np.where(np.isnan(values), np.uint8(NAN), np.isinf(values).view(np.uint8))


def _bits(array: Array) -> Array:
    return array.view(f"u{array.dtype.itemsize}")
