"""How far rounding may take a number: unit roundoffs, and the bounds of single results and of sums.

Source: N. J. Higham, Accuracy and Stability of Numerical Algorithms, sections 2.2, 3.1 and 4.2; for sums of many terms
the probabilistic bound of Higham and Mary, A New Approach to Probabilistic Rounding Error Analysis, SIAM J. Sci. Comput. 41.
"""

from __future__ import annotations

from functools import cache
from math import log2, sqrt
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from .ranks import is_inexact

Array = NDArray[Any]
Error = NDArray[np.float64]
"""How far the elements of a value may be away, in an array that broadcasts to its shape; of a tuple an array of such.

NaN: nothing is known. Infinite: any number is right.
"""
Errors = tuple[Error, ...]

NO_ERROR: Error = np.zeros(())
UNKNOWN: Error = np.full((), np.nan)
ANYTHING: Error = np.full((), np.inf)

CONFIDENCE = 6.0
"""Of the probabilistic bound, in standard deviations: errors of independent roundings hardly ever exceed it."""


@cache
def unit_roundoff(dtype: np.dtype[Any]) -> float:
    """The greatest relative error of one rounding: 2^-24 of f32; of a complex type that of its parts; 0 of integers."""
    if not is_inexact(dtype):
        return 0.0
    part = np.zeros((), dtype).real.dtype if dtype.kind == "c" else dtype
    return float(ml_dtypes.finfo(part).eps) / 2


@cache
def denormal_limit(dtype: np.dtype[Any]) -> float:
    """Below it numbers of the type are denormals, which processors may take for 0, or have fewer bits."""
    if not is_inexact(dtype):
        return 0.0
    part = np.zeros((), dtype).real.dtype if dtype.kind == "c" else dtype
    return float(ml_dtypes.finfo(part).smallest_normal)


def magnitude(value: Array) -> Error:
    """The absolute values, as f64."""
    if value.dtype.kind in "fc":
        return np.abs(value).astype(np.float64)
    return np.abs(value.astype(np.float64))


def rounding_error(value: Array, exact: Array, roundings: float, *, is_correct: bool) -> Error:
    """How far a result `value` may be from that of another implementation; `exact` is what it would be without rounding.

    The other one may be `roundings` unit roundoffs away from `exact`, or none where `is_correct` and `value` is exact.
    An overflow is one for both.
    """
    unit = unit_roundoff(value.dtype)
    if not unit:
        return NO_ERROR
    if exact.dtype == np.bool_:
        exact = exact.astype(np.float64)
    own = np.abs(value.astype(exact.dtype) - exact).astype(np.float64)
    size = magnitude(value)
    found = own + roundings * unit * size
    if is_correct:
        found = np.where(own == 0, 0.0, found)
    limit = denormal_limit(value.dtype)
    found = np.where((size < limit) & (exact != 0), found + limit, found)
    return np.where(np.isfinite(size), found, 0.0)


def sum_error(result: Array, energy: Error, terms: float) -> Error:
    """How far two sums of the same `terms` may be apart that are added in any two orders.

    `energy` is how far partial sums may lie from 0, beside what the sum itself is: the root of the sum of the terms'
    squares, if nothing is known of their order. Sums of small floats are accumulated in f32 at least, with roundings to
    the small type at the nodes of a tree.
    """
    unit = unit_roundoff(result.dtype)
    if not unit or terms <= 0:
        return NO_ERROR
    accumulated = min(unit, 2.0**-24)
    size = magnitude(result)
    size = np.where(np.isfinite(size), size, 0.0)
    # A rounding is anywhere in its unit, of which the standard deviation is 1 / sqrt(3); there are two sums. Terms of one
    # sign push the roundings one way besides, as those of different signs do not.
    usual = CONFIDENCE * sqrt(2 / 3) * np.sqrt(terms) * (size + energy) + terms * size
    found = accumulated * np.minimum(2 * terms**1.5 * (size + energy), usual)
    levels = 1 + (log2(max(terms, 1)) if unit > accumulated else 0)
    limit = denormal_limit(result.dtype)
    return np.asarray(found) + 2 * levels * unit * size + np.where((energy > 0) & (size < limit), limit, 0.0)


def carried_sum(error: Error, value: Error, axes: tuple[int, ...], total: Error) -> Error:
    """How far a sum along `axes` may be away whose terms, of magnitudes `value`, may be by `error`.

    Roundings of different elements have nothing to do with each other: their squares add up. What elements have in
    common is an error of the scale, which the sum `total` has too, or one that is repeated.
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
    """Whether none of the values may be any other; also of tuples."""
    return not any(_is_uncertain(error) for error in errors)


def _is_uncertain(error: Error) -> bool:
    if error.dtype == object:
        return any(map(_is_uncertain, error.tolist()))
    return bool(np.count_nonzero(error))


def is_known(errors: Errors) -> bool:
    """Whether something is known of all elements."""
    return not any(np.isnan(error).any() for error in errors)


def greatest(errors: Errors) -> Error:
    """The greatest of all, as one number, NaN before all else; 0 of none."""
    parts = [np.max(leaf) for error in errors for leaf in _leaves(error) if leaf.size]
    return np.asarray(np.max(parts), np.float64) if parts else NO_ERROR


def _leaves(error: Error) -> list[Error]:
    if error.dtype == object:
        return [leaf for part in error.tolist() for leaf in _leaves(part)]
    return [error]


def times(size: Error, error: Error) -> Error:
    """The product; 0 where there is no error, also of infinite sizes."""
    if not np.count_nonzero(error):
        return NO_ERROR
    with np.errstate(all="ignore"):
        return np.where(error == 0, 0.0, size * error)
