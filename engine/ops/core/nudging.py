"""Propagation of errors by perturbing operands, for any elementwise function and any op."""

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

from .ranks import is_inexact
from .rounding import NO_ERROR, UNKNOWN, Array, Error, Errors, are_typical, magnitude, unit_roundoff

Compute = Callable[..., Any]
SAFETY = 8.0
"""Factor between the effect of random perturbations and the bound of the worst."""
USUAL_SAFETY = 2.0
"""The same of the usual error."""
_DRAWS = 4
_DRAWS_OF_FEW = 32
"""Draws where operands have few elements: their signs are often alike, and may cancel."""
_FEW = 256


def widest(value: Array) -> Array:
    """The same numbers in the widest type that NumPy supports everywhere; Booleans and longer floats unchanged."""
    if value.dtype.kind == "b" or value.dtype == np.longdouble:
        return value
    return value.astype(np.complex128 if value.dtype.kind == "c" else np.float64)


def moved_apart(function: Compute, operands: Sequence[Array], errors: Errors, middle: Array) -> Error:
    """Distances from `middle`, the function's results on `operands`, with operands shifted by their errors either way.

    All combinations of shifts are tried, which is exact for a function that is monotonic in each operand. A function that
    jumps at a tie, such as `floor`, jumps where its operand is closer to the tie than its error. The distance is infinite
    where only one side is NaN.
    """
    if not any(map(np.count_nonzero, errors)):
        return NO_ERROR
    worst = np.zeros(np.shape(middle))
    for corner in product(*map(_corners, operands, errors)):
        worst = np.maximum(worst, _apart(np.asarray(function(*corner)), middle))
    unknown = np.zeros((), np.bool_)
    for error in errors:
        unknown = unknown | np.isnan(error)
    return np.asarray(np.where(unknown, np.nan, worst))


def _corners(operand: Array, error: Error) -> list[Array]:
    if not np.count_nonzero(error):
        return [operand]
    if operand.dtype.kind == "b":
        return [operand, operand ^ (error > 0)]
    steps = [1, -1] if operand.dtype.kind != "c" else [1, -1, 1j, -1j]
    return [np.asarray(operand + step * error) for step in steps]


def _apart(one: Array, other: Array) -> Error:
    if one.dtype.kind == "b":
        return np.asarray(one != other, np.float64)
    one, other = widest(one), widest(other)
    found = np.abs(one - other)
    found = np.where((one == other) | (np.isnan(one) & np.isnan(other)), 0.0, found)
    return np.where(np.isnan(found), np.inf, found).astype(np.float64)


def shaken(evaluate: Compute, operands: Sequence[Array], errors: Errors, results: Sequence[Array]) -> Errors:
    """Error bounds of an op from runs with operands shifted randomly by their errors and by a rounding.

    The bound is the same for all elements of a matrix of a result. It is unknown if operands other than floats are
    uncertain.
    """
    for operand, error in zip(operands, errors, strict=True):
        if not is_inexact(operand.dtype) and np.count_nonzero(error):
            return (UNKNOWN,) * len(results)
    random = np.random.default_rng(0)
    worst: list[Error] = [np.zeros(result.shape) for result in results]
    is_small = sum(operand.size for operand in operands) <= _FEW
    for _ in range(_DRAWS_OF_FEW if is_small else _DRAWS):
        found = evaluate(*(_shifted(*pair, random) for pair in zip(operands, errors, strict=True)))
        if not isinstance(found, tuple | np.ndarray):
            return (UNKNOWN,) * len(results)
        for number, made in enumerate(found if isinstance(found, tuple) else (found,)):
            worst[number] = np.maximum(worst[number], _apart(widest(made), widest(results[number])))
    return tuple(_spread(*pair) for pair in zip(worst, results, strict=True))


def _shifted(operand: Array, error: Error, random: np.random.Generator) -> Array:
    if not is_inexact(operand.dtype):
        return operand
    wide = widest(operand)
    size = np.maximum(error, 2 * unit_roundoff(operand.dtype) * magnitude(operand))
    # An infinity, such as the padding under a maximum, has no number beside it.
    size = np.where(np.isfinite(wide), size, 0.0)
    signs = random.choice([-1.0, 1.0], operand.shape)
    return np.asarray(wide + signs * size).astype(operand.dtype)


def _spread(worst: Error, result: Array) -> Error:
    if not worst.size:
        return worst
    axes = tuple(range(max(0, worst.ndim - 2), worst.ndim))
    if are_typical() and worst.size:
        means = [np.sqrt((size**2).mean(axis=axes, keepdims=True)) for size in (worst, magnitude(result))]
        return np.asarray(USUAL_SAFETY * means[0] + unit_roundoff(result.dtype) * means[1])
    found = worst.max(axis=axes, keepdims=True, initial=0.0)
    size = magnitude(result).max(axis=axes, keepdims=True, initial=0.0)
    return np.asarray(SAFETY * found) + 4 * unit_roundoff(result.dtype) * np.where(
        np.isfinite(size), size, 0.0
    )
