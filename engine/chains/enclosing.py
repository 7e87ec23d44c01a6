"""Maps that enclose those of any run: runtime variables replaced by ranges."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..indexing import Expression, IndexMap, Range, Runtime
from .normal_forms import with_range


def without_runtimes(index_map: IndexMap, numbers: Iterable[int]) -> IndexMap:
    """Replace some runtime variables by ranges over all their values: an enclosure for any run."""
    chosen = sorted(numbers)
    results, constraints = index_map.substitute(range_replacements(index_map, chosen))
    for number in chosen:
        index_map = with_range(index_map, index_map.runtimes[number].interval)
    kept = tuple(variable for number, variable in enumerate(index_map.runtimes) if number not in chosen)
    return replace(index_map, results=results, runtimes=kept, constraints=constraints)


def range_replacements(index_map: IndexMap, chosen: Iterable[int]) -> dict[Expression, Expression]:
    """Replacements of runtime variables: the `chosen` become ranges after those of the map."""
    gone = sorted(chosen)
    first = len(index_map.ranges)
    found: dict[Expression, Expression] = {
        Runtime(number): Range(first + position) for position, number in enumerate(gone)
    }
    kept = [number for number in range(len(index_map.runtimes)) if number not in gone]
    return found | {Runtime(number): Runtime(position) for position, number in enumerate(kept)}
