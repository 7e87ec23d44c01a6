"""Error bounds of sums and products along dimensions, of matrix products, and of sorted elements."""

from collections.abc import Callable
from math import prod, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .bodies import Combiner
from .ranks import is_inexact
from .rounding import (
    NO_ERROR,
    UNKNOWN,
    Array,
    Error,
    carried_sum,
    in_blocks,
    is_exact,
    is_whole,
    magnitude,
    product_error,
    sum_error,
    where_uncertain,
)

Axes = tuple[int, ...]
_WHOLE_AT_MOST = 1 << 20
"""Maximum elements of a sum that is checked for whole numbers, whose sums are exact."""
_HUGE = 1e30
"""A finite stand-in for squares of infinite errors in products, so that 0 times it is 0, not NaN."""
_SMALLEST_IN_F32 = 1e-15
"""The smallest product of two numbers whose square, and that of an error of it, is accurate in f32."""
Multiply = Callable[[Array, Array], Array]


def fold_bound(
    combiner: Combiner, operand: Array, error: Error, initial: Array, start: Error, axes: Axes, result: Array
) -> Error:
    """The bound of `initial` and the elements along `axes`, combined in any order."""
    full = np.broadcast_to(error, operand.shape)
    if combiner is Combiner.REPLACE:
        index: list[Any] = [-1 if d in axes else slice(None) for d in range(operand.ndim)]
        return np.asarray(full[(*index, ...)])
    worst: Error = np.maximum(full.max(axis=axes, initial=0.0), start)
    if not is_inexact(result.dtype):
        return _discrete(combiner, worst, full, start, axes, result)
    if combiner in (Combiner.MAXIMUM, Combiner.MINIMUM):
        return worst
    if combiner is Combiner.ADD:
        return _summed(operand, full, initial, start, axes, result)
    return _multiplied(operand, full, initial, start, axes, result)


def _discrete(
    combiner: Combiner, worst: Error, full: Error, start: Error, axes: Axes, result: Array
) -> Error:
    if is_exact((worst,)):
        return NO_ERROR
    if result.dtype == np.bool_ or combiner in (Combiner.MAXIMUM, Combiner.MINIMUM):
        return worst
    if combiner is Combiner.ADD:
        return np.asarray(full.sum(axis=axes) + start)
    return np.where(worst > 0, np.inf, worst)


def _summed(operand: Array, full: Error, initial: Array, start: Error, axes: Axes, result: Array) -> Error:
    sizes, first = magnitude(operand), magnitude(initial)
    total = magnitude(result)
    total = np.where(np.isfinite(total), total, 0.0)
    carried = carried_sum(full, sizes, axes, total) if np.count_nonzero(full) else NO_ERROR
    carried = carried + start
    terms = prod(operand.shape[axis] for axis in axes)
    adds_whole = (
        operand.size <= _WHOLE_AT_MOST
        and is_whole(first, NO_ERROR, result.dtype)
        and is_whole(sizes, sizes.sum(axis=axes) + first, result.dtype)
    )
    if adds_whole and is_exact((carried,)):
        return NO_ERROR
    own = sum_error(result, _energy(operand, sizes, axes) + first, terms + 1, in_blocks(terms))
    return carried + (where_uncertain(own, carried) if adds_whole else own)


def _energy(operand: Array, sizes: Error, axes: Axes) -> Error:
    """The distance of partial sums from even growth, in the order of the elements or in a random order."""
    usual = np.sqrt((sizes**2).sum(axis=axes))
    if operand.dtype.kind == "c" or operand.size > _WHOLE_AT_MOST:
        return np.asarray(usual)
    moved = np.moveaxis(operand.astype(np.float64), axes, tuple(range(len(axes))))
    partial = np.cumsum(moved.reshape(-1, *moved.shape[len(axes) :]), axis=0)
    part = np.arange(1, len(partial) + 1).reshape(-1, *(1,) * (partial.ndim - 1)) / max(len(partial), 1)
    apart = np.abs(partial - part * partial[-1:])
    return np.asarray(np.maximum(usual, apart.max(axis=0, initial=0.0)))


def _multiplied(
    operand: Array, full: Error, initial: Array, start: Error, axes: Axes, result: Array
) -> Error:
    sizes = magnitude(operand)
    with np.errstate(all="ignore"):
        product = sizes.prod(axis=axes) * magnitude(initial)
        carried = (sizes + full).prod(axis=axes) * (magnitude(initial) + start) - product
        terms = prod(operand.shape[axis] for axis in axes)
        own = product_error(result, product, terms)
    return np.where(np.isfinite(magnitude(result)), carried + own, 0.0)


