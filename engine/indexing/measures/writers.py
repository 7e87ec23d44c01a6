"""Statistics of a run's indices: starts out of bounds, dropped updates, elements written repeatedly."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from math import prod

import numpy as np

from ..core.expressions import Dim, Expression, Runtime, split_coefficient, terms_of
from ..core.index_map import IndexMap, OperandMap, RuntimeVariable
from ..core.interval import Interval
from ..evaluation.array_values import Int64Array
from ..evaluation.bound_map import BoundMap, Operands
from ..evaluation.factors import Factor, bind_scalars, deciding_variables, factors_of
from ..evaluation.points import Points, span
from .tallies import MANY

Index = tuple[int, ...]
MAX_EXAMPLES = 8


@dataclass(frozen=True)
class Starts:
    """Values of one runtime variable in a run: starts of windows in a dimension of a tensor."""

    operand: int
    """Number of the operand that holds the values."""
    of_result: bool
    """Whether the windows are in a result (scatter, dynamic_update_slice), not in an operand."""
    of: int
    """Number of that result or operand."""
    dimension: int
    interval: Interval
    clamped: bool
    count: int
    below: int
    above: int
    examples: tuple[tuple[Index, int], ...]
    """Examples out of bounds: the index in the operand, and the value."""
    complete: bool = True
    """Whether all values were counted."""


@dataclass(frozen=True)
class Writers:
    """Statistics of the writes of a scatter in a run."""

    operand: int
    result: int
    updates: int
    written: int
    """Number of distinct elements written."""
    several: int
    """Number of elements written more than once."""
    dropped: int
    """Number of updates outside the result, which are dropped."""
    most: int
    """Maximum number of updates of one element."""
    examples: tuple[tuple[Index, tuple[Index, ...]], ...]
    """Examples of elements written more than once, with some of their updates."""


def starts(maps: Iterable[OperandMap], values: Operands) -> tuple[Starts, ...]:
    """Statistics of the starts that maps read from the operands of a run, without duplicates."""
    found: dict[tuple[object, ...], Starts] = {}
    for item in maps:
        if item.map.is_undefined or item.map.is_known_empty:
            continue
        for number, variable in enumerate(item.map.runtimes):
            moved = _offset_target(item, number)
            key = (variable.operand, moved, variable.interval, variable.clamped)
            held = values[variable.operand] if variable.operand < len(values) else None
            if moved is not None and held is not None and key not in found:
                found[key] = _starts(item.map, variable, moved, values)
    return tuple(found.values())


def writers(inverse: Iterable[OperandMap], values: Operands) -> tuple[Writers, ...]:
    """Statistics of the writes by maps from updates to positions that depend on the run."""
    return tuple(
        _writers(item, values)
        for item in inverse
        if _is_scattering(item.map) and _small(bind_scalars(item.map, values))
    )


def _is_scattering(index_map: IndexMap) -> bool:
    if index_map.is_undefined or index_map.is_known_empty or index_map.ranges:
        return False
    return any(not variable.clamped for variable in index_map.runtimes)


def _small(index_map: IndexMap) -> bool:
    return index_map.is_known_empty or all(factor.candidates <= MANY for factor in factors_of(index_map))


# Starts


_OffsetTarget = tuple[bool, int, int]
"""Whether it is a result, its number, and the dimension."""


def _offset_target(item: OperandMap, number: int) -> _OffsetTarget | None:
    """The tensor that a runtime variable offsets: the operand if added, the result if subtracted."""
    for k, result in enumerate(item.map.results):
        factor, dimension = _part_in(result, number)
        if factor > 0:
            return False, item.operand, k
        if factor < 0 and dimension is not None:
            return True, item.result, dimension
    for expression, _ in item.map.constraints:
        factor, dimension = _part_in(expression, number)
        if factor and dimension is not None:
            return True, item.result, dimension
    return None


def _part_in(expression: Expression, number: int) -> tuple[int, int | None]:
    """The factor of a runtime variable in a sum, and the dimension variable of the sum."""
    factor, dimension = 0, None
    for term in terms_of(expression):
        variable, own = split_coefficient(term)
        if variable == Runtime(number):
            factor = own
        elif isinstance(variable, Dim):
            dimension = variable.number
    return factor, dimension


def _starts(index_map: IndexMap, variable: RuntimeVariable, moved: _OffsetTarget, values: Operands) -> Starts:
    held = values[variable.operand]
    assert held is not None
    places, complete = _places_read(index_map, variable, values)
    read = held[tuple(places.T)].astype(np.int64) if held.ndim else np.atleast_1d(held).astype(np.int64)
    below, above = read < variable.interval.lower, read > variable.interval.upper
    outside = np.flatnonzero(below | above)[:MAX_EXAMPLES]
    examples = tuple((tuple(places[at].tolist()), int(read[at])) for at in outside)
    counts = len(read), int(below.sum()), int(above.sum())
    return Starts(variable.operand, *moved, variable.interval, variable.clamped, *counts, examples, complete)


def _places_read(index_map: IndexMap, variable: RuntimeVariable, values: Operands) -> tuple[Int64Array, bool]:
    """The distinct positions that a variable reads in its operand, and whether these are all."""
    place = replace(variable.map, dimensions=index_map.dimensions)
    points = Points({each: span(place.bounds[each]) for each in deciding_variables(variable)})
    if points.count > MANY:
        return np.zeros((0, len(place.results)), np.int64), False
    return np.unique(BoundMap(place, values).image(points), axis=0), True


# Writers


@dataclass(frozen=True)
class _Written:
    """The writes by one factor of the map from updates: `often[k]` updates write `elements[k]`."""

    factor: Factor
    dims: Int64Array
    elements: Int64Array
    often: Int64Array
    which: Int64Array
    """For each row of `dims`, the number of the element that it writes."""

    def updates_of(self, element: int) -> list[list[int]]:
        """The factor's coordinates of the updates that write an element."""
        return [row.tolist() for row in self.dims[self.which == element][:MAX_EXAMPLES]]


