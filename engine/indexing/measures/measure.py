"""Statistics of an op, from its maps: elements read, how often, and which part of the operand.

Without a run, they hold for every run: counts that depend on runtime variables are bounds. With a run's
operands, they describe that run.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from time import perf_counter

import numpy as np

from ..core.expressions import Dim, Expression, Range
from ..core.index_map import IndexMap, OperandMap, by_pair
from ..core.linearization import interval_of
from ..evaluation.array_values import Int64Array
from ..evaluation.bound_map import BoundMap, Operands
from ..evaluation.counting import Count, Tally
from ..evaluation.factors import Factor, bind_scalars, factors_of
from ..evaluation.points import Points, span
from .tallies import join_tallies, tally

MAX_SHARED = 1 << 18
"""Maximum number of elements per index that are compared with those of a neighbour."""


@dataclass(frozen=True)
class Tensor:
    """Shape and element size of an operand or a result."""

    shape: tuple[int, ...]
    bits: int

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)


@dataclass(frozen=True)
class Measure:
    """Statistics of one operand for one result."""

    operand: int
    result: int
    tensor: Tensor
    result_size: int
    tally: Tally
    places: int = 1
    """Number of processes whose operands are counted; above 1 for collectives."""
    enclosing: bool = False
    """Whether the maps are over-approximations, so that all counts are limits."""
    shared: tuple[int, ...] = ()
    """For each result dimension, the elements that a middle index shares with the next one."""
    per_index: int | None = None
    """Number of elements that the middle index reads, if it was computed."""

    in_time: bool = True
    """Whether there was time for counts that need enumeration."""

    @property
    def size(self) -> int:
        """Elements of the operand, in all processes counted."""
        return self.tensor.size * self.places

    @property
    def elements(self) -> Count:
        """Distinct elements read."""
        return self.tally.elements

    @property
    def reads(self) -> Count:
        """Reads with repetitions."""
        return self.tally.reads

    @property
    def bytes(self) -> Count:
        """Bytes of the distinct elements, with sub-byte elements packed."""
        return Count(*(-(-end * self.tensor.bits // 8) for end in (self.elements.least, self.elements.most)))

    @property
    def reuse(self) -> float | None:
        """Average reads per element read."""
        known = self.reads.exact and self.elements.exact and self.elements.most > 0
        return self.reads.most / self.elements.most if known else None

    @property
    def utilisation(self) -> tuple[float, float]:
        """Bounds of the fraction of the operand that is read."""
        if not self.size:
            return 1.0, 1.0
        return self.elements.least / self.size, self.elements.most / self.size

    @property
    def covers(self) -> bool | None:
        """Whether every result element reads some element of the operand."""
        return _reaches(self.tally.readers, self.result_size)

    @property
    def is_bijection(self) -> bool | None:
        """Whether result elements and operand elements correspond one to one."""
        facts = (self.tally.single_valued, self.tally.injective, self.covers, self._uses_all)
        if False in facts:
            return False
        return None if None in facts else True

    @property
    def _uses_all(self) -> bool | None:
        return _reaches(self.tally.elements, self.size)

    @property
    def is_exact(self) -> bool:
        """Whether its counts are exact."""
        return self.elements.exact and self.reads.exact


def measures(
    maps: Iterable[OperandMap],
    inverse: Iterable[OperandMap],
    operands: Mapping[int, Tensor],
    results: Mapping[int, Tensor],
    values: Operands | None = None,
    seconds: float | None = None,
) -> tuple[Measure, ...]:
    """Statistics of each pair of operand and result; opaque ops and auxiliary values are skipped.

    `maps` go from results to operands, `inverse` back. `values` are the operands of a run. After `seconds`,
    the remaining counts come from formulas and bounds only.
    """
    end = None if seconds is None else perf_counter() + seconds
    there, back = by_pair(maps), by_pair(inverse)
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
    """Number of elements of a tensor of `shape` that two unions of maps both read."""
    from ..relations.relation import relation  # loading isl takes a fifth of a second

    both = relation(left, values).image().intersection(relation(right, values).image())
    return both.count.at_most(prod(shape))


def _measure(
    group: Sequence[OperandMap],
    back: Sequence[OperandMap],
    operand: Tensor,
    result: Tensor,
    values: Operands | None,
    *,
    thorough: bool,
) -> Measure:
    """Statistics of one pair; unless `thorough`, from formulas and bounds only."""
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
    group: Sequence[OperandMap], operand: Tensor, result: Tensor, values: Operands | None, *, thorough: bool
) -> Measure:
    """Count the peer's position as another coordinate of elements.

    Maps that refer only to the own process, whichever that is, are counted separately; the sums are bounds.
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
    """Maps with their peer's position as last result, and the maximum number of processes."""
    places, placed = 1, []
    for item in group:
        if item.place is not None:
            places = max(places, interval_of(item.place, item.map.bounds).upper + 1)
            placed.append(replace(item.map, results=(*item.map.results, item.place)))
    return placed, places


def _as_limits(found: Tally) -> Tally:
    """The tally of an over-approximation: upper bounds."""
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


# Sharing between neighbours


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
    if any(prod(factor.map.ranges[k].size for k in factor.ranges) > MAX_SHARED for factor in factors):
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


def _elements_of(factor: Factor, index: Int64Array, values: Operands) -> set[tuple[int, ...]]:
    """The coordinates that a factor yields for one index."""
    here: dict[Expression, int] = {Dim(number): int(index[number]) for number in factor.dimensions}
    if any(at not in factor.map.bounds[variable] for variable, at in here.items()):
        return set()
    spans: dict[Expression, range] = {Range(k): span(factor.map.ranges[k]) for k in factor.ranges}
    return set(map(tuple, BoundMap(factor.map, values).image(Points(spans, here)).tolist()))
