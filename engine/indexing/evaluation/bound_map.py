"""Evaluate index maps at points of their domain (docs/index-maps.md, "The data model").

All evaluation happens here: on rows of indices, or on all combinations of variable values in chunks, with
runtime variables read from the operands of a run.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.expressions import Dim, Expression, Range, Runtime
from ..core.index_map import IndexMap, RuntimeVariable
from ..core.interval import INT64_MAX, Interval
from .array_values import BoolArray, Int64Array, Values, lies_in, value_of
from .points import CHUNK, Points, span

IntArray = npt.NDArray[Any]
"""An integer array of any dtype, such as an operand of indices."""
Operands = Sequence[IntArray | None]
"""The operands of an op in a run, by number; `None` for one that no runtime variable reads."""

DEFAULT_CAP = 1 << 20
DEFAULT_WORK = 1 << 24


@dataclass(frozen=True)
class Elements:
    """Elements enumerated from a map.

    `indices` is int64 [count, rank], in order of the range variables, with repetitions. `complete` is False
    if the cap or the work limit was reached.
    """

    indices: Int64Array
    complete: bool


@dataclass(frozen=True)
class BoundMap:
    """A map with the operands that its runtime variables read.

    All methods raise ValueError for an UNDEFINED map, and if a required operand is missing.
    """

    map: IndexMap
    operands: Operands = ()

    def evaluate(
        self, indices: npt.ArrayLike, ranges: npt.ArrayLike | None = None
    ) -> tuple[Int64Array, BoolArray]:
        """As the function `evaluate`, with runtime values read from the operands."""
        rows, values = _by_variable(self.map, indices, ranges)
        results, inside = self._at(values)
        inside = _both(_in_bounds(self.map, values), inside)
        return _matrix(results, rows), _mask(inside, rows)

    def elements(self, indices: npt.ArrayLike, cap: int = DEFAULT_CAP, work: int = DEFAULT_WORK) -> Elements:
        """Enumerate the elements that belong to any of `indices` ([rank], or [n, rank]).

        Stops after `cap` elements, or before more than `work` candidates (index times range values).
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
        self, points: Points, most: int | None = None, beside: Sequence[Expression] = (), first: int = CHUNK
    ) -> Iterator[Int64Array]:
        """Yield the results at those of the first `most` points that satisfy the constraints.

        `points` lie within the bounds of the map's variables and include every variable that results or
        constraints use. Each chunk is int64 [n, len(beside) + results]: the variables `beside`, then the
        results. Chunks grow from `first` points.
        """
        for values, count in points.chunks(most, first):
            results, inside = self._at(values)
            yield _matrix([*(values[variable] for variable in beside), *results], count, inside)

    def image(self, points: Points, beside: Sequence[Expression] = ()) -> Int64Array:
        """As `images`, concatenated."""
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
    """Evaluate n rows: results int64 [n, results], and whether each row is in the domain, bool [n].

    `dims` is [n, dimensions]; `ranges` [n, range variables]; `runtimes` [n, runtime variables], already
    clamped. Results of rows outside the domain are meaningless. Raises ValueError for an UNDEFINED map.
    """
    rows, values = _by_variable(index_map, dims, ranges)
    read = _columns(runtimes, len(index_map.runtimes), rows)
    values |= {Runtime(number): column for number, column in enumerate(read.T)}
    results, inside = _results(index_map, values)
    return _matrix(results, rows), _mask(_both(_in_bounds(index_map, values), inside), rows)


def read_runtimes(
    variables: Iterable[tuple[int, RuntimeVariable]], operands: Operands, values: Values
) -> tuple[dict[Expression, Any], Any]:
    """Values of numbered runtime variables at n points, and whether all are in the domain.

    Both are arrays [n], int64 and bool, or single values for all points. `values` are those of the dimension
    and range variables that determine the elements read. A variable outside the domain gets some number of
    its interval. Raises ValueError if a required operand is missing.
    """
    found: dict[Expression, Any] = {}
    known: Any = True
    for number, variable in variables:
        read, readable = _read(variable, operands, values)
        low, high = variable.interval.lower, variable.interval.upper
        if not variable.clamped:
            known = _both(known, _both(readable, lies_in(read, variable.interval)))
        # Unclamped variables too: the point is masked, and arithmetic on a wild value could overflow.
        found[Runtime(number)] = np.minimum(np.maximum(read, low), high)
    return found, known


def _read(variable: RuntimeVariable, operands: Operands, values: Values) -> tuple[Any, Any]:
    """The elements read, and whether they exist."""
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
    # Values of uint64 beyond int64 exceed any tensor: saturate them.
    if element.dtype == np.uint64:
        element = np.minimum(element, np.uint64(INT64_MAX))
    return element.astype(np.int64), readable


def _results(index_map: IndexMap, values: Values) -> tuple[list[Any], Any]:
    """The results, each int64 [n] or an integer, and whether all constraints hold, bool [n] or one."""
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
    """Whether the given variables lie within their intervals."""
    found: Any = True
    for variable, interval in index_map.bounds.items():
        if variable in values:
            found = _both(found, lies_in(values[variable], interval))
    return found


def _both(left: Any, right: Any) -> Any:
    """The conjunction: bool [n], or one for all points."""
    return right if left is True else left if right is True else left & right


def _mask(inside: Any, rows: int) -> BoolArray:
    """The mask as bool [rows]."""
    return inside if getattr(inside, "ndim", 0) else np.full(rows, inside, np.bool_)


def _matrix(columns: Sequence[Any], rows: int, inside: Any = True) -> Int64Array:
    """Stack columns, each int64 [rows] or an integer, into int64 [n, columns], keeping the rows `inside`."""
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
    """Number of rows, and the column of each dimension and range variable."""
    _refuse_undefined(index_map)
    d = _columns(dims, len(index_map.dimensions))
    s = _columns(ranges, len(index_map.ranges), len(d))
    values: dict[Expression, Any] = {Dim(number): column for number, column in enumerate(d.T)}
    return len(d), values | {Range(number): column for number, column in enumerate(s.T)}


def _columns(values: npt.ArrayLike | None, width: int, rows: int = 0) -> Int64Array:
    """`values` as int64 [n, width]; `None` stands for `rows` rows without variables."""
    array = np.zeros((rows, 0), np.int64) if values is None else np.asarray(values, np.int64)
    if array.ndim != 2 or array.shape[1] != width:
        raise ValueError(f"expected an array of shape [n, {width}], got {list(array.shape)}")
    return array
