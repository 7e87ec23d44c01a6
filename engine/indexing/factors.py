"""An index map taken apart into factors that share no variable.

What a dot reads of its left side is (the rows) x (the contracted indices), whatever the columns are: counting
each part by itself makes numbers of 4096 x 4096 x 4096 reads a matter of three times 4096.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

import numpy as np

from .evaluation import BoolArray, BoundMap, Int64Array, IntArray, runtime_values
from .expressions import Constant, Dim, Expression, Range, Runtime, substitute, variables_of
from .index_map import IndexMap, Kind, RuntimeVariable
from .interval import Interval

Operands = tuple[IntArray | None, ...]


@dataclass(frozen=True)
class Factor:
    """A part of a map: `map` has all dimension and range variables of the whole, those of other factors fixed,
    and the results numbered `results` in the whole. The whole relates the products of what its factors relate.
    """

    map: IndexMap
    results: tuple[int, ...]
    dimensions: tuple[int, ...]
    """The dimension variables that are its own."""
    ranges: tuple[int, ...]
    """The range variables that are its own."""

    @cached_property
    def variables(self) -> tuple[Expression, ...]:
        return (*map(Dim, self.dimensions), *map(Range, self.ranges))

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many values each of `variables` takes."""
        return tuple(self.map.bounds[variable].size for variable in self.variables)

    @property
    def candidates(self) -> int:
        """How many combinations of its variables there are, in the domain or not."""
        return prod(self.sizes)

    def table(self, operands: Operands = ()) -> tuple[Int64Array, Int64Array, BoolArray]:
        """All combinations of its variables: (own dimensions [n, .], results [n, .], whether in the domain [n])."""
        dims, ranges = self.rows()
        results, mask = BoundMap(self.map, operands).evaluate(dims, ranges)
        return dims[:, list(self.dimensions)], results, mask

    def rows(self) -> tuple[Int64Array, Int64Array]:
        """All combinations of its variables as full rows: dimension variables, range variables."""
        count = self.candidates
        dims = _lowest(self.map.dimensions, count)
        ranges = _lowest(self.map.ranges, count)
        if self.sizes and count:
            offsets = np.unravel_index(np.arange(count), self.sizes)
            split = len(self.dimensions)
            for number, offset in zip(self.dimensions, offsets[:split], strict=True):
                dims[:, number] += offset
            for number, offset in zip(self.ranges, offsets[split:], strict=True):
                ranges[:, number] += offset
        return dims, ranges


def factors_of(index_map: IndexMap) -> tuple[Factor, ...]:
    """The smallest factors of a map that is neither undefined nor empty, in order of their first variable.

    A result or constraint without variables makes a factor of its own, with one combination.
    """
    items = [*index_map.results, *(expression for expression, _ in index_map.constraints)]
    groups = _Groups([*index_map.bounds])
    used: list[frozenset[Expression]] = [frozenset(variables_of(item)) for item in items]
    for together in used:
        groups.join(together)
    for number, variable in enumerate(index_map.runtimes):
        groups.join({Runtime(number), *variables_behind(variable)})
    found = [_factor(index_map, group, used) for group in groups.all()]
    alone = [number for number, variables in enumerate(used) if not variables]
    if any(number < len(index_map.results) for number in alone):
        found.append(_factor(index_map, frozenset(), used))
    return tuple(found)


def variables_behind(variable: RuntimeVariable) -> frozenset[Expression]:
    """The dimension and range variables that decide which value a runtime variable has."""
    here = variable.map
    items = [*here.results, *(expression for expression, _ in here.constraints)]
    found: set[Expression] = {
        each for item in items for each in variables_of(item) if not isinstance(each, Runtime)
    }
    for inner in here.runtimes:
        found |= variables_behind(inner)
    return frozenset(found)


def bound_to_scalars(index_map: IndexMap, operands: Operands) -> IndexMap:
    """The map with every runtime variable that is one value for all elements replaced by that value."""
    lonely = [n for n, variable in enumerate(index_map.runtimes) if not variables_behind(variable)]
    if not lonely or index_map.is_known_empty or index_map.is_undefined:
        return index_map
    return _with_values(index_map, operands, lonely, {})


