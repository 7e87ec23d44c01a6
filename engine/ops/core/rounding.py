"""Bounds of rounding errors: unit roundoffs, single results, and sums.

Source: N. J. Higham, Accuracy and Stability of Numerical Algorithms, sections 2.2, 3.1 and 4.2; for sums of many terms
the probabilistic bound of Higham and Mary, A New Approach to Probabilistic Rounding Error Analysis, SIAM J. Sci. Comput. 41.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from math import log2, sqrt
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from ...ir.element_types import ElementType
from ...ir.types import TensorType, Type
from .devices import TF32
from .ranks import is_inexact
from .values import is_tuple, tuple_of

Array = NDArray[Any]
Error = NDArray[np.float64]
"""The error bound of each element of a value, in an array that broadcasts to its shape; for a tuple, an array of these.

NaN: unknown. Infinite: any number is acceptable.
"""
Errors = tuple[Error, ...]

NO_ERROR: Error = np.zeros(())
UNKNOWN: Error = np.full((), np.nan)
ANYTHING: Error = np.full((), np.inf)

_MAKES_TF32: ContextVar[bool] = ContextVar("_MAKES_TF32", default=False)
_ARE_TYPICAL: ContextVar[bool] = ContextVar("_ARE_TYPICAL", default=False)
IN_SEQUENCE = 512
"""Maximum number of terms that engines add one after the other; beyond it they add the sums of blocks or of lanes."""
USUAL = 3.0
"""Ratio of the maximum error of functions and their usual one."""
CONFIDENCE = 6.0
"""Standard deviations of the probabilistic bound, which independent roundings hardly ever exceed."""


def unit_roundoff(dtype: np.dtype[Any]) -> float:
    """The maximum relative error of one rounding: 2^-24 for f32, that of its parts for a complex type, 0 for integers.

    While `units_of` is open it is that of tf32 for f32, where an op computes tf32.
    """
    return TF32 if _MAKES_TF32.get() and dtype == np.float32 else _unit_roundoff(dtype)


def element_roundoff(element_type: ElementType) -> float:
    """`unit_roundoff` of an element type, tf32 among them."""
    return TF32 if element_type.name == "tf32" else _unit_roundoff(element_type.dtype)


@contextmanager
def units_of(results: Iterable[Type]) -> Iterator[None]:
    """Let error bounds be those of an op with results of these types: NumPy has no type for tf32."""
    is_tf32 = any(isinstance(found, TensorType) and found.element_type.name == "tf32" for found in results)
    token = _MAKES_TF32.set(is_tf32)
    try:
        yield
    finally:
        _MAKES_TF32.reset(token)


@cache
def _unit_roundoff(dtype: np.dtype[Any]) -> float:
    if not is_inexact(dtype):
        return 0.0
    part = np.zeros((), dtype).real.dtype if dtype.kind == "c" else dtype
    return float(ml_dtypes.finfo(part).eps) / 2


@cache
def denormal_limit(dtype: np.dtype[Any]) -> float:
    """The smallest normal number of the type; below it processors may flush to 0 or keep fewer bits."""
    if not is_inexact(dtype):
        return 0.0
    part = np.zeros((), dtype).real.dtype if dtype.kind == "c" else dtype
    return float(ml_dtypes.finfo(part).smallest_normal)


def magnitude(value: Array) -> Error:
    """The absolute values, as f64."""
    if value.dtype.kind in "fc":
        return np.abs(value).astype(np.float64)
    return np.abs(value.astype(np.float64))


def given_error(value: Array) -> Error:
    """The error of a value that nothing has rounded: 0, except for denormals, which a device may flush."""
    if is_tuple(value):
        return tuple_of([given_error(part) for part in value.tolist()])
    limit = denormal_limit(value.dtype)
    if limit == 0 or limit > 1e-30 or not value.size:
        return NO_ERROR
    sizes = magnitude(value)
    tiny = (sizes > 0) & (sizes < limit)
    return np.where(tiny, sizes, 0.0) if tiny.any() else NO_ERROR


def rounded_error(value: Array) -> Error:
    """Maximum rounding error of a value relative to one that was not rounded to its type."""
    if is_tuple(value):
        return tuple_of([rounded_error(part) for part in value.tolist()])
    unit = unit_roundoff(value.dtype)
    return np.where(np.isfinite(magnitude(value)), unit * magnitude(value), 0.0) if unit else NO_ERROR


def rounding_error(
    value: Array, exact: Array, carried: Error, roundings: float, *, is_correct: bool
) -> Error:
    """The maximum rounding errors of `value` and of another implementation's result, together.

    `exact` is the result without rounding, and `carried` how far that of the other's operands may be from it. The other
    result may be `roundings` unit roundoffs away from its own exact one, or equal to `value` if `is_correct`, `value` is
    exact and `carried` is 0. Both overflow in the same elements.
    """
    unit = unit_roundoff(value.dtype)
    if not unit:
        return NO_ERROR
    if exact.dtype == np.bool_:
        exact = exact.astype(np.float64)
    if are_typical():
        roundings = max(min(roundings, 1.0), roundings / USUAL)
    own = np.abs(value.astype(exact.dtype) - exact).astype(np.float64)
    size = magnitude(value)
    found = own + roundings * unit * (size + carried)
    if is_correct:
        # In f64 no wider type shows whether the result is exact; whole numbers are.
        is_shown = unit > unit_roundoff(np.dtype(np.float64)) or (size == np.rint(size))
        found = np.where((own == 0) & (carried == 0) & is_shown, 0.0, found)
    limit = denormal_limit(value.dtype)
    found = np.where((size < limit) & ((exact != 0) | (carried != 0)), found + limit, found)
    return np.where(np.isfinite(size), found, 0.0)


def sum_error(result: Array, energy: Error, terms: float, in_turn: float = 0.0) -> Error:
    """The maximum difference of two sums of the same `terms` in any two orders.

    `energy` bounds the distance of partial sums from 0, besides the sum itself: the root of the sum of the terms'
    squares, if their order is unknown. Sums of small floats accumulate in f32 at least, and round to the small type at
    the nodes of a tree; or they are rounded to it on the way, where a term passes `in_turn` roundings: those of a
    sequence, or of blocks (`in_blocks`).
    """
    unit = unit_roundoff(result.dtype)
    if not unit or terms <= 0:
        return NO_ERROR
    accumulated = min(unit, 2.0**-24)
    size = magnitude(result)
    size = np.where(np.isfinite(size), size, 0.0)
    in_turn = min(in_turn, terms) if terms > 1 and unit > accumulated else 0.0
    # A rounding is uniform in its unit, with a standard deviation of 1 / sqrt(3), and there are two sums. Terms of one
    # sign also bias the roundings in one direction; terms of different signs do not.
    usual = CONFIDENCE * sqrt(2 / 3) * np.sqrt(terms) * (size + energy) + terms * size
    levels = 1 + (log2(max(terms, 1)) if unit > accumulated else 0)
    rounded = 2 * levels * size
    if in_turn:
        # One sum is rounded on the way, where partial sums are half as large, in the mean of their squares; a sequence
        # is biased, until it does not grow any more.
        rounded = 2 * size + CONFIDENCE * sqrt(in_turn / 6) * (size + energy)
        rounded = rounded + (terms * size if in_turn == terms else 0.0)
    if are_typical():
        # Of one sum; partial sums grow evenly, the last of them to the result, and roundings at the nodes of a tree are
        # independent.
        terms = min(terms, max(IN_SEQUENCE, 2 * sqrt(terms)))
        usual = np.sqrt(terms) * np.hypot(size / sqrt(3), energy / sqrt(2))
        rounded = sqrt(levels) * size if unit > accumulated else np.zeros(())
        if in_turn:
            rounded = np.hypot(size / sqrt(3), sqrt(in_turn) * np.hypot(size / 3, energy / sqrt(6)))
    found = accumulated * np.minimum(2 * terms**1.5 * (size + energy), usual)
    limit = denormal_limit(result.dtype)
    return np.asarray(found) + unit * rounded + np.where((energy > 0) & (size < limit), limit, 0.0)


def in_blocks(terms: float) -> float:
    """How many additions a term passes where blocks of 32 are added in turn, and then their sums, as in XLA's reductions."""
    return 32 * log2(max(terms, 2)) / 5


