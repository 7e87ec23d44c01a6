"""Answers of isl about maps: images, unions, differences, equality, whether a map is a bijection, how many.

Every answer keeps to isl's limit of operations. Beyond it, and where a map is beyond isl at all, an answer is the
box that encloses it, marked inexact, or `None` for a question of yes or no. Runtime variables are parameters, so an
answer holds whatever their values; give a run's operands and they are these values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from math import prod
from typing import Any

import islpy as isl

from ..evaluation import Operands
from ..factors import bind_cases, deciding_variables
from ..index_map import IndexMap
from ..interval import NOTHING, Interval, box
from ..measures.counting import Count
from .isl_maps import MAX_OPERATIONS, SetTooHard, T, new_context, union_of, within_limit

Box = tuple[Interval, ...]
MOST_ROWS = 256
"""Maps whose runtime values follow other variables are taken apart into so many cases at most."""


@dataclass(frozen=True)
class Region:
    """A set of indices. Not exact, it is only known to lie within `box`."""

    box: Box
    set: Any = None
    """An `isl.Set`, whose parameters are the runtime variables; `None` where it is not exact."""

    @property
    def exact(self) -> bool:
        """Whether it is known which indices it holds."""
        return self.set is not None

    @cached_property
    def is_empty(self) -> bool | None:
        """Whether it holds nothing, whatever the runtime values."""
        if any(interval.is_empty for interval in self.box):
            return True
        return within_limit(lambda: bool(self.set.is_empty())) if self.exact else None

    @cached_property
    def count(self) -> Count:
        """How many indices it holds; bounds where it is not exact or follows the runtime values."""
        most = prod(interval.size for interval in self.box)
        found = within_limit(lambda: count_of(self.set)) if self.exact else None
        return Count(0, most) if found is None else Count.of(found)

    def union(self, other: Region) -> Region:
        """What lies in either."""
        around = tuple(a.hull(b) for a, b in zip(self.box, other.box, strict=True))
        return self._with(other, around, lambda a, b: a.union(b))

    def intersection(self, other: Region) -> Region:
        """What lies in both."""
        both = tuple(a.intersect(b) for a, b in zip(self.box, other.box, strict=True))
        return self._with(other, both, lambda a, b: a.intersect(b))

    def difference(self, other: Region) -> Region:
        """What lies in this one and not in the other."""
        return self._with(other, self.box, lambda a, b: a.subtract(b))

    def equals(self, other: Region) -> bool | None:
        """Whether they hold the same indices whatever the runtime values; `None` where that is not known."""
        if not (self.exact and other.exact):
            return None
        return within_limit(lambda: bool(self.set.is_equal(_in_context_of(other.set, self.set))))

    def holds(self, index: Sequence[int]) -> bool | None:
        """Whether it holds an index; for a set without parameters."""
        if not self.exact:
            return None if all(i in side for i, side in zip(index, self.box, strict=True)) else False
        point = isl.Set.read_from_str(self.set.get_ctx(), f"{{ [{', '.join(map(str, index))}] }}")
        return bool(point.is_subset(self.set))

    def _with(self, other: Region, around: Box, join: Callable[[Any, Any], Any]) -> Region:
        if not (self.exact and other.exact):
            return Region(around)
        found = within_limit(lambda: region_of(join(self.set, _in_context_of(other.set, self.set))))
        return Region(around) if found is None else found


@dataclass(frozen=True)
class Relation:
    """The pairs (index, element) of maps that are a union. Made by `relation`."""

    maps: tuple[IndexMap, ...]
    pairs: Any = None
    """An `isl.Map`; `None` where isl could not make it."""
    settled: bool = True
    """Whether each runtime variable has one value for all pairs, and always has one. Else, as those of a gather that
    follow the row, it is in each pair what belongs to that pair: then pairs can be compared, but not counted.
    """

    @property
    def exact(self) -> bool:
        """Whether isl has the pairs."""
        return self.pairs is not None

    @property
    def is_single_valued(self) -> bool | None:
        """Whether no index has two elements."""
        return self._if_countable(lambda: bool(self.pairs.is_single_valued()))

    @property
    def is_injective(self) -> bool | None:
        """Whether no element belongs to two indices."""
        return self._if_countable(lambda: bool(self.pairs.is_injective()))

    def is_bijection(self, indices: Sequence[int], elements: Sequence[int]) -> bool | None:
        """Whether each index of the first shape has one element of the second, and each element one index."""
        whole = self._if_countable(lambda: self._covers(indices, elements))
        if not whole:
            return whole
        single, injective = self.is_single_valued, self.is_injective
        return None if None in (single, injective) else bool(single and injective)

    def image(self, of: Sequence[Interval] | None = None) -> Region:
        """The elements that belong to any index of a box; of every index if there is none."""
        around = _hull(each.within(of).result_intervals for each in self.maps)
        found = self._if_countable(lambda: region_of(self._of(of).range()))
        return Region(around) if found is None else found

    def preimage(self, of: Sequence[Interval] | None = None) -> Region:
        """The indices that have any element of a box."""
        around = _hull(each.dimensions for each in self.maps)
        found = self._if_countable(lambda: region_of(self._into(of).domain()))
        return Region(around) if found is None else found

    def union(self, other: Relation) -> Relation:
        """The pairs of either."""
        return self._join(other, lambda a, b: a.union(b))

    def equals(self, other: Relation) -> bool | None:
        """Whether both have the same pairs, whatever the runtime values."""
        if not (self.exact and other.exact):
            return None
        return within_limit(lambda: bool(self.pairs.is_equal(_in_context_of(other.pairs, self.pairs))))

    def _join(self, other: Relation, join: Callable[[Any, Any], Any]) -> Relation:
        maps = (*self.maps, *other.maps)
        if not (self.exact and other.exact):
            return Relation(maps)
        joined = within_limit(lambda: join(self.pairs, _in_context_of(other.pairs, self.pairs)))
        return Relation(maps, joined, self.settled and other.settled)

    def _covers(self, indices: Sequence[int], elements: Sequence[int]) -> bool:
        domain, image = (box_set(box(tuple(shape)), self.pairs) for shape in (indices, elements))
        facts = self._values_of_runtimes()
        domain, image = domain.intersect_params(facts), image.intersect_params(facts)
        return bool(self.pairs.domain().is_equal(domain) and self.pairs.range().is_equal(image))

    def _values_of_runtimes(self) -> Any:
        """Which values the runtime variables may have."""
        runtimes = next((each.runtimes for each in self.maps if each.runtimes), ())
        inside = [f"{v.interval.lower} <= rt{k} <= {v.interval.upper}" for k, v in enumerate(runtimes)]
        names = ", ".join(f"rt{k}" for k in range(len(runtimes)))
        text = f"[{names}] -> {{ : {' and '.join(inside) or 'true'} }}"
        return isl.Set.read_from_str(self.pairs.get_ctx(), text)

    def _of(self, wanted: Sequence[Interval] | None) -> Any:
        return self.pairs if wanted is None else self.pairs.intersect_domain(box_set(wanted, self.pairs))

    def _into(self, wanted: Sequence[Interval] | None) -> Any:
        return self.pairs if wanted is None else self.pairs.intersect_range(box_set(wanted, self.pairs))

    def _if_countable(self, question: Callable[[], T]) -> T | None:
        return within_limit(question) if self.exact and self.settled else None


def relation(
    maps: Iterable[IndexMap] | IndexMap,
    operands: Operands | None = None,
    max_operations: int = MAX_OPERATIONS,
) -> Relation:
    """The relation of a union of maps, at least one and none of them undefined.

    With the `operands` of a run, runtime variables are their values there.
    """
    several = (maps,) if isinstance(maps, IndexMap) else tuple(maps)
    if operands is not None:
        bound = [bind_cases(each, operands, MOST_ROWS) for each in several]
        if any(found is None for found in bound):
            return Relation(several)
        several = tuple(each for found in bound if found is not None for each in found)
    # Parameters of two maps are told apart by nothing but their numbers.
    sharing = {each.runtimes for each in several if each.runtimes and not each.is_known_empty}
    variables = [variable for runtimes in sharing for variable in runtimes]
    settled = len(sharing) <= 1 and all(v.clamped and not deciding_variables(v) for v in variables)
    try:
        return Relation(several, union_of(several, new_context(max_operations)), settled)
    except SetTooHard:
        return Relation(several)


def region_of(found: Any) -> Region:
    """An `isl.Set` as a region. Raises `isl.Error` beyond the limit."""
    found = found.coalesce()
    anywhere = found.project_out_all_params()
    rank = found.dim(isl.dim_type.set)
    if anywhere.is_empty():
        return Region((NOTHING,) * rank, found)
    ends = ((anywhere.dim_min_val(k), anywhere.dim_max_val(k)) for k in range(rank))
    return Region(tuple(Interval(number_of(low), number_of(high)) for low, high in ends), found)


def count_of(found: Any, within: Any = None) -> int | None:
    """How many indices an `isl.Set` holds if that is the same for all values of its parameters, else `None`.

    `within` is a set without parameters, of all indices that there are: where what is missing of it is a box of a
    fixed size, the count is known although its place is not (the hole of dynamic_update_slice).
    """
    found = found.coalesce()
    anywhere = found.project_out_all_params()
    if anywhere.is_empty():
        return 0
    if found.is_equal(anywhere.intersect_params(found.params())):
        return _plain_count(anywhere)
    moving = _moving_box(found)
    if moving is not None or within is None:
        return moving
    missing = within.intersect_params(found.params()).subtract(found).coalesce()
    hole = _moving_box(missing)
    return None if hole is None else _plain_count(within) - hole


def _in_context_of(other: Any, here: Any) -> Any:
    """A set or map in the context of another one: each question has a context of its own, and isl mixes none."""
    return type(other).read_from_str(here.get_ctx(), other.to_str())


def number_of(value: Any) -> int:
    """An `isl.Val`, which has no text when isl has reached its limit. Raises `isl.Error` then."""
    text = value.to_str()
    if text is None:
        raise isl.Error("isl has reached its limit of operations")
    return int(text)


def box_set(wanted: Sequence[Interval], like: Any) -> Any:
    """A box as an `isl.Set` in the context of another object."""
    names = [f"x{k}" for k in range(len(wanted))]
    facts = [f"{i.lower} <= {name} <= {i.upper}" for name, i in zip(names, wanted, strict=True)]
    return isl.Set.read_from_str(
        like.get_ctx(), f"{{ [{', '.join(names)}] : {' and '.join(facts) or 'true'} }}"
    )


def _plain_count(found: Any) -> int:
    """Of a set without parameters. A box is multiplied, which is much faster than counting."""
    if found.is_box():
        sides = range(found.dim(isl.dim_type.set))
        ends = [(number_of(found.dim_min_val(k)), number_of(found.dim_max_val(k))) for k in sides]
        return prod(high - low + 1 for low, high in ends)
    return number_of(found.count_val())


def _moving_box(found: Any) -> int | None:
    """The size of a box whose place follows the parameters and whose sides do not; `None` for anything else."""
    rank = found.dim(isl.dim_type.set)
    size, around = 1, None
    for k in range(rank):
        side = (
            found.eliminate(isl.dim_type.set, 0, k)
            .eliminate(isl.dim_type.set, k + 1, rank - k - 1)
            .coalesce()
        )
        if side.n_basic_set() != 1 or not side.remove_divs().is_equal(side):
            return None
        extent = found.dim_max(k).sub(found.dim_min(k))
        least, most = extent.min_val(), extent.max_val()
        if not least.eq(most):
            return None
        size *= number_of(most) + 1
        around = side if around is None else around.intersect(side)
    return size if around is not None and around.is_equal(found) else None


def _hull(boxes: Iterable[Box]) -> Box:
    """The smallest box around some."""
    return tuple(reduce(Interval.hull, sides) for sides in zip(*boxes, strict=True))
