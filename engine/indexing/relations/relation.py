"""Questions about maps answered by isl: images, their intersection, counts, and tallies.

Every answer respects isl's operation limit. Beyond it, and for maps that isl cannot represent, the answer is
an inexact enclosing box, or `None` for yes-or-no questions. Runtime variables are parameters, so answers hold
for all their values; with a run's operands they are fixed to the run's values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from math import prod
from typing import Any

import islpy as isl

from ..core.index_map import IndexMap
from ..core.interval import NOTHING, Interval
from ..evaluation.bound_map import Operands
from ..evaluation.counting import NOTHING_READ, Count, Tally
from ..evaluation.factors import bind_cases, deciding_variables
from ..transforms.variables import ranges_to_dimensions
from .isl_maps import MAX_OPERATIONS, SetTooHard, T, new_context, union_of, within_limit

Box = tuple[Interval, ...]
MAX_CASES = 256
"""Maximum number of cases into which maps with dependent runtime values are split."""


@dataclass(frozen=True)
class Region:
    """A set of indices. If inexact, it is only known to lie within `box`."""

    box: Box
    set: Any = None
    """An `isl.Set`, whose parameters are the runtime variables; `None` if inexact."""

    @property
    def exact(self) -> bool:
        """Whether the set is known exactly."""
        return self.set is not None

    @cached_property
    def count(self) -> Count:
        """Number of indices; bounds if inexact or dependent on runtime values."""
        most = prod(interval.size for interval in self.box)
        found = within_limit(lambda: count_of(self.set)) if self.exact else None
        return Count(0, most) if found is None else Count.of(found)

    def intersection(self, other: Region) -> Region:
        """The intersection of two sets."""
        both = tuple(a.intersect(b) for a, b in zip(self.box, other.box, strict=True))
        if not (self.exact and other.exact):
            return Region(both)
        found = within_limit(lambda: region_of(self.set.intersect(_in_context_of(other.set, self.set))))
        return Region(both) if found is None else found


@dataclass(frozen=True)
class Relation:
    """The pairs (index, element) of a union of maps. Built by `relation`."""

    maps: tuple[IndexMap, ...]
    pairs: Any = None
    """An `isl.Map`; `None` if isl could not build it."""
    settled: bool = True
    """Whether each runtime variable has one value for all pairs, and is always in the domain.

    Otherwise its value depends on the pair, as in a gather: pairs can then be compared but not counted.
    """

    @property
    def exact(self) -> bool:
        """Whether isl has the pairs."""
        return self.pairs is not None

    @property
    def is_single_valued(self) -> bool | None:
        """Whether every index has at most one element."""
        return self._if_countable(lambda: bool(self.pairs.is_single_valued()))

    @property
    def is_injective(self) -> bool | None:
        """Whether every element belongs to at most one index."""
        return self._if_countable(lambda: bool(self.pairs.is_injective()))

    def image(self) -> Region:
        """The elements that belong to any index."""
        around = _hull(each.result_intervals for each in self.maps)
        return self._if_countable(lambda: region_of(self.pairs.range())) or Region(around)

    def preimage(self) -> Region:
        """The indices that have an element."""
        around = _hull(each.dimensions for each in self.maps)
        return self._if_countable(lambda: region_of(self.pairs.domain())) or Region(around)

    def _if_countable(self, question: Callable[[], T]) -> T | None:
        return within_limit(question) if self.exact and self.settled else None


def relation(
    maps: Iterable[IndexMap] | IndexMap,
    operands: Operands | None = None,
    max_operations: int = MAX_OPERATIONS,
) -> Relation:
    """The relation of a union of one or more defined maps.

    With the `operands` of a run, runtime variables have their values there.
    """
    several = (maps,) if isinstance(maps, IndexMap) else tuple(maps)
    if operands is not None:
        bound = [bind_cases(each, operands, MAX_CASES) for each in several]
        if any(found is None for found in bound):
            return Relation(several)
        several = tuple(each for found in bound if found is not None for each in found)
    # Parameters of two maps are distinguished only by their numbers.
    sharing = {each.runtimes for each in several if each.runtimes and not each.is_known_empty}
    variables = [variable for runtimes in sharing for variable in runtimes]
    settled = len(sharing) <= 1 and all(v.clamped and not deciding_variables(v) for v in variables)
    try:
        return Relation(several, union_of(several, new_context(max_operations)), settled)
    except SetTooHard:
        return Relation(several)


def region_of(found: Any) -> Region:
    """An `isl.Set` as a region; raises `isl.Error` beyond the limit."""
    found = found.coalesce()
    anywhere = found.project_out_all_params()
    rank = found.dim(isl.dim_type.set)
    if anywhere.is_empty():
        return Region((NOTHING,) * rank, found)
    ends = ((anywhere.dim_min_val(k), anywhere.dim_max_val(k)) for k in range(rank))
    return Region(tuple(Interval(number_of(low), number_of(high)) for low, high in ends), found)


def count_of(found: Any, within: Any = None) -> int | None:
    """Number of indices in an `isl.Set` if it is the same for all parameter values, else `None`.

    `within` is the set of all indices, without parameters: if its complement is a box of fixed size, the
    count is known although the box moves (the hole of dynamic_update_slice).
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
    """Move a set or map to the context of another: contexts are per question, and isl cannot mix them."""
    return type(other).read_from_str(here.get_ctx(), other.to_str())


