"""Maps that hold for whatever is read in a run: ranges in the place of runtime variables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..indexing import Expression, IndexMap, Interval, Range, Runtime, RuntimeVariable


def without_runtimes(index_map: IndexMap, numbers: Iterable[int]) -> IndexMap:
    """The map with ranges over all that some runtime variables can be, in their place: it encloses any run's."""
    chosen = sorted(numbers)
    replacements = as_ranges(index_map, chosen)
    results, constraints = index_map.substituted(replacements)
    ranges = (*index_map.ranges, *(index_map.runtimes[number].interval for number in chosen))
    kept = (
        _widened(variable, len(ranges) - len(index_map.ranges), index_map, ranges)
        for number, variable in enumerate(index_map.runtimes)
        if number not in chosen
    )
    return replace(index_map, results=results, ranges=ranges, runtimes=tuple(kept), constraints=constraints)


def _widened(
    variable: RuntimeVariable, more: int, owner: IndexMap, ranges: tuple[Interval, ...]
) -> RuntimeVariable:
    """A variable whose map has as many ranges as its owner gets the new ones as well."""
    if len(variable.map.ranges) != len(owner.ranges) or not owner.ranges:
        return variable
    return replace(variable, map=replace(variable.map, ranges=ranges))


def as_ranges(index_map: IndexMap, chosen: Iterable[int]) -> dict[Expression, Expression]:
    """What becomes of a map's runtime variables where some of them get ranges behind those that there are."""
    gone = sorted(chosen)
    first = len(index_map.ranges)
    found: dict[Expression, Expression] = {
        Runtime(number): Range(first + position) for position, number in enumerate(gone)
    }
    kept = [number for number in range(len(index_map.runtimes)) if number not in gone]
    return found | {Runtime(number): Runtime(position) for position, number in enumerate(kept)}