def product_bound(
    multiply: Multiply, left: tuple[Array, Error], right: tuple[Array, Error], result: Array, terms: int
) -> Error:
    """The bound of a sum of `terms` products, which `multiply` computes from two arrays of f32 or f64.

    As in sums, squares of errors add up; errors of an operand's scale propagate as errors of the scale.
    """
    if not is_inexact(result.dtype):
        return NO_ERROR if is_exact((left[1], right[1])) else UNKNOWN
    sizes = [_finite_magnitude(value) for value, _ in (left, right)]
    errors = [np.broadcast_to(error, value.shape) for value, error in (left, right)]
    dtype = _dtype(result)
    handed: Error = NO_ERROR
    if np.count_nonzero(left[1]):
        handed = _root_of_squares(multiply, errors[0], np.hypot(sizes[1], errors[1]), dtype)
    if np.count_nonzero(right[1]):
        handed = np.hypot(handed, _root_of_squares(multiply, sizes[0], errors[1], dtype))
    size = _finite_magnitude(result)
    scale = sum(_scale(value, error) for value, error in (left, right))
    # The bound itself is a rounded sum.
    carried = np.hypot(1.001 * handed, scale * size)
    energy = _root_of_squares(multiply, sizes[0], sizes[1], dtype)
    own = sum_error(result, energy, terms)
    if is_whole(sizes[0], sqrt(terms) * energy, result.dtype) and is_whole(sizes[1], NO_ERROR, result.dtype):
        own = where_uncertain(own, carried)
    return np.where(np.isfinite(magnitude(result)) | np.isinf(carried), carried + own, 0.0)


def _finite_magnitude(value: Array) -> Error:
    sizes = magnitude(value)
    return np.where(np.isfinite(sizes), sizes, 0.0)


def _dtype(result: Array) -> type[np.floating[Any]]:
    return np.float64 if result.dtype.itemsize >= 8 or result.dtype.kind == "c" else np.float32


def _root_of_squares(multiply: Multiply, left: Error, right: Error, dtype: type[np.floating[Any]]) -> Error:
    """The root of the sum of the squared products that `multiply` adds up, in `dtype` where its range suffices."""
    sides, scales, smallest = zip(*map(_normalized, (left, right)), strict=True)
    if prod(smallest) < _SMALLEST_IN_F32:
        dtype = np.float64
    total = multiply(*((side**2).astype(dtype) for side in sides)).astype(np.float64)
    return np.where(total >= _HUGE / 1e6, np.inf, np.sqrt(total) * prod(scales))


def _normalized(value: Error) -> tuple[Error, float, float]:
    """The numbers over a power of two, at most 1; this power; and the smallest of the numbers that are not 0.

    An infinite number becomes the root of `_HUGE`.
    """
    finite = value[np.isfinite(value) & (value != 0)]
    if not finite.size:
        return np.where(np.isfinite(value), value, np.sqrt(_HUGE)), 1.0, 1.0
    scale = 2.0 ** min(int(np.frexp(finite.max())[1]), 1023)
    return np.where(np.isfinite(value), value / scale, np.sqrt(_HUGE)), scale, float(finite.min()) / scale


def _scale(value: Array, error: Error) -> float:
    """The relative error of an operand as a whole."""
    if not np.count_nonzero(error):
        return 0.0
    sizes = magnitude(value)
    full = np.broadcast_to(error, value.shape)
    known = np.isfinite(sizes) & np.isfinite(full)
    weight = float(np.sum(sizes[known] ** 2))
    return float(np.sqrt(np.sum(full[known] ** 2) / weight)) if weight else 0.0


def order_bounds(key: Array, error: Error, axis: int) -> tuple[Error, Error]:
    """The errors of sorted elements, and for values sorted along with them whether others may take their position.

    `error` is sorted with the elements. The first is the greatest error of the row; the second is infinite where
    another key of the row is as close as the errors of both.
    """
    full = np.broadcast_to(error, key.shape)
    worst = np.broadcast_to(full.max(axis=axis, keepdims=True, initial=0.0), key.shape)
    size = np.moveaxis(key.astype(np.float64), axis, -1)
    reach = np.moveaxis(full, axis, -1)
    with np.errstate(all="ignore"):
        low, high = size - reach, size + reach
    mixed = _meet_earlier(low, high) | _meet_earlier(low[..., ::-1], high[..., ::-1])[..., ::-1]
    return worst, np.moveaxis(np.where(mixed, np.inf, 0.0), -1, axis)


def _meet_earlier(low: Error, high: Error) -> NDArray[np.bool_]:
    """Whether intervals, in the order of their middles, meet an earlier one of the row; NaN meets its neighbours."""
    meet = np.zeros(low.shape, np.bool_)
    above = np.fmax.accumulate(high, axis=-1)[..., :-1] < low[..., 1:]
    below = np.fmin.accumulate(low, axis=-1)[..., :-1] > high[..., 1:]
    meet[..., 1:] = ~(above | below)
    return meet
