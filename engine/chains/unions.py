"""Links between leaves, their composition, and their unions without duplicates."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from .leaves import Leaf
from .normal_forms import normalize, order_ranges, range_replacements, without_runtimes

MAX_MAPS = 32
"""Maximum number of maps between a pair of leaves; more are replaced by an enclosing one."""


@dataclass(frozen=True)
class Link:
    """A map from the indices of a start leaf, known to the link's owner, to those of `end`.

    `place`, `enclosing` and `undecided` are as in `OperandMap`. Runtime variables are read from the sources
    of the chains.
    """

    end: Leaf
    map: IndexMap
    place: Expression | None = None
    enclosing: bool = False
    undecided: bool = False


Links = Mapping[Leaf, tuple[Link, ...]]
"""Links by start leaf."""
Key = tuple[IndexMap, Expression | None]
"""A map with its place, with ranges numbered in the order of use."""


def mark_undecided(links: Iterable[Link], decided: Iterable[Link]) -> tuple[Link, ...]:
    """Mark links as undecided unless they are among `decided`, up to the order of ranges."""
    sure = {(link.end, *_key(link)) for link in decided if not link.undecided}
    return tuple(link if (link.end, *_key(link)) in sure else replace(link, undecided=True) for link in links)


class Union:
    """Links from one leaf to others, in order of discovery.

    Maps that differ only in the numbers of their ranges are equal, and covered maps are dropped. More than
    `MAX_MAPS` maps to one leaf are replaced by one that encloses them.
    """

    def __init__(self, links: Iterable[Link] = ()) -> None:
        self._ends: dict[Leaf, dict[Key, Link]] = {}
        self._enclosed: set[Leaf] = set()
        """The leaves whose maps were replaced by an enclosing one."""
        self.values: set[int] = set()
        """The values to which links lead."""
        self.extend(links)

    def add(self, link: Link) -> bool:
        """Add a link; returns whether it relates anything new."""
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
        if len(found) > MAX_MAPS or link.end in self._enclosed:
            return self._reduce(link.end)
        return True

    def _reduce(self, end: Leaf) -> bool:
        """Reduce the maps to a leaf; returns whether they relate anything new."""
        found = self._ends[end]
        kept = without_covered(found.values())
        if len(kept) > MAX_MAPS or end in self._enclosed:
            self._enclosed.add(end)
            kept = list(_enclosing_links(tuple(found.values())))
        self._ends[end] = {_key(each): each for each in kept}
        return not self._ends[end].keys() <= found.keys()

    def extend(self, links: Iterable[Link]) -> None:
        """Add several links."""
        for link in links:
            self.add(link)

    def enclose(self, link: Link) -> None:
        """Replace all links to a leaf by one."""
        self._ends[link.end] = {}
        self.add(link)

    def to(self, end: Leaf) -> tuple[Link, ...]:
        """The links to one leaf."""
        return tuple(self._ends.get(end, {}).values())

    def __iter__(self) -> Iterator[Link]:
        for end in self._ends:
            yield from self.to(end)


def _key(link: Link) -> Key:
    if link.place is None or link.map.kind is not Kind.NORMAL:
        return order_ranges(link.map), link.place
    placed = order_ranges(_map_with_place(link))
    return replace(placed, results=placed.results[:-1]), placed.results[-1]


def _enclosing_links(links: tuple[Link, ...]) -> Iterator[Link]:
    """One enclosing link within the process, and one for links to other processes."""
    undecided = all(link.undecided for link in links)
    own = [link.map for link in links if link.place is None]
    if own:
        yield Link(links[0].end, enclosure(own), None, True, undecided)
    others = [_map_with_place(link) for link in links if link.place is not None]
    if others:
        whole = enclosure(others)
        box = replace(whole, results=whole.results[:-1])
        yield Link(links[0].end, box, whole.results[-1], True, undecided)


def _covers(larger: Key, smaller: Key) -> bool:
    """Whether a map contains another with the same results: larger intervals, fewer constraints."""
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


def without_covered(links: Iterable[Link]) -> list[Link]:
    """Drop links that are covered by others of at most the same uncertainty."""
    kept: list[Link] = []
    for link in links:
        if not any(_contains(other, link) for other in kept):
            kept = [*(other for other in kept if not _contains(link, other)), link]
    return kept


def _contains(larger: Link, smaller: Link) -> bool:
    """Whether a link to a box of elements contains another one and is not more uncertain."""
    one, other = larger.map, smaller.map
    if larger.end != smaller.end or larger.place is not None or smaller.place is not None:
        return False
    if larger.enclosing > smaller.enclosing or larger.undecided > smaller.undecided:
        return False
    if one.kind is not Kind.NORMAL or other.kind is not Kind.NORMAL or one.constraints or one.runtimes:
        return False
    boxes = [result for result in one.results if isinstance(result, Range)]
    if len(set(boxes)) < len(boxes):
        return False
    pairs = zip(one.results, other.results, strict=True)
    return all(mine.covers(its) for mine, its in zip(one.dimensions, other.dimensions, strict=True)) and all(
        one.ranges[mine.number].covers(other.intervals(its))
        if isinstance(mine, Range)
        else mine == its and isinstance(mine, Dim | Constant)
        for mine, its in pairs
    )


def compose_links(first: Link, second: Link) -> Link:
    """The second link after the first, in normal form.

    If both lead to other processes, the place is that of the second, and the link encloses, since the
    collectives may have different groups. It also encloses if the first leads to another process and the
    second has runtime variables, whose values there are unknown.
    """
    if first.place is not None and second.map.runtimes:
        second = _in_any_process(second)
    enclosing, undecided = first.enclosing or second.enclosing, first.undecided or second.undecided
    if first.map.is_undefined or second.map.is_undefined:
        return Link(second.end, UNDEFINED, None, enclosing, undecided)
    if _passes_unchanged(first.map, second):
        return replace(first, end=second.end, enclosing=enclosing, undecided=undecided)
    before, after = _map_with_place(first), _map_taking_place(second, first.place is not None)
    composed = compose(before, after)
    count = len(second.map.results)
    places = composed.results[count:]
    index_map = replace(composed, results=composed.results[:count])
    link = normalize_link(second.end, index_map, places[-1] if places else None, enclosing or len(places) > 1)
    return replace(link, undecided=undecided)


def normalize_link(end: Leaf, index_map: IndexMap, place: Expression | None, enclosing: bool) -> Link:
    """The link of a map in normal form; its place is normalised with it, since both share symbols."""
    if place is not None and not index_map.is_undefined:
        index_map = replace(index_map, results=(*index_map.results, place))
    found = normalize(index_map)
    if place is None or found.kind is not Kind.NORMAL:
        return Link(end, found, None, enclosing)
    return Link(end, replace(found, results=found.results[:-1]), found.results[-1], enclosing)


def _passes_unchanged(first: IndexMap, link: Link) -> bool:
    """Whether the link is the identity on all results of a map, as for elementwise ops."""
    found = link.map
    if link.place is not None or found.kind is not Kind.NORMAL or first.kind is not Kind.NORMAL:
        return False
    if found.ranges or found.runtimes or found.constraints or len(found.results) != len(found.dimensions):
        return False
    same = all(result == Dim(number) for number, result in enumerate(found.results))
    reached = zip(first.results, found.dimensions, strict=True)
    return same and all(interval.covers(first.intervals(result)) for result, interval in reached)


def rename_sources(link: Link, end: Leaf, sources: dict[int, int]) -> Link:
    """The link to another leaf, with runtime variables read from other sources."""
    return replace(link, end=end, map=link.map.with_operands(sources) if sources else link.map)


def everything(start: Sequence[int], end: Sequence[int]) -> IndexMap:
    """(d0)[s0, s1] -> (s0, s1): every element of one shape belongs to every element of another."""
    return IndexMap.of(map(Range, range(len(end))), start, ranges=end)


def enclosure(maps: Sequence[IndexMap]) -> IndexMap:
    """A box for each index that contains the union of maps of equal ranks."""
    if any(index_map.is_undefined for index_map in maps):
        return UNDEFINED
    dimensions = [hull(intervals) for intervals in zip(*(m.dimensions for m in maps), strict=True)]
    reached = (map(m.intervals, m.results) for m in maps)
    ranges = tuple(hull(intervals) for intervals in zip(*reached, strict=True))
    same: dict[int, Expression] = {}
    for number, results in enumerate(zip(*(m.results for m in maps), strict=True)):
        # Keep a result that is the same in all maps, without symbols.
        if len(set(results)) == 1 and isinstance(results[0], Dim | Constant):
            same[number] = results[0]
    kept = [number for number in range(len(ranges)) if number not in same]
    results = tuple(
        same.get(n, Range(kept.index(n)) if n in kept else Constant(0)) for n in range(len(ranges))
    )
    return IndexMap(results, tuple(dimensions), tuple(ranges[number] for number in kept))


def hull(intervals: Iterable[Interval]) -> Interval:
    """The smallest interval that contains all."""
    known = list(intervals)
    return Interval(min(i.lower for i in known), max(i.upper for i in known))


def _map_with_place(link: Link) -> IndexMap:
    if link.place is None:
        return link.map
    return replace(link.map, results=(*link.map.results, link.place))


def _in_any_process(link: Link) -> Link:
    """The link for any values of its runtime variables."""
    numbers = range(len(link.map.runtimes))
    place = link.place and substitute(link.place, range_replacements(link.map, numbers))
    return Link(link.end, without_runtimes(link.map, numbers), place, True, link.undecided)


def _map_taking_place(link: Link, takes_place: bool) -> IndexMap:
    """The link's map with its place as last result, preceded by that of the previous link if any."""
    placed = link.map
    if takes_place:
        dimensions = (*placed.dimensions, EVERYTHING)
        runtimes = (replace(each, map=replace(each.map, dimensions=dimensions)) for each in placed.runtimes)
        results = (*placed.results, Dim(len(dimensions) - 1))
        placed = replace(placed, dimensions=dimensions, results=results, runtimes=tuple(runtimes))
    return placed if link.place is None else replace(placed, results=(*placed.results, link.place))