def number_of(value: Any) -> int:
    """The value of an `isl.Val`; raises `isl.Error` if isl reached its limit and gives no text."""
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
    """Count a set without parameters; boxes are multiplied, which is much faster."""
    if found.is_box():
        sides = range(found.dim(isl.dim_type.set))
        ends = [(number_of(found.dim_min_val(k)), number_of(found.dim_max_val(k))) for k in sides]
        return prod(high - low + 1 for low, high in ends)
    return number_of(found.count_val())


def _moving_box(found: Any) -> int | None:
    """Size of a box of fixed shape whose position depends on parameters; `None` for other sets."""
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
    """The smallest box that contains all boxes."""
    return tuple(reduce(Interval.hull, sides) for sides in zip(*boxes, strict=True))


# Tallies


OPERATIONS = 2_000_000
"""Maximum isl operations per count; a page of statistics needs several counts per operand."""


def by_isl(
    maps: Sequence[IndexMap], indices: Sequence[Interval], elements: Sequence[Interval] | None
) -> Tally | None:
    """The tally of a union of maps without common pairs; `None` if isl cannot determine it.

    That is the case beyond isl's limit, or if counts depend on runtime variables. `indices` and `elements`
    bound the two sides.
    """
    found = relation(maps, max_operations=OPERATIONS)
    single, injective = found.is_single_valued, found.is_injective
    if not (found.exact and found.settled) or single is None or injective is None:
        return None
    image, preimage = found.image(), found.preimage()
    if not (image.exact and preimage.exact):
        return None

    def number(region: Any, whole: Sequence[Interval] | None) -> int | None:
        return within_limit(lambda: count_of(region, None if whole is None else box_set(whole, region)))

    readers, different = number(preimage.set, indices), number(image.set, elements)
    if readers is None or different is None:
        return None
    pairs = readers if single else different if injective else number(found.pairs.wrap(), None)
    reads = _reads_by_isl(maps, pairs)
    if pairs is None or reads is None:
        return None
    return _from_numbers(reads, pairs, different, readers, single, injective)


def _reads_by_isl(maps: Sequence[IndexMap], pairs: int | None) -> int | None:
    """Total size of the domains, including range variables."""
    if pairs is not None and all(not each.ranges for each in maps):
        return pairs  # maps of a union have no common pairs
    total = 0
    for each in maps:
        domain = replace(ranges_to_dimensions(each, range(len(each.ranges))), results=())
        size = _size(relation(domain, max_operations=OPERATIONS).preimage())
        if size is None:
            return None
        total += size
    return total


def _size(region: Region) -> int | None:
    return within_limit(lambda: count_of(region.set)) if region.exact else None


def _from_numbers(
    reads: int, pairs: int, elements: int, readers: int, single: bool, injective: bool
) -> Tally:
    if not elements:
        return NOTHING_READ
    numbers = (reads, pairs, elements, readers)
    if elements in (1, reads):
        each = reads // elements
        return Tally.exactly(numbers, (each, each), single, injective)
    found = Tally.exactly(numbers, (1, reads), single, injective)
    most = Count(-(-reads // elements), reads - elements + 1)
    return replace(found, fewest=Count(1, reads // elements), most=most)
