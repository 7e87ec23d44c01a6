"""The values of one tensor in order, without asking where each comes from."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...ir.element_types import ElementType
from ..core.kinds import kind_of
from ..core.numeric import total_order_key, widen
from ..core.op import Array
from .comparators import Order
from .sort_keys import Part, total_order_column

_IN_NUMPY = tuple(map(np.dtype, (np.float32, np.float64, np.longdouble)))


def sorted_values(values: Array, element_type: ElementType, order: Order, axis: int) -> Array | None:
    """`values` in the order of one key, their own; `None` where it takes more than values."""
    (key, descending), *others = order.keys
    kinds = ("boolean", "signed", "unsigned", "float")
    if others or key.rounded is not None or key.part is not Part.WHOLE or kind_of(element_type) not in kinds:
        return None
    if not element_type.is_float:
        found = np.sort(widen(values), axis=axis).astype(values.dtype, copy=False)
        return np.flip(found, axis) if descending else found
    if values.dtype.itemsize == 1 or element_type.name == "tf32":
        return None
    return _sorted_floats(values, element_type, order, axis)


def _sorted_floats(values: Array, element_type: ElementType, order: Order, axis: int) -> Array | None:
    ((key, descending),) = order.keys
    has_both_zeros = bool(np.signbit(values[values == 0]).any())
    if key.total_order and not key.zeros_equal and key.nan is None:
        found = _by_bits(values, element_type, axis, has_both_zeros=has_both_zeros)
        return np.flip(found, axis) if descending else found
    found = _sort_ascending(values, element_type, axis)
    has_nan = _has_nan(found, axis)
    if has_nan and not (key.total_order and key.nan):
        return None
    if has_both_zeros and key.total_order and not key.zeros_equal:
        return None
    found = np.flip(found, axis) if descending else found
    if has_both_zeros:
        _restore(found, values, axis, lambda x: x == 0, turned=order.later_first)
    if has_nan:
        _restore(found, values, axis, np.isnan, turned=order.later_first)
    return found


def _has_nan(found: Array, axis: int) -> bool:
    """Whether sorted values have a NaN, which comes first or last."""
    return bool(np.isnan(found.take([0, -1], axis=axis)).any())


def _sort_ascending(values: Array, element_type: ElementType, axis: int) -> Array:
    """The values sorted with zeros equal and every NaN last: NumPy's order, for its own dtypes."""
    if values.dtype in _IN_NUMPY:
        return np.sort(values, axis=axis)
    return _by_keys(values, element_type, axis, nan=True)


def _by_bits(values: Array, element_type: ElementType, axis: int, *, has_both_zeros: bool) -> Array:
    """The values sorted in the total order, which is NumPy's where there is no NaN and no -0."""
    if values.dtype in _IN_NUMPY and not has_both_zeros:
        found = np.sort(values, axis=axis)
        if not _has_nan(found, axis):
            return found
    return _by_keys(values, element_type, axis, nan=None)


def _by_keys(values: Array, element_type: ElementType, axis: int, nan: bool | None) -> Array:
    keys = total_order_column(values, element_type, zeros_equal=False, nan=nan, descending=False)
    keys = np.sort(keys, axis=axis)
    return total_order_key(keys.view(values.dtype)).view(values.dtype)  # which is its own inverse


def _restore(
    found: Array, values: Array, axis: int, which: Callable[[Array], Array], *, turned: bool
) -> None:
    """Puts elements that are equal, but not the same bits, into the order that they had, or into its reverse."""
    target, source = np.moveaxis(found, axis, -1), np.moveaxis(values, axis, -1)
    source = np.flip(source, -1) if turned else source
    target[which(target)] = source[which(source)]
