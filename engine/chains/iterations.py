"""All iterations of a loop together, exactly: which moment of which loop value hangs on which.

The loop values that hang on one another are taken together, and what leads from one of them to another is found by
leaving out one after the other (Kleene): all ways that go through a value are those to it, round it, and from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ..indexing import Interval, Kind, Range
from .joining import joined
from .leaves import Leaf
from .repeated import NotClosed, Repeating, canonical, repeated, resting
from .tidying import simplified, with_range
from .unions import Link, Union, behind

MOST_WORK = 500
"""Compositions of two links for one loop, after which it is not looked at any further."""
MANY = 16
"""Links to one loop value from which on they are made fewer at once."""
WORTH_JOINING = 4
"""Links to one loop value from which on it is seen whether fewer say the same."""


@dataclass
class Iterations:
    """The timed links of one iteration: `links` of each loop value, and of values around the loop.

    A link to one of `values` is timed at both ends (see `repeated`); a link to another leaf has no moment as result.
    """

    links: Mapping[Leaf, Sequence[Link]]
    shapes: Mapping[Leaf, tuple[int, ...]]
    """Those of the loop values that change: `values`."""
    trips: int
    inverse: bool
    work: int = 0

    @cached_property
    def values(self) -> frozenset[Leaf]:
        """The loop values that change."""
        return frozenset(self.shapes)

    def reached(self, starts: Iterable[Link]) -> Union:
        """All that is reached from links that lead to moments of loop values, or to others. Raises NotClosed."""
        ends, arrived = Union(), {value: Union() for value in self.values}
        for link in starts:
            (arrived[link.end] if link.end in self.values else ends).add(link)
        for group in self._groups:
            for value in group:
                arrived[value] = _fewer(arrived[value])
            self._within(group, arrived)
            for value in group:
                arrived[value] = _fewer(arrived[value])
                for link in self._behind(list(arrived[value]), self._leaving(value, group)):
                    (arrived[link.end] if link.end in self.values else ends).add(link)
        for union in arrived.values():
            ends.extend(union)
        return ends

    def from_others(self, start: Link) -> Iterator[Link]:
        """What a value that does not change goes into, in each iteration."""
        found = self.links.get(start.end, ())
        return self._behind([started(start, Interval(0, self.trips - 1))], found) if found else iter(())

    def _within(self, group: frozenset[Leaf], arrived: dict[Leaf, Union]) -> None:
        """Goes on within loop values that hang on one another."""
        ways = self._ways_in[group]
        entries = {value: [self._rested(link) for link in arrived[value]] for value in group}
        for value in group:
            arrived[value].extend(entries[value])
        for (start, end), union in ways.items():
            for link in self._behind(entries[start], list(union)):
                arrived[end].add(self._rested(link))
                if len(arrived[end].to(end)) > MANY:
                    arrived[end] = _fewer(arrived[end])

    def _rested(self, link: Link) -> Link:
        rests = self._cycles.get(link.end, Repeating()).rests
        return resting(link, inverse=self.inverse, trips=self.trips) if rests else link

    def _leaving(self, value: Leaf, group: frozenset[Leaf]) -> list[Link]:
        return [link for link in self.links.get(value, ()) if link.end not in group]

    def _behind(self, first: Sequence[Link], second: Sequence[Link]) -> Iterator[Link]:
        for one in first:
            for other in second:
                self.work += 1
                if self.work > MOST_WORK:
                    raise NotClosed
                link = behind(one, other)
                yield canonical(link) if link.end in self.values else link

    @cached_property
    def _cycles(self) -> dict[Leaf, Repeating]:
        """What the links of a value to itself make, without other values."""
        found = {}
        for value in self.values:
            own = [link for link in self.links.get(value, ()) if link.end == value]
            if own:
                found[value] = repeated(own, self.shapes[value], self.trips, inverse=self.inverse)
        return found

    @cached_property
    def _ways_in(self) -> Mapping[frozenset[Leaf], Mapping[tuple[Leaf, Leaf], Union]]:
        return {group: self._ways(group) for group in self._groups}

    def _ways(self, group: frozenset[Leaf]) -> Mapping[tuple[Leaf, Leaf], Union]:
        """All ways from each of some loop values to each, of one iteration or more."""
        ways = {(start, end): Union() for start in group for end in group}
        for start in group:
            for link in self.links.get(start, ()):
                if link.end in group:
                    ways[start, link.end].add(link)
        for middle in group:
            self._through(middle, group, ways)
        return ways

    def _through(self, middle: Leaf, group: frozenset[Leaf], ways: dict[tuple[Leaf, Leaf], Union]) -> None:
        """Adds the ways that go through one of the loop values."""
        own = list(ways[middle, middle])
        alone = len(group) == 1
        around = (
            self._cycles.get(middle, Repeating())
            if alone
            else repeated(own, self.shapes[middle], self.trips, inverse=self.inverse)
        )
        ways[middle, middle] = _union(around.once)
        for start in group - {middle}:
            ways[start, middle] = self._to_middle(ways[start, middle], around)
        for end in group - {middle}:
            onwards = list(ways[middle, end])
            for start in group - {middle}:
                ways[start, end].extend(self._behind(list(ways[start, middle]), onwards))
            ways[middle, end].extend(list(self._behind(around.once, onwards)))

    def _to_middle(self, into: Union, around: Repeating) -> Union:
        """The ways to a loop value, and round it."""
        if around.rests:
            into = _union(resting(link, inverse=self.inverse, trips=self.trips) for link in into)
        into.extend(list(self._behind(list(into), around.once)))
        return into

    @cached_property
    def _groups(self) -> tuple[frozenset[Leaf], ...]:
        """The loop values that hang on one another, those first that hang on others."""
        reach = {value: self._reach(value) for value in self.values}
        found = dict.fromkeys(
            frozenset(other for other in reach[value] if value in reach[other])
            for value in sorted(self.values, key=lambda leaf: (leaf.value, leaf.path))
        )
        return tuple(sorted(found, key=lambda group: -len(reach[next(iter(group))])))

    def _reach(self, value: Leaf) -> set[Leaf]:
        found, waiting = {value}, [value]
        while waiting:
            for link in self.links.get(waiting.pop(), ()):
                if link.end in self.values and link.end not in found:
                    found.add(link.end)
                    waiting.append(link.end)
        return found


def _fewer(union: Union) -> Union:
    return _union(joined(union)) if len(list(union)) >= WORTH_JOINING else union


def _union(links: Iterable[Link]) -> Union:
    found = Union()
    found.extend(links)
    return found


def started(link: Link, moments: Interval) -> Link:
    """A link to a loop value, at any of some moments."""
    index_map, moment = link.map, Range(len(link.map.ranges))
    timed = replace(with_range(index_map, moments), results=(*index_map.results, moment))
    return replace(link, map=simplified(timed))


def ended(link: Link, moments: Interval | None) -> Link:
    """A link to a loop value at one of some moments, or at any, without the moment."""
    index_map = link.map
    if index_map.kind is not Kind.NORMAL:
        return replace(link, map=replace(index_map, results=index_map.results[:-1]))
    limits = () if moments is None else ((index_map.results[-1], moments),)
    untimed = replace(
        index_map, results=index_map.results[:-1], constraints=(*index_map.constraints, *limits)
    )
    return replace(link, map=simplified(untimed))
