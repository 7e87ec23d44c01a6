"""Evaluating index maps on whole arrays of indices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from .expressions import (
    CeilDivide,
    Constant,
    Dim,
    Expression,
    FloorDivide,
    Maximum,
    Minimum,
    Modulo,
    Product,
    QuotientBy,
    Range,
    RemainderBy,
    Runtime,
    Sum,
    variable_divisors,
)
from .index_map import IndexMap, RuntimeVariable
from .interval import INT64_MAX, Interval

Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[Any]
"""An array of any integer type, as an operand of indices holds."""

CHUNK = 1 << 16  # candidates evaluated at once: large enough to hide Python, small enough for the cache
DEFAULT_CAP = 1 << 20
DEFAULT_WORK = 1 << 24


@dataclass(frozen=True)
class Elements:
    """Elements that a map gives: `indices` is int64 [count, rank], in order of the range variables, an
    element as often as it is met. `complete` is False when the cap or the limit on work was reached before
    the end.
    """

    indices: Int64Array
    complete: bool


@dataclass(frozen=True)
class BoundMap:
    """A map with the operands that its runtime variables are read from."""

    map: IndexMap
    operands: tuple[IntArray | None, ...]

    def evaluate(
        self, indices: npt.ArrayLike, ranges: npt.ArrayLike | None = None
    ) -> tuple[Int64Array, BoolArray]:
        """As `evaluate`, with real runtime values. `indices` is [n, rank], `ranges` [n, range variables]."""
        d, s = _columns(indices, len(self.map.dimensions)), _columns(ranges, len(self.map.ranges), indices)
        values, known = runtime_values(self.map, self.operands, d, s)
        results, mask = evaluate(self.map, d, s, values)
        return results, mask & known

    def elements(self, indices: npt.ArrayLike, cap: int = DEFAULT_CAP, work: int = DEFAULT_WORK) -> Elements:
        """Every element that belongs to any of `indices` ([rank] or [n, rank])."""
        return elements_read(self.map, indices, self.operands, cap, work)


def evaluate(
    index_map: IndexMap,
    dims: npt.ArrayLike,
    ranges: npt.ArrayLike | None = None,
    runtimes: npt.ArrayLike | None = None,
) -> tuple[Int64Array, BoolArray]:
    """The results for n rows of variables: (int64 [n, results], bool [n] that says which rows are in the
    domain).

    `dims` is [n, dimensions]; `ranges` [n, range variables]; `runtimes` [n, runtime variables], already
    clamped. Rows outside the domain have results without meaning. Raises ValueError for an UNDEFINED map.
    """
    if index_map.is_undefined:
        raise ValueError("an unknown map cannot be evaluated")
    d = _columns(dims, len(index_map.dimensions))
    s = _columns(ranges, len(index_map.ranges), d)
    rt = _columns(runtimes, len(index_map.runtimes), d)
    rows = len(d)
    if index_map.is_known_empty:
        return np.zeros((rows, len(index_map.results)), np.int64), np.zeros(rows, np.bool_)
    mask = np.ones(rows, np.bool_)
    runtime_bounds = tuple(variable.interval for variable in index_map.runtimes)
    for columns, bounds in ((d, index_map.dimensions), (s, index_map.ranges), (rt, runtime_bounds)):
        for column, interval in zip(columns.T, bounds, strict=True):
            mask &= _within(column, interval)
    for expression, interval in index_map.constraints:
        mask &= _within(np.asarray(_value(expression, d, s, rt)), interval)
    stated = (*index_map.results, *(expression for expression, _ in index_map.constraints))
    for divisor in {each: None for expression in stated for each in variable_divisors(expression)}:
        mask &= np.asarray(_value(divisor, d, s, rt)) != 0
    results = np.empty((rows, len(index_map.results)), np.int64)
    for number, expression in enumerate(index_map.results):
        results[:, number] = _value(expression, d, s, rt)
    return results, mask


def elements_read(
    index_map: IndexMap,
    indices: npt.ArrayLike,
    operands: Sequence[IntArray | None] = (),
    cap: int = DEFAULT_CAP,
    work: int = DEFAULT_WORK,
) -> Elements:
    """Every element that the map gives for `indices` ([rank], or [n, rank] for several), by enumeration.

    Stops, and says so, after `cap` elements, or before more than `work` candidates (index times range
    values).
    """
    d = _columns(np.atleast_2d(np.asarray(indices, np.int64)), len(index_map.dimensions))
    bound = BoundMap(index_map, tuple(operands))
    if index_map.is_known_empty:
        return Elements(np.zeros((0, len(index_map.results)), np.int64), True)
    sizes = tuple(interval.size for interval in index_map.ranges)
    lowers = np.array([interval.lower for interval in index_map.ranges], np.int64)
    total = len(d) * prod(sizes)
    found: list[Int64Array] = [np.zeros((0, len(index_map.results)), np.int64)]
    count = 0
    for start in range(0, min(total, work), CHUNK):
        numbers = np.arange(start, min(start + CHUNK, total, work))
        row, *offsets = np.unravel_index(numbers, (len(d), *sizes))
        s = np.stack(offsets, axis=1) + lowers if sizes else np.zeros((len(numbers), 0), np.int64)
        results, mask = bound.evaluate(d[row], s)
        found.append(results[mask])
        count += len(found[-1])
        if count > cap:
            return Elements(np.concatenate(found)[:cap], False)
    return Elements(np.concatenate(found), total <= work)


def runtime_values(
    index_map: IndexMap, operands: Sequence[IntArray | None], dims: Int64Array, ranges: Int64Array
) -> tuple[Int64Array, BoolArray]:
    """The runtime variables' values for n rows: (int64 [n, variables], bool [n], False where one has no
    value).

    Raises ValueError when an operand that is needed is missing.
    """
    values = np.zeros((len(dims), len(index_map.runtimes)), np.int64)
    known = np.full(len(dims), not index_map.is_known_empty)
    if index_map.is_known_empty:
        return values, known
    for number, variable in enumerate(index_map.runtimes):
        read, readable = _read(variable, operands, dims, ranges)
        low, high = variable.interval.lower, variable.interval.upper
        if not variable.clamped:
            known &= readable & (read >= low) & (read <= high)
        # Also when it is not clamped: the row is masked, and arithmetic on a wild value could overflow.
        values[:, number] = np.clip(read, low, high)
    return values, known


def _read(
    variable: RuntimeVariable, operands: Sequence[IntArray | None], dims: Int64Array, ranges: Int64Array
) -> tuple[Int64Array, BoolArray]:
    operand = operands[variable.operand] if variable.operand < len(operands) else None
    if operand is None:
        raise ValueError(f"operand {variable.operand} is needed for the value of a runtime variable")
    own_ranges = ranges if variable.map.ranges else ranges[:, :0]
    index, readable = BoundMap(variable.map, tuple(operands)).evaluate(dims, own_ranges)
    last = np.array(operand.shape, np.int64) - 1
    readable &= np.all((index >= 0) & (index <= last), axis=1)
    if operand.size == 0:
        return np.zeros(len(dims), np.int64), np.zeros(len(dims), np.bool_)
    element = operand[tuple(np.clip(index, 0, last).T)] if operand.ndim else np.full(len(dims), operand[()])
    # uint64 has values that int64 lacks; they are beyond any tensor and saturate.
    if element.dtype == np.uint64:
        element = np.minimum(element, np.uint64(INT64_MAX))
    return element.astype(np.int64), readable


def _value(expression: Expression, d: Int64Array, s: Int64Array, rt: Int64Array) -> Any:
    """An int64 array [n], or a Python int for what does not depend on the row."""
    match expression:
        case Constant(value):
            return value
        case Dim(number):
            return d[:, number]
        case Range(number):
            return s[:, number]
        case Runtime(number):
            return rt[:, number]
        case Sum(terms):
            return sum(_value(term, d, s, rt) for term in terms)
        case Product(factors):
            return prod(_value(factor, d, s, rt) for factor in factors)
        case FloorDivide(dividend, divisor):
            return _value(dividend, d, s, rt) // divisor
        case CeilDivide(dividend, divisor):
            return -(-_value(dividend, d, s, rt) // divisor)
        case Modulo(dividend, divisor):
            return _value(dividend, d, s, rt) % abs(divisor)
        case QuotientBy(dividend, by):
            return _value(dividend, d, s, rt) // or_one(_value(by, d, s, rt))
        case RemainderBy(dividend, by):
            return _value(dividend, d, s, rt) % or_one(abs(_value(by, d, s, rt)))
        case Minimum(left, right):
            return np.minimum(_value(left, d, s, rt), _value(right, d, s, rt))
        case Maximum(left, right):
            return np.maximum(_value(left, d, s, rt), _value(right, d, s, rt))
    raise TypeError(f"not an expression: {expression!r}")


def or_one(divisor: Any) -> Any:
    """A divisor with 1 in the place of 0, which divides nothing."""
    return np.where(np.asarray(divisor) == 0, 1, divisor)


def _within(values: Int64Array, interval: Interval) -> BoolArray:
    return (values >= interval.lower) & (values <= interval.upper)


def _columns(values: npt.ArrayLike | None, width: int, like: npt.ArrayLike | None = None) -> Int64Array:
    """`values` as int64 [n, width]; None only for no variables, with as many rows as `like`."""
    if values is None:
        values = np.zeros((len(np.asarray(like)), 0), np.int64)
    array = np.asarray(values, np.int64)
    if array.ndim != 2 or array.shape[1] != width:
        raise ValueError(f"expected an array of shape [n, {width}], got {list(array.shape)}")
    return array
