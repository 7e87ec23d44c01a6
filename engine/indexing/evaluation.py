"""The image of an index map: what it gives at points of its domain (docs/index-maps.md, "The data model").

Whatever evaluates maps does it here: on rows of indices, on all combinations of values of variables, chunk by chunk,
and with runtime variables as they are read from the operands of a run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .array_values import BoolArray, Int64Array, Values, lies_in, value_of
from .expressions import Dim, Expression, Range, Runtime
from .index_map import IndexMap, RuntimeVariable
from .interval import INT64_MAX, Interval
from .points import CHUNK, Points, span

IntArray = npt.NDArray[Any]
"""An array of any integer type, as an operand of indices holds."""
Operands = Sequence[IntArray | None]
"""The operands of an op in a run by their numbers; `None` for one that no runtime variable is read from."""

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
    """A map with the operands that its runtime variables are read from.

    All methods raise ValueError for an UNDEFINED map, and where an operand is missing that a variable is read from.
    """

    map: IndexMap
    operands: Operands = ()

    def evaluate(
        self, indices: npt.ArrayLike, ranges: npt.ArrayLike | None = None
    ) -> tuple[Int64Array, BoolArray]:
        """As the function `evaluate`, with the runtime values that the operands hold."""
        rows, values = _by_variable(self.map, indices, ranges)
        results, inside = self._at(values)
        inside = _both(_in_bounds(self.map, values), inside)
        return _matrix(results, rows), _mask(inside, rows)

    def elements(self, indices: npt.ArrayLike, cap: int = DEFAULT_CAP, work: int = DEFAULT_WORK) -> Elements:
        """Every element that belongs to any of `indices` ([rank], or [n, rank] for several), by enumeration.

        Stops, and says so, after `cap` elements, or before more than `work` candidates (index times range values).
        """
        _refuse_undefined(self.map)
        rows = _columns(np.atleast_2d(np.asarray(indices, np.int64)), len(self.map.dimensions))
        found = [np.zeros((0, len(self.map.results)), np.int64)]
        if self.map.is_known_empty:
            return Elements(found[0], True)
        values: Values = {Dim(number): column for number, column in enumerate(rows.T)}
        spans: dict[Expression, range] = {Range(k): span(each) for k, each in enumerate(self.map.ranges)}
        points = Points(spans, rows=rows[_mask(_in_bounds(self.map, values), len(rows))])
        count = 0
        for elements in self.images(points, work):
            found.append(elements)
            count += len(elements)
            if count > cap:
                return Elements(np.concatenate(found)[:cap], False)
        return Elements(np.concatenate(found), points.count <= work)

    def images(
        self,
        points: Points,
        most: int | None = None,
        beside: Sequence[Expression] = (),
        first: int = CHUNK,
    ) -> Iterator[Int64Array]:
        """What the map gives at those of the points, or of the first `most`, that satisfy its constraints.

        `points` lie within the bounds of the map's variables, and give values to those that anything depends on. Chunk
        after chunk, int64 [n, len(beside) + results]: the variables `beside`, then the results. Chunks grow from
        `first` points.
        """
        for values, count in points.chunks(most, first):
            results, inside = self._at(values)
            yield _matrix([*(values[variable] for variable in beside), *results], count, inside)

    def image(self, points: Points, beside: Sequence[Expression] = ()) -> Int64Array:
        """As `images`, all in one."""
        nothing = np.zeros((0, len(beside) + len(self.map.results)), np.int64)
        return np.concatenate([nothing, *self.images(points, beside=beside)])

    def _at(self, values: Values) -> tuple[list[Any], Any]:
        if not self.map.runtimes:
            return _results(self.map, values)
        read, known = read_runtimes(enumerate(self.map.runtimes), self.operands, values)
        results, inside = _results(self.map, {**values, **read})
        return results, _both(known, inside)


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
    rows, values = _by_variable(index_map, dims, ranges)
    read = _columns(runtimes, len(index_map.runtimes), rows)
    values |= {Runtime(number): column for number, column in enumerate(read.T)}
    results, inside = _results(index_map, values)
    return _matrix(results, rows), _mask(_both(_in_bounds(index_map, values), inside), rows)


def read_runtimes(
    variables: Iterable[tuple[int, RuntimeVariable]], operands: Operands, values: Values
) -> tuple[dict[Expression, Any], Any]:
    """The values of numbered runtime variables at n points, and whether all have one: int64 [n] and bool [n], or one
    for all points.

    `values` are those of the dimension and range variables that decide where they are read. Where a variable has no
    value, some number of its interval takes its place. Raises ValueError when an operand that is needed is missing.
    """
    found: dict[Expression, Any] = {}
    known: Any = True
    for number, variable in variables:
        read, readable = _read(variable, operands, values)
        low, high = variable.interval.lower, variable.interval.upper
        if not variable.clamped:
            known = _both(known, _both(readable, lies_in(read, variable.interval)))
        # Also when it is not clamped: the point is masked, and arithmetic on a wild value could overflow.
        found[Runtime(number)] = np.minimum(np.maximum(read, low), high)
    return found, known


def _read(variable: RuntimeVariable, operands: Operands, values: Values) -> tuple[Any, Any]:
    """The elements that are read, and whether there are such elements."""
    operand = operands[variable.operand] if variable.operand < len(operands) else None
    if operand is None:
        raise ValueError(f"operand {variable.operand} is needed for the value of a runtime variable")
    index, readable = BoundMap(variable.map, operands)._at(values)
    readable = _both(_in_bounds(variable.map, values), readable)
    if operand.size == 0:
        return 0, False
    place = []
    for coordinate, size in zip(index, operand.shape, strict=True):
        readable = _both(readable, lies_in(coordinate, Interval(0, size - 1)))
        place.append(np.minimum(np.maximum(coordinate, 0), size - 1))
    element = operand[tuple(place)]
    # uint64 has values that int64 lacks; they are beyond any tensor and saturate.
    if element.dtype == np.uint64:
        element = np.minimum(element, np.uint64(INT64_MAX))
    return element.astype(np.int64), readable


def _results(index_map: IndexMap, values: Values) -> tuple[list[Any], Any]:
    """The results, each int64 [n] or an integer, and whether the constraints hold, bool [n] or one for all points."""
    _refuse_undefined(index_map)
    if index_map.is_known_empty:
        return [0] * len(index_map.results), False
    holds: Any = True
    for expression, interval in index_map.constraints:
        holds = _both(holds, lies_in(value_of(expression, values), interval))
    for divisor in index_map.divisors:
        holds = _both(holds, value_of(divisor, values) != 0)
    return [value_of(result, values) for result in index_map.results], holds


def _refuse_undefined(index_map: IndexMap) -> None:
    if index_map.is_undefined:
        raise ValueError("an unknown map cannot be evaluated")


def _in_bounds(index_map: IndexMap, values: Values) -> Any:
    """Whether the values of variables lie within their intervals; those that have none are left out."""
    found: Any = True
    for variable, interval in index_map.bounds.items():
        if variable in values:
            found = _both(found, lies_in(values[variable], interval))
    return found


def _both(left: Any, right: Any) -> Any:
    """Whether both hold: bool [n], or one for all points."""
    return right if left is True else left if right is True else left & right


def _mask(inside: Any, rows: int) -> BoolArray:
    """Whether points are inside, for each of them."""
    return inside if getattr(inside, "ndim", 0) else np.full(rows, inside, np.bool_)


def _matrix(columns: Sequence[Any], rows: int, inside: Any = True) -> Int64Array:
    """Columns, each int64 [rows] or an integer, as int64 [n, columns] with those of the rows that are `inside`."""
    if getattr(inside, "ndim", 0):
        rows = int(np.count_nonzero(inside))
        columns = [column[inside] if getattr(column, "ndim", 0) else column for column in columns]
    elif not inside:
        return np.zeros((0, len(columns)), np.int64)
    found = np.empty((rows, len(columns)), np.int64)
    for number, column in enumerate(columns):
        found[:, number] = column
    return found


def _by_variable(
    index_map: IndexMap, dims: npt.ArrayLike, ranges: npt.ArrayLike | None
) -> tuple[int, dict[Expression, Any]]:
    """How many rows there are, and the column of each dimension and range variable."""
    _refuse_undefined(index_map)
    d = _columns(dims, len(index_map.dimensions))
    s = _columns(ranges, len(index_map.ranges), len(d))
    values: dict[Expression, Any] = {Dim(number): column for number, column in enumerate(d.T)}
    return len(d), values | {Range(number): column for number, column in enumerate(s.T)}


def _columns(values: npt.ArrayLike | None, width: int, rows: int = 0) -> Int64Array:
    """`values` as int64 [n, width]; `None` only for no variables, with so many `rows`."""
    array = np.zeros((rows, 0), np.int64) if values is None else np.asarray(values, np.int64)
    if array.ndim != 2 or array.shape[1] != width:
        raise ValueError(f"expected an array of shape [n, {width}], got {list(array.shape)}")
    return array
