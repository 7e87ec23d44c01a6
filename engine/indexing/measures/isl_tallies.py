"""Compute tallies with isl."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..core.index_map import IndexMap
from ..core.interval import Interval
from ..evaluation.counting import NOTHING_READ, Count, Tally
from ..relations.isl_maps import within_limit
from ..relations.relation import Region, box_set, count_of, relation
from ..transforms.variables import ranges_to_dimensions

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