def bound_maps(index_map: IndexMap, operands: Operands, most: int) -> Iterator[IndexMap] | None:
    """Maps without runtime variables that relate together what the map relates in a run, without overlap.

    One for each combination of the variables that decide the runtime values; None for more than `most`.
    """
    if index_map.is_known_empty or index_map.is_undefined or not index_map.runtimes:
        return iter([index_map])
    behind = sorted(
        {each for variable in index_map.runtimes for each in variables_behind(variable)}, key=repr
    )
    intervals = [index_map.bounds[variable] for variable in behind]
    if prod(interval.size for interval in intervals) > most:
        return None
    everything = range(len(index_map.runtimes))
    shape = tuple(interval.size for interval in intervals)
    return (
        _with_values(
            index_map,
            operands,
            everything,
            {
                variable: interval.lower + offset
                for variable, interval, offset in zip(behind, intervals, place, strict=True)
            },
        )
        for place in np.ndindex(shape)
    )


def _with_values(
    index_map: IndexMap, operands: Operands, numbers: Iterable[int], fixed: dict[Expression, int]
) -> IndexMap:
    """The map where some variables are fixed, with the runtime variables `numbers` replaced by what they then are."""
    replaced = list(numbers)
    dims = _fixed_row(index_map.dimensions, fixed, Dim)
    ranges = _fixed_row(index_map.ranges, fixed, Range)
    only = replace(
        index_map, runtimes=tuple(index_map.runtimes[n] for n in replaced), results=(), constraints=()
    )
    values, known = runtime_values(only, operands, dims, ranges)
    if not known[0]:
        return replace(index_map, runtimes=(), constraints=(), kind=Kind.KNOWN_EMPTY)
    kept = [n for n in range(len(index_map.runtimes)) if n not in replaced]
    to: dict[Expression, Expression] = {Runtime(old): Runtime(new) for new, old in enumerate(kept)}
    to |= {Runtime(old): Constant(value) for old, value in zip(replaced, values[0].tolist(), strict=True)}
    results, constraints = index_map.substituted(to)
    pinned = [(variable, Interval(value, value)) for variable, value in fixed.items()]
    return replace(
        index_map,
        results=results,
        constraints=(*constraints, *pinned),
        runtimes=tuple(index_map.runtimes[n] for n in kept),
    )


def _fixed_row(intervals: tuple[Interval, ...], fixed: dict[Expression, int], kind: type) -> Int64Array:
    row = [fixed.get(kind(number), interval.lower) for number, interval in enumerate(intervals)]
    return np.array([row], np.int64).reshape(1, len(intervals))


def _lowest(intervals: tuple[Interval, ...], count: int) -> Int64Array:
    lowest = np.array([interval.lower for interval in intervals], np.int64)
    return np.tile(lowest, (count, 1)).reshape(count, len(intervals))


def _factor(index_map: IndexMap, group: frozenset[Expression], used: list[frozenset[Expression]]) -> Factor:
    own = [
        number for number, variables in enumerate(used) if (variables <= group if variables else not group)
    ]
    count = len(index_map.results)
    results = [number for number in own if number < count]
    runtimes = sorted(each.number for each in group if isinstance(each, Runtime))
    renumbered: dict[Expression, Expression] = {
        Runtime(old): Runtime(new) for new, old in enumerate(runtimes)
    }
    constraints = [index_map.constraints[number - count] for number in own if number >= count]
    part = IndexMap(
        tuple(substitute(index_map.results[number], renumbered) for number in results),
        _pinned(index_map.dimensions, group, Dim),
        _pinned(index_map.ranges, group, Range),
        tuple(index_map.runtimes[number] for number in runtimes),
        tuple((substitute(expression, renumbered), interval) for expression, interval in constraints),
    )
    dimensions = sorted(each.number for each in group if isinstance(each, Dim))
    ranges = sorted(each.number for each in group if isinstance(each, Range))
    return Factor(part, tuple(results), tuple(dimensions), tuple(ranges))


def _pinned(
    intervals: tuple[Interval, ...], group: frozenset[Expression], kind: type
) -> tuple[Interval, ...]:
    return tuple(
        interval if kind(number) in group else Interval(interval.lower, interval.lower)
        for number, interval in enumerate(intervals)
    )


class _Groups:
    """Variables, joined into groups."""

    def __init__(self, variables: list[Expression]) -> None:
        self._group = {variable: number for number, variable in enumerate(variables)}

    def join(self, variables: Iterable[Expression]) -> None:
        numbers = {self._group[variable] for variable in variables}
        if len(numbers) > 1:
            first = min(numbers)
            self._group = {v: first if number in numbers else number for v, number in self._group.items()}

    def all(self) -> Iterator[frozenset[Expression]]:
        members: dict[int, set[Expression]] = {}
        for variable, number in self._group.items():
            members.setdefault(number, set()).add(variable)
        return (frozenset(group) for group in members.values())
