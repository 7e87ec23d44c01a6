"""Columns of keys that NumPy sorts, and the places of elements sorted by such columns."""

from collections.abc import Sequence
from enum import Enum

import numpy as np

from ...ir.element_types import ElementType, QuantizedType
from ..core.kinds import complex_part
from ..core.numeric import total_order_key, widen
from ..core.op import Array
from ..core.quantization import dequantize


class Part(Enum):
    """The part of an element that a key is made of."""

    WHOLE = "whole"
    REAL = "real"
    IMAGINARY = "imaginary"

    def of(self, values: Array, element_type: ElementType) -> tuple[Array, ElementType]:
        """The part of each element, dequantized if need be, and its element type."""
        if isinstance(element_type, QuantizedType):
            return dequantize(values, element_type), element_type.expressed
        if self is Part.WHOLE:
            return values, element_type
        return values.real if self is Part.REAL else values.imag, complex_part(element_type)


def total_order_column(
    values: Array, element_type: ElementType, *, zeros_equal: bool, nan: bool | None, descending: bool
) -> Array:
    """Integers in the order of the values, floats in their total order.

    There -0 may equal +0, and all NaN be one, that is positive (`nan` is True) or negative.
    """
    column = total_order_key(values) if element_type.is_float else widen(values)
    if zeros_equal:
        column = np.where(column == NEGATIVE_ZERO, 0, column)
    if nan is not None:
        limits = np.iinfo(column.dtype)
        column = np.where(is_nan_key(column, values.dtype), limits.max if nan else limits.min, column)
    return np.invert(column) if descending else column


def unordered_column(values: Array, element_type: ElementType, *, descending: bool) -> Array:
    """Integers if there is no NaN, floats if there is one. -0 equals +0."""
    column = total_order_key(values)
    if not np.any(is_nan_key(column, values.dtype)):
        column = np.where(column == NEGATIVE_ZERO, 0, column)
        return np.invert(column) if descending else column
    floats = widen(values)
    return np.negative(floats) if descending else floats


NEGATIVE_ZERO = -1
"""The total order's key of -0 in floats of any width."""


def is_nan_key(keys: Array, dtype: np.dtype[np.generic]) -> Array:
    """Whether each of the total order's keys of floats of `dtype` is that of a NaN."""
    wide = dtype if dtype.itemsize > 1 else np.dtype(np.float32)
    infinity = total_order_key(np.full((), np.inf, wide))
    return np.asarray((keys > infinity) | (keys < ~infinity))


def has_order(columns: Sequence[Array]) -> bool:
    """Whether any two elements are ordered: no column has a NaN that is neither above nor below."""
    return all(column.dtype.kind != "f" for column in columns)


def sorted_places(columns: Sequence[Array], axis: int, *, later_first: bool) -> Array:
    """For each position along `axis` the element that comes there; of equal ones the earlier (or later) first."""
    if not later_first:
        return _places(columns, axis)
    last = columns[0].shape[axis] - 1
    return np.asarray(last - _places([np.flip(column, axis) for column in columns], axis))


def _places(columns: Sequence[Array], axis: int) -> Array:
    if len(columns) > 1:
        return np.asarray(np.lexsort(columns[::-1], axis=axis))
    (column,) = columns
    if column.dtype.itemsize != 4 or column.shape[axis] > 1 << 31:
        return np.argsort(column, axis=axis, kind="stable")
    joined = with_places(column, axis)
    joined.sort(axis=axis)
    joined &= PLACE
    return joined


PLACE = 0xFFFFFFFF
"""The bits of the position in results of `with_places`."""


def with_places(column: Array, axis: int) -> Array:
    """Key and place in one number: all are different, so the fastest way of sorting keeps equal keys in order.

    For keys of 4 bytes at most, and at most 2^31 of them along `axis`.
    """
    joined = column.astype(np.int64)
    if column.dtype == np.uint32:
        joined -= 1 << 31  # the greatest would become negative
    joined <<= 32
    joined |= places_along(column.shape, axis)
    return joined


def order_key(values: Array) -> Array:
    """Integers in the order of the elements, floats in total order; with all bits turned over in the opposite one."""
    if values.dtype == np.bool_:
        return values.astype(np.int8)
    wide = widen(values)
    return total_order_key(values) if wide.dtype.kind == "f" else wide


def places_along(shape: Sequence[int], axis: int) -> Array:
    """0, 1, … along `axis`, in a shape that spreads over `shape`."""
    return np.arange(shape[axis]).reshape([-1 if k == axis else 1 for k in range(len(shape))])


def take_along(operand: Array, places: Array, axis: int) -> Array:
    """The elements that are at `places` along `axis`."""
    return operand.take(places) if operand.ndim == 1 else np.take_along_axis(operand, places, axis=axis)


def comes_before(left: Sequence[Array], right: Sequence[Array], *, reflexive: bool) -> Array:
    """The result of the comparator for elements with these keys."""
    *firsts, last = zip(left, right, strict=True)
    found = np.asarray(np.less_equal(*last) if reflexive else np.less(*last))
    for mine, other in reversed(firsts):
        found = (mine < other) | ((mine == other) & found)
    return found