def _writers(item: OperandMap, values: Operands) -> Writers:
    here = bind_scalars(item.map, values)
    updates = prod(interval.size for interval in item.map.dimensions)
    if here.is_known_empty:
        return Writers(item.operand, item.result, updates, 0, 0, updates, 0, ())
    parts = [_count_writes(factor, values) for factor in factors_of(here)]
    kept = prod(len(part.dims) for part in parts)
    written = prod(len(part.elements) for part in parts)
    once = prod(int((part.often == 1).sum()) for part in parts)
    most = prod(int(part.often.max(initial=0)) for part in parts)
    examples = tuple(_examples(parts, len(here.results), len(here.dimensions))) if written > once else ()
    return Writers(
        item.operand, item.result, updates, written, written - once, updates - kept, most, examples
    )


def _count_writes(factor: Factor, values: Operands) -> _Written:
    kept, there = factor.table(values)
    if not there.shape[1]:  # without coordinates, all write the same element
        often = np.array([len(kept)] if len(kept) else [], np.int64)
        return _Written(factor, kept, there[: len(often)], often, np.zeros(len(kept), np.int64))
    elements, which, often = np.unique(there, axis=0, return_inverse=True, return_counts=True)
    return _Written(factor, kept, elements, often, which.reshape(-1))


def _examples(
    parts: Sequence[_Written], rank: int, update_rank: int
) -> Iterator[tuple[Index, tuple[Index, ...]]]:
    """Elements written more than once, in order of their first repeated factor."""
    found = 0
    for number, part in enumerate(parts):
        for element in np.flatnonzero(part.often > 1)[: MAX_EXAMPLES - found].tolist():
            chosen = [element if k == number else 0 for k in range(len(parts))]
            yield (
                _element(parts, chosen, rank),
                tuple(islice(_updates(parts, chosen, update_rank), MAX_EXAMPLES)),
            )
            found += 1


def _element(parts: Sequence[_Written], chosen: Sequence[int], rank: int) -> Index:
    index = [0] * rank
    for part, element in zip(parts, chosen, strict=True):
        for number, value in zip(part.factor.results, part.elements[element].tolist(), strict=True):
            index[number] = value
    return tuple(index)


def _updates(parts: Sequence[_Written], chosen: Sequence[int], rank: int) -> Iterator[Index]:
    choices = (part.updates_of(element) for part, element in zip(parts, chosen, strict=True))
    for rows in product(*choices):
        index = [0] * rank
        for part, row in zip(parts, rows, strict=True):
            for number, value in zip(part.factor.dimensions, row, strict=True):
                index[number] = value
        yield tuple(index)