def product_error(result: Array, product: Error, factors: float) -> Error:
    """The maximum difference of two products of the same `factors` in any two orders; `product` is that of their sizes.

    Each multiplication rounds once, in its result's type at worst.
    """
    count = sqrt(factors) if are_typical() else 2 * factors
    found = np.asarray(count * unit_roundoff(result.dtype) * product)
    limit = denormal_limit(result.dtype)
    return np.where((product > 0) & (product < limit), found + limit, found)


def is_whole(sizes: Error, spread: Error, dtype: np.dtype[Any]) -> bool:
    """Whether terms of these magnitudes, whose sums are at most `spread`, have whole sums that the type represents."""
    largest = float(np.max(spread, initial=0.0))
    return largest < 1 / unit_roundoff(dtype) and bool((sizes == np.rint(sizes)).all())


def where_uncertain(own: Error, carried: Error) -> Error:
    """The rounding errors of sums that are exact where their terms are certain."""
    return np.where(carried == 0, 0.0, own)


@contextmanager
def typical_errors() -> Iterator[None]:
    """Let bounds be the error that an op usually has, not one that it hardly ever exceeds."""
    token = _ARE_TYPICAL.set(True)
    try:
        yield
    finally:
        _ARE_TYPICAL.reset(token)


def are_typical() -> bool:
    """Whether bounds are to be usual errors."""
    return _ARE_TYPICAL.get()


