"""All iterations of a loop that counts: on which elements, before which iteration, its values depend.

Two kinds of values have a summary: those that are updated at the counter, as the stacked results of a scan, and those whose
links are the same in every iteration, as sums and recurrences; these are composed until one iteration more makes no
difference. For all others `NoSummary` is raised.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ..indexing import IndexMap, Interval
from .counter_updates import counter_updates
from .iteration_space import NoSummary, end_at, repeat, start_at, without_iterations
from .joins import join_adjoining
from .leaves import Leaf
from .normal_forms import normalize, order_ranges
from .unions import Link, Union, compose_links, without_covered

MOST_COMPOSITIONS = 2000
"""Compositions of two links for one loop; with more there is no summary."""
MOST_STEPS = 8
"""The number of iterations after which one more has to make no difference."""
FIRST = Interval(0, 0)
"""Before all iterations."""
Start = tuple[Link, Interval]
"""A link to a value, and before which iterations it is that."""
Ways = Mapping[Leaf, Sequence[Link]]
"""For each loop value links over the iteration space to values of its group, over any number of iterations, none included."""


@dataclass(frozen=True)
class ReachedValues:
    """The links to what is reached in any number of iterations."""

    union: Union
    changing: frozenset[Leaf] = frozenset()
    """The loop values to which links lead over the iteration space."""

    def at(self, iterations: Interval | None) -> Union:
        """The links that end before one of `iterations`, or with `None` before any; all where the links do not tell."""
        return Union(end_at(link, iterations) if link.end in self.changing else link for link in self.union)


class LoopSummary:
    """The iterations of a loop, made of `links` of one: of each loop value and of values around the loop.

    A link to one of `shapes`, the loop values that change, leads over the iteration space (see `iteration_space`); one to
    another leaf has no iteration as result.
    """

    def __init__(
        self,
        links: Mapping[Leaf, Sequence[Link]],
        shapes: Mapping[Leaf, tuple[int, ...]],
        trips: int,
        *,
        inverse: bool,
    ) -> None:
        self.links, self.shapes, self.trips, self.inverse = links, shapes, trips, inverse
        self._compositions = 0

    def reach(self, starts: Iterable[Start]) -> ReachedValues:
        """The links from `starts` through any number of iterations. Raises NoSummary."""
        ends, arrived = Union(), {value: Union() for value in self.shapes}
        for link in self._first_links(starts):
            arrived.get(link.end, ends).add(link)
        for group, ways in self._ways:
            if ways:
                entries = [link for value in group for link in self._compose(arrived[value], ways[value])]
                arrived |= {value: Union(link for link in entries if link.end == value) for value in group}
            for value in group:
                arrived[value] = Union(join_adjoining(arrived[value]))
                for link in self._compose(arrived[value], self._links_out_of(value, group)):
                    arrived.get(link.end, ends).add(link)
        for union in arrived.values():
            ends.extend(union)
        return ReachedValues(ends, frozenset(self.shapes))

    def _first_links(self, starts: Iterable[Start]) -> Iterator[Link]:
        for link, iterations in starts:
            if link.map.is_undefined or link.place is not None:
                raise NoSummary
            yield start_at(link, iterations) if link.end in self.shapes else link
            if self.inverse and link.end not in self.shapes:
                # What does not change goes into others in each iteration.
                in_each = start_at(link, Interval(0, self.trips - 1))
                yield from self._compose([in_each], self.links.get(link.end, ()))

    def _links_out_of(self, value: Leaf, group: frozenset[Leaf]) -> list[Link]:
        return [link for link in self.links.get(value, ()) if link.end not in group]

    def _compose(self, first: Iterable[Link], second: Sequence[Link]) -> Iterator[Link]:
        for one in first:
            for other in second:
                self._compositions += 1
                if self._compositions > MOST_COMPOSITIONS:
                    raise NoSummary
                yield compose_links(one, other)

    @cached_property
    def _ways(self) -> list[tuple[frozenset[Leaf], Ways]]:
        return [(group, self._ways_in(group)) for group in self._groups]

    def _ways_in(self, group: frozenset[Leaf]) -> Ways:
        within = {value: [link for link in self.links.get(value, ()) if link.end in group] for value in group}
        if not any(within.values()):
            return {}
        if len(group) == 1:
            (value,) = group
            updates = counter_updates(within[value], self.shapes[value], self.trips, inverse=self.inverse)
            if updates is not None:
                return {value: updates}
        return self._iterate({value: without_iterations(links) for value, links in within.items()})

    def _iterate(self, once: Mapping[Leaf, Sequence[Link]]) -> Ways:
        """The ways of values whose links `once` are the same in each iteration. Raises NoSummary."""
        ways: dict[Leaf, list[Link]] = {value: [] for value in once}
        since: dict[tuple[Leaf, Link], int] = {}
        made = {value: [Link(value, normalize(IndexMap.identity(self.shapes[value])))] for value in once}
        for times in range(self.trips + 1):
            after = {value: self._next(links, once) for value, links in made.items()}
            rests = all(set(after[value]) == set(links) for value, links in made.items())
            is_last = rests or times == self.trips
            for value, links in made.items():
                for link in links:
                    first = since.setdefault((value, link), times)
                    if is_last or link not in after[value]:
                        interval = Interval(first, self.trips if rests else times)
                        ways[value].append(repeat(link, interval, self.trips, inverse=self.inverse))
                        del since[value, link]
            if rests:
                break
            if times == MOST_STEPS < self.trips:
                raise NoSummary
            made = after
        return ways

    def _next(self, links: Iterable[Link], once: Mapping[Leaf, Sequence[Link]]) -> list[Link]:
        """Links between values of a group, composed with one more iteration."""
        made = Union(each for link in links for each in self._compose([link], once[link.end]))
        return [replace(link, map=order_ranges(link.map)) for link in without_covered(made)]

    @cached_property
    def _groups(self) -> tuple[frozenset[Leaf], ...]:
        """The loop values that depend on one another, those first that depend on others."""
        reachable = {value: self._reachable(value) for value in self.shapes}
        found = dict.fromkeys(
            frozenset(other for other in reachable[value] if value in reachable[other])
            for value in self.shapes
        )
        return tuple(sorted(found, key=lambda group: -len(reachable[next(iter(group))])))

    def _reachable(self, value: Leaf) -> set[Leaf]:
        found, waiting = {value}, [value]
        while waiting:
            for link in self.links.get(waiting.pop(), ()):
                if link.end in self.shapes and link.end not in found:
                    found.add(link.end)
                    waiting.append(link.end)
        return found
