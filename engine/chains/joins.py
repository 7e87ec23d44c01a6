"""Join unions of maps: the reads of one iteration and of the iterations before it become one map."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import combinations

from ..indexing import Dim, Expression, IndexMap, Interval, Kind, Range
from ..indexing.core.division import constant_of
from ..indexing.core.expressions import split_coefficient, terms_of
from ..indexing.core.index_map import CACHE_SIZE
from .leaves import Leaf
from .normal_forms import normalize, order_ranges
from .unions import Link, hull, without_covered

MAX_JOINED = 48
"""Maximum number of links to one leaf for which pairs are joined."""


def join_adjoining(links: Iterable[Link]) -> list[Link]:
    """Reduce unions to fewer links: drop covered links, and join those that differ in one interval."""
    by_end: dict[Leaf, list[Link]] = {}
    for link in links:
        by_end.setdefault(link.end, []).append(link)
    return [link for group in by_end.values() for link in _join_links(group)]


def _join_links(links: list[Link]) -> list[Link]:
    links = without_covered(replace(link, map=_without_offsets(link.map)) for link in links)
    while 1 < len(links) <= MAX_JOINED and (fewer := next(_joins(links), None)) is not None:
        links = fewer
    return links


def _joins(links: list[Link]) -> Iterator[list[Link]]:
    """The links with one pair joined, for each pair that can be."""
    for one, other in combinations(links, 2):
        same = (one.enclosing, one.undecided) == (other.enclosing, other.undecided)
        if not same or one.place is not None or other.place is not None:
            continue
        whole = _hull(one.map, other.map) or _extension(one.map, other.map) or _extension(other.map, one.map)
        if whole is not None:
            yield [replace(one, map=whole) if link is one else link for link in links if link is not other]


def _intervals(index_map: IndexMap) -> dict[Expression, Interval]:
    """The interval of each variable and of each constraint's expression."""
    found: dict[Expression, Interval] = {Dim(k): each for k, each in enumerate(index_map.dimensions)}
    found |= {Range(k): each for k, each in enumerate(index_map.ranges)}
    return found | dict(index_map.constraints)


def _hull(one: IndexMap, other: IndexMap) -> IndexMap | None:
    """The union of two maps that differ in one interval, if the intervals overlap or adjoin."""
    if one.kind is not Kind.NORMAL or one.runtimes or other.runtimes or one.results != other.results:
        return None
    mine, its = _intervals(one), _intervals(other)
    distinct = [expression for expression in mine if mine[expression] != its.get(expression)]
    if mine.keys() != its.keys() or len(distinct) != 1:
        return None
    a, b = mine[distinct[0]], its[distinct[0]]
    if max(a.lower, b.lower) > min(a.upper, b.upper) + 1:
        return None
    return _with_interval(one, distinct[0], hull((a, b)))


def _extension(index_map: IndexMap, other: IndexMap) -> IndexMap | None:
    """The union of a map and one that extends it by one step beyond a bound of a constraint."""
    return next((whole for beyond, whole in _extensions(index_map) if beyond == order_ranges(other)), None)


@lru_cache(CACHE_SIZE)
def _extensions(index_map: IndexMap) -> tuple[tuple[IndexMap, IndexMap], ...]:
    """For each bound of a constraint: the map one step beyond it, and the map with that step."""
    if index_map.kind is not Kind.NORMAL or index_map.runtimes or not index_map.ranges:
        return ()
    return tuple(
        (
            order_ranges(_without_offsets(_with_interval(index_map, expression, Interval(step, step)))),
            _with_interval(index_map, expression, hull((interval, Interval(step, step)))),
        )
        for expression, interval in index_map.constraints
        for step in (interval.lower - 1, interval.upper + 1)
    )


def _with_interval(index_map: IndexMap, expression: Expression, interval: Interval) -> IndexMap:
    """Replace the interval of a variable, or of a constraint's expression."""
    found = _intervals(index_map) | {expression: interval}
    return normalize(
        replace(
            index_map,
            dimensions=tuple(found[Dim(k)] for k in range(len(index_map.dimensions))),
            ranges=tuple(found[Range(k)] for k in range(len(index_map.ranges))),
            constraints=tuple((each, found[each]) for each, _ in index_map.constraints),
        )
    )


@lru_cache(CACHE_SIZE)
def _without_offsets(index_map: IndexMap) -> IndexMap:
    """Shift ranges so that results add no constant: s0 + 4 for s0 in [0, 3] becomes s0 in [4, 7]."""
    moved: dict[Expression, int] = {}
    for result in index_map.results:
        if index_map.kind is Kind.NORMAL and not index_map.runtimes:
            terms = dict(map(split_coefficient, terms_of(result)))
            for variable, times in terms.items():
                if isinstance(variable, Range) and times == 1:
                    moved.setdefault(variable, constant_of(result))
    replaced: dict[Expression, Expression] = {each: each - offset for each, offset in moved.items() if offset}
    if not replaced:
        return index_map
    results, constraints = index_map.substitute(replaced)
    offsets = (Interval(moved.get(Range(k), 0), moved.get(Range(k), 0)) for k in range(len(index_map.ranges)))
    ranges = tuple(each + offset for each, offset in zip(index_map.ranges, offsets, strict=True))
    return normalize(replace(index_map, results=results, ranges=ranges, constraints=constraints))