def carried_sum(error: Error, value: Error, axes: tuple[int, ...], total: Error) -> Error:
    """The error of a sum along `axes` whose terms, of magnitudes `value`, have the errors `error`.

    Roundings of different elements are independent: their squares add up. Errors that elements share are an error of
    the scale, which the sum `total` has too, or a repeated one.
    """
    shared = tuple(axis for axis in axes if error.strides[axis] == 0 and error.shape[axis] > 1)
    times_shared = float(np.prod([error.shape[axis] for axis in shared], dtype=np.float64))
    linear = error.sum(axis=axes)
    squares = (error[_first(error.ndim, shared)] ** 2).sum(axis=axes)
    with np.errstate(all="ignore"):
        scale = np.sqrt((error**2).sum(axis=axes) / (value**2).sum(axis=axes)) * np.abs(total)
    scale = np.where(np.isnan(scale) & ~np.isnan(linear), 0.0, scale)
    return np.asarray(np.minimum(linear, np.hypot(times_shared * np.sqrt(squares), scale)))


def _first(rank: int, axes: tuple[int, ...]) -> tuple[slice, ...]:
    return tuple(slice(0, 1) if axis in axes else slice(None) for axis in range(rank))


def is_exact(errors: Errors) -> bool:
    """Whether all errors are 0, also inside tuples."""
    return not any(_is_uncertain(error) for error in errors)


def _is_uncertain(error: Error) -> bool:
    if error.dtype == object:
        return any(map(_is_uncertain, error.tolist()))
    return bool(np.count_nonzero(error))


def is_known(errors: Errors) -> bool:
    """Whether no error is unknown."""
    return not any(np.isnan(error).any() for error in errors)


def greatest(errors: Errors) -> Error:
    """The greatest of all errors, as one number; NaN if any is unknown, 0 for no errors."""
    parts = [np.max(leaf) for error in errors for leaf in _leaves(error) if leaf.size]
    return np.asarray(np.max(parts), np.float64) if parts else NO_ERROR


def _leaves(error: Error) -> list[Error]:
    if error.dtype == object:
        return [leaf for part in error.tolist() for leaf in _leaves(part)]
    return [error]


def times(size: Error, error: Error) -> Error:
    """The product; 0 where the error is 0, even for infinite sizes."""
    if not np.count_nonzero(error):
        return NO_ERROR
    with np.errstate(all="ignore"):
        return np.where(error == 0, 0.0, size * error)
