"""Numbers that a compiler engineer wants of an op, from its maps: what is read, how often, how much of it.

Without a run they hold for every run: what depends on runtime variables is between bounds, unless it is the same for
all their values. With a run's operands they are those of that run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from time import perf_counter

import numpy as np

from ..array_values import Int64Array
from ..evaluation import BoundMap, Operands
from ..expressions import Dim, Expression, Range
from ..factors import Factor, bind_scalars, factors_of
from ..index_map import IndexMap, OperandMap
from ..linearization import interval_of
from ..points import Points, span
from .counting import Count, Tally
from .tallies import join_tallies, tally

MOST_SHARED = 1 << 18
"""Elements of one index that are compared with those of its neighbour."""


@dataclass(frozen=True)
class Tensor:
    """What is known of an operand or a result: its shape, and the bits of an element."""

    shape: tuple[int, ...]
    bits: int

    @property
    def size(self) -> int:
        """How many elements."""
        return prod(self.shape)


@dataclass(frozen=True)
class Measure:
    """The numbers of one operand for one result."""

    operand: int
    result: int
    tensor: Tensor
    result_size: int
    tally: Tally
    places: int = 1
    """Of how many processes the operand is looked at: more than one where processes meet."""
    enclosing: bool = False
    """Whether the maps hold more than what belongs together, so that all numbers are limits."""
    shared: tuple[int, ...] = ()
    """For each dimension of the result, how many elements an index in its middle shares with the next one."""
    per_index: int | None = None
    """How many elements that index reads, where that is asked of one index."""

    in_time: bool = True
    """Whether there was time to count what no formula gives."""

    @property
    def size(self) -> int:
        """Elements of the operand, of all processes that are looked at."""
        return self.tensor.size * self.places

    @property
    def elements(self) -> Count:
        """Different elements that are read."""
        return self.tally.elements

    @property
    def reads(self) -> Count:
        """Elements that are read, each as often as it is."""
        return self.tally.reads

    @property
    def bytes(self) -> Count:
        """Bytes of the different elements, in memory that packs elements of less than a byte."""
        return Count(*(-(-end * self.tensor.bits // 8) for end in (self.elements.least, self.elements.most)))

    @property
    def reuse(self) -> float | None:
        """Reads of an element on average, of those that are read."""
        known = self.reads.exact and self.elements.exact and self.elements.most > 0
        return self.reads.most / self.elements.most if known else None

    @property
    def utilisation(self) -> tuple[float, float]:
        """Which part of the operand is read, between the two."""
        if not self.size:
            return 1.0, 1.0
        return self.elements.least / self.size, self.elements.most / self.size

    @property
    def covers(self) -> bool | None:
        """Whether every result element reads some element of the operand."""
        return _reaches(self.tally.readers, self.result_size)

    @property
    def is_bijection(self) -> bool | None:
        """Whether each result element reads one element, and each element is read by one result element."""
        facts = (self.tally.single_valued, self.tally.injective, self.covers, self._uses_all)
        if False in facts:
            return False
        return None if None in facts else True

    @property
    def _uses_all(self) -> bool | None:
        return _reaches(self.tally.elements, self.size)

    @property
    def is_exact(self) -> bool:
        """Whether its counts are known."""
        return self.elements.exact and self.reads.exact


def measures(
    maps: Iterable[OperandMap],
    inverse: Iterable[OperandMap],
    operands: Mapping[int, Tensor],
    results: Mapping[int, Tensor],
    values: Operands | None = None,
    seconds: float | None = None,
) -> tuple[Measure, ...]:
    """The numbers of each pair of operand and result that maps speak of; opaque ones and other values are left out.

    `maps` go from results to operands, `inverse` back, as an op has them. `values` are what the runtime variables
    of a run are read from. After so many `seconds` the rest is only told by formulas and bounds.
    """
    end = None if seconds is None else perf_counter() + seconds
    there, back = _group(maps), _group(inverse)
    found = []
    for (operand, result), group in sorted(there.items()):
        if operand in operands and result in results and not any(item.map.is_undefined for item in group):
            tensors = operands[operand], results[result]
            in_time = end is None or perf_counter() < end
            opposite = back.get((operand, result), [])
            found.append(_measure(group, opposite, *tensors, values, thorough=in_time))
    return tuple(found)


def overlap(
    left: Sequence[IndexMap], right: Sequence[IndexMap], shape: Sequence[int], values: Operands | None = None
) -> Count:
    """How many elements of one tensor of `shape` two unions of maps both read."""
    from ..relations.relation import relation  # loading isl takes a fifth of a second

    both = relation(left, values).image().intersection(relation(right, values).image())
    return both.count.at_most(prod(shape))


def _group(maps: Iterable[OperandMap]) -> dict[tuple[int, int], list[OperandMap]]:
    groups: dict[tuple[int, int], list[OperandMap]] = {}
    for item in maps:
        groups.setdefault((item.operand, item.result), []).append(item)
    return groups


def _measure(
    group: Sequence[OperandMap],
    back: Sequence[OperandMap],
    operand: Tensor,
    result: Tensor,
    values: Operands | None,
    *,
    thorough: bool,
) -> Measure:
    """Not `thorough`, it is what formulas and bounds tell."""
    if any(item.place is not None for item in group):
        return _across_processes(group, operand, result, values, thorough=thorough)
    maps = [item.map for item in group]
    found = tally(maps, operand.shape, result.shape, values, thorough=thorough)
    if not thorough:
        return replace(_measure_of(group, operand, result, found), in_time=False)
    turned = [item.map for item in back if item.place is None]
    if not found.exact and turned and not any(each.is_undefined for each in turned):
        other = tally(turned, result.shape, operand.shape, values).inverse
        found = other if other.exact else found
    return _with_neighbours(_measure_of(group, operand, result, found), maps, result.shape, values)


def _measure_of(group: Sequence[OperandMap], operand: Tensor, result: Tensor, found: Tally) -> Measure:
    first, enclosing = group[0], not all(item.is_certain for item in group)
    counted = _as_limits(found) if enclosing else found
    return Measure(first.operand, first.result, operand, result.size, counted, enclosing=enclosing)


def _across_processes(
    group: Sequence[OperandMap],
    operand: Tensor,
    result: Tensor,
    values: Operands | None,
    *,
    thorough: bool,
) -> Measure:
    """The place of the process is one more coordinate of the element. Where some maps speak of the same process only,
    whichever of them that is, both counts together are bounds.
    """
    placed, places = _with_places(group)
    own = [item.map for item in group if item.place is None]
    found = tally(placed, (*operand.shape, places), result.shape, values, thorough=thorough)
    if own:
        both = join_tallies([found, tally(own, operand.shape, result.shape, values, thorough=thorough)])
        elements, readers = both.elements.at_most(operand.size * places), both.readers.at_most(result.size)
        found = replace(both, elements=elements, readers=readers)
    return replace(_measure_of(group, operand, result, found), places=places, in_time=thorough)


def _with_places(group: Sequence[OperandMap]) -> tuple[list[IndexMap], int]:
    """The maps that have a place, with it as their last result, and of how many processes they may speak."""
    places, placed = 1, []
    for item in group:
        if item.place is not None:
            places = max(places, interval_of(item.place, item.map.bounds).upper + 1)
            placed.append(replace(item.map, results=(*item.map.results, item.place)))
    return placed, places


def _as_limits(found: Tally) -> Tally:
    """What an enclosing map leaves of its numbers."""
    counts = {
        name: Count(0, getattr(found, name).most)
        for name in ("reads", "pairs", "elements", "readers", "fewest", "most")
    }
    return replace(
        found,
        **counts,
        single_valued=found.single_valued or None,  # fewer pairs cannot break it
        injective=found.injective or None,
    )


def _reaches(count: Count, whole: int) -> bool | None:
    if count.least >= whole:
        return True
    return False if count.most < whole else None


# What neighbours share.


def _with_neighbours(
    measure: Measure, maps: Sequence[IndexMap], shape: tuple[int, ...], values: Operands | None
) -> Measure:
    alive = [each for each in maps if not each.is_known_empty]
    if len(alive) != 1 or (values is None and alive[0].runtimes) or measure.enclosing or 0 in shape:
        return measure
    here = alive[0] if values is None else bind_scalars(alive[0], values)
    if here.is_known_empty:
        return measure
    middle = np.array([size // 2 for size in shape], np.int64)
    factors = factors_of(here)
    if any(_own_reads(factor) > MOST_SHARED for factor in factors):
        return measure
    own = [_elements_of(factor, middle, values or ()) for factor in factors]
    shared = []
    for k, size in enumerate(shape):
        step = 1 if middle[k] + 1 < size else -1
        neighbour = middle.copy()
        neighbour[k] += step if size > 1 else 0
        pairs = zip(own, (_elements_of(factor, neighbour, values or ()) for factor in factors), strict=True)
        shared.append(prod(len(mine & theirs) for mine, theirs in pairs))
    return replace(measure, shared=tuple(shared), per_index=prod(len(mine) for mine in own))


def _own_reads(factor: Factor) -> int:
    return prod(factor.map.ranges[k].size for k in factor.ranges)


def _elements_of(factor: Factor, index: Int64Array, values: Operands) -> set[tuple[int, ...]]:
    """The coordinates that a factor gives for one index."""
    here: dict[Expression, int] = {Dim(number): int(index[number]) for number in factor.dimensions}
    if any(at not in factor.map.bounds[variable] for variable, at in here.items()):
        return set()
    spans: dict[Expression, range] = {Range(k): span(factor.map.ranges[k]) for k in factor.ranges}
    return set(map(tuple, BoundMap(factor.map, values).image(Points(spans, here)).tolist()))
