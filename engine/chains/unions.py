"""Links between leaves, and ordered sets of them: one composition of maps after another, without doubles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..indexing import (
    EVERYTHING,
    UNDEFINED,
    Constant,
    Dim,
    Expression,
    IndexMap,
    Interval,
    Kind,
    Range,
    compose,
    substitute,
)
from .enclosing import as_ranges, without_runtimes
from .leaves import Leaf
from .tidying import ordered, simplified

MOST_MAPS = 32
"""Maps of one pair of leaves; more are enclosed by one."""


@dataclass(frozen=True)
class Link:
    """How two leaves belong together: the map goes from the indices of one to those of `end`.

    `place`, `enclosing` and `undecided` are those of `OperandMap`. The map's runtime variables are read from the sources of the
    chains that made it.
    """

    end: Leaf
    map: IndexMap
    place: Expression | None = None
    enclosing: bool = False
    undecided: bool = False


Key = tuple[IndexMap, Expression | None]
"""A map with its place, the ranges numbered as they are met."""


def undecided_but(links: Iterable[Link], decided: Iterable[Link]) -> tuple[Link, ...]:
    """Links that a run may take or not: all but those that it takes anyway, under whatever name of their ranges."""
    sure = {(link.end, *_key(link)) for link in decided if not link.undecided}
    return tuple(link if (link.end, *_key(link)) in sure else replace(link, undecided=True) for link in links)


class Union:
    """The links from one leaf to others, in the order in which they were found.

    Equal maps are one, also where only their range variables are numbered otherwise, and so are a map and another
    that says the same of a part of its domain.
    """

    def __init__(self) -> None:
        self._ends: dict[Leaf, dict[Key, Link]] = {}
        self._enclosed: set[Leaf] = set()
        """The leaves to which there is one map for more than can be looked at."""
        self.values: set[int] = set()
        """The values that something goes to."""

    def add(self, link: Link) -> bool:
        """Adds a link; whether it says anything new. One that relates nothing does not."""
        if link.map.is_known_empty:
            return False
        self.values.add(link.end.value)
        found = self._ends.setdefault(link.end, {})
        key = _key(link)
        known = found.get(key)
        if known is not None:
            enclosing, undecided = known.enclosing and link.enclosing, known.undecided and link.undecided
            found[key] = replace(known, enclosing=enclosing, undecided=undecided)
            return False
        if any(_covers(other, key) for other in found):
            return False
        for other in [other for other in found if _covers(key, other)]:
            del found[other]
        found[key] = link
        if len(found) > MOST_MAPS or link.end in self._enclosed:
            self._enclosed.add(link.end)
            wholes = list(_enclosed(tuple(found.values())))
            self._ends[link.end] = {_key(whole): whole for whole in wholes}
            return not self._ends[link.end].keys() <= found.keys()
        return True

    def extend(self, links: Iterable[Link]) -> None:
        """Adds several."""
        for link in links:
            self.add(link)

    def enclose(self, link: Link) -> None:
        """Puts one link in the place of all to its leaf."""
        self._ends[link.end] = {}
        self.add(link)

    def to(self, end: Leaf) -> tuple[Link, ...]:
        """The links to one leaf."""
        return tuple(self._ends.get(end, {}).values())

    def __iter__(self) -> Iterator[Link]:
        for end in self._ends:
            yield from self.to(end)

    @property
    def ends(self) -> tuple[Leaf, ...]:
        """The leaves that something goes to."""
        return tuple(self._ends)


def _key(link: Link) -> Key:
    if link.place is None or link.map.kind is not Kind.NORMAL:
        return ordered(link.map), link.place
    placed = ordered(_placed(link))
    return replace(placed, results=placed.results[:-1]), placed.results[-1]


def _enclosed(links: tuple[Link, ...]) -> Iterator[Link]:
    """One link for those within the process, and one for those that go to others."""
    undecided = all(link.undecided for link in links)
    own = [link.map for link in links if link.place is None]
    if own:
        yield Link(links[0].end, enclosure(own), None, True, undecided)
    others = [_placed(link) for link in links if link.place is not None]
    if others:
        whole = enclosure(others)
        box = replace(whole, results=whole.results[:-1])
        yield Link(links[0].end, box, whole.results[-1], True, undecided)


def _covers(larger: Key, smaller: Key) -> bool:
    """Whether a map says all that another says, as far as can be seen from how they are written."""
    one, other = larger[0], smaller[0]
    if one.results != other.results or larger[1] != smaller[1] or one.is_undefined or other.is_undefined:
        return False
    if len(one.dimensions) != len(other.dimensions) or len(one.ranges) != len(other.ranges):
        return False
    if one.runtimes and one.runtimes != other.runtimes:
        return False
    boxes = zip((*one.dimensions, *one.ranges), (*other.dimensions, *other.ranges), strict=True)
    if not all(mine.covers(its) for mine, its in boxes):
        return False
    stated = dict(other.constraints)
    return all(
        expression in stated and interval.covers(stated[expression])
        for expression, interval in one.constraints
    )


def behind(first: Link, second: Link) -> Link:
    """The second link after the first: simplified, without symbols that nothing uses.

    Where both go to other processes, the place is that of the second, and the link encloses what belongs together:
    the processes that the first one meets may not be those that the second one does. So it does where the second one
    reads something, which other processes have otherwise.
    """
    if first.place is not None and second.map.runtimes:
        second = _in_any_process(second)
    enclosing, undecided = first.enclosing or second.enclosing, first.undecided or second.undecided
    if first.map.is_undefined or second.map.is_undefined:
        return Link(second.end, UNDEFINED, None, enclosing, undecided)
    if _hands_on(first.map, second):
        return replace(first, end=second.end, enclosing=enclosing, undecided=undecided)
    before, after = _placed(first), _passing_on(second, first.place is not None)
    composed = compose(before, after)
    count = len(second.map.results)
    places = composed.results[count:]
    index_map = replace(composed, results=composed.results[:count])
    link = tidied(second.end, index_map, places[-1] if places else None, enclosing or len(places) > 1)
    return replace(link, undecided=undecided)


def tidied(end: Leaf, index_map: IndexMap, place: Expression | None, enclosing: bool) -> Link:
    """A link by the simplified map. Its place may use symbols that the map itself does not: both are simplified as one."""
    if place is not None and not index_map.is_undefined:
        index_map = replace(index_map, results=(*index_map.results, place))
    found = simplified(index_map)
    if place is None or found.kind is not Kind.NORMAL:
        return Link(end, found, None, enclosing)
    return Link(end, replace(found, results=found.results[:-1]), found.results[-1], enclosing)


def _hands_on(first: IndexMap, link: Link) -> bool:
    """Whether all that a map gives goes on to the element of the same index: most ops are elementwise."""
    found = link.map
    if link.place is not None or found.kind is not Kind.NORMAL or first.kind is not Kind.NORMAL:
        return False
    if found.ranges or found.runtimes or found.constraints or len(found.results) != len(found.dimensions):
        return False
    same = all(result == Dim(number) for number, result in enumerate(found.results))
    reached = zip(first.results, found.dimensions, strict=True)
    return same and all(interval.covers(first.intervals(result)) for result, interval in reached)


def renamed(link: Link, end: Leaf, sources: dict[int, int]) -> Link:
    """The link to another leaf, with the runtime variables read from other sources."""
    return replace(link, end=end, map=link.map.with_operands(sources) if sources else link.map)


def everything(start: Sequence[int], end: Sequence[int]) -> IndexMap:
    """(d0)[s0, s1] -> (s0, s1): every element of one shape belongs to every element of another."""
    return IndexMap.of(map(Range, range(len(end))), start, ranges=end)


def enclosure(maps: Sequence[IndexMap]) -> IndexMap:
    """One map of a box for each index, which holds the union of several maps of equal ranks."""
    if any(index_map.is_undefined for index_map in maps):
        return UNDEFINED
    dimensions = [hull(intervals) for intervals in zip(*(m.dimensions for m in maps), strict=True)]
    reached = (map(m.intervals, m.results) for m in maps)
    ranges = tuple(hull(intervals) for intervals in zip(*reached, strict=True))
    same: dict[int, Expression] = {}
    for number, results in enumerate(zip(*(m.results for m in maps), strict=True)):
        # What all maps say alike of one dimension, without symbols, can stay as it is.
        if len(set(results)) == 1 and isinstance(results[0], Dim | Constant):
            same[number] = results[0]
    kept = [number for number in range(len(ranges)) if number not in same]
    results = tuple(
        same.get(n, Range(kept.index(n)) if n in kept else Constant(0)) for n in range(len(ranges))
    )
    return IndexMap(results, tuple(dimensions), tuple(ranges[number] for number in kept))


def hull(intervals: Iterable[Interval]) -> Interval:
    """The least interval that holds all."""
    known = list(intervals)
    return Interval(min(i.lower for i in known), max(i.upper for i in known))


def _placed(link: Link) -> IndexMap:
    if link.place is None:
        return link.map
    return replace(link.map, results=(*link.map.results, link.place))


def _in_any_process(link: Link) -> Link:
    """The link with all values in the place of those that are read in a run."""
    numbers = range(len(link.map.runtimes))
    place = link.place and substitute(link.place, as_ranges(link.map, numbers))
    return Link(link.end, without_runtimes(link.map, numbers), place, True, link.undecided)


def left(first: Link, index_map: IndexMap) -> Link:
    """The link to the same end of an op's body that goes on by `index_map` to what the op was given, in the same place."""
    assert first.place is not None
    return replace(tidied(first.end, index_map, first.place, first.enclosing), undecided=first.undecided)


def _passing_on(link: Link, takes_place: bool) -> IndexMap:
    """The link's map, its place as last result; before that the place that it is handed as last dimension."""
    placed = link.map
    if takes_place:
        dimensions = (*placed.dimensions, EVERYTHING)
        runtimes = (replace(each, map=replace(each.map, dimensions=dimensions)) for each in placed.runtimes)
        results = (*placed.results, Dim(len(dimensions) - 1))
        placed = replace(placed, dimensions=dimensions, results=results, runtimes=tuple(runtimes))
    return placed if link.place is None else replace(placed, results=(*placed.results, link.place))
