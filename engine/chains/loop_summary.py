"""Summaries of counted loops: the elements and iterations on which its values depend.

Two kinds of values have a summary: those updated at the counter, such as the stacked results of a scan, and
those with the same links in every iteration, such as sums and recurrences, whose links are composed until a
fixed point. For all others `NoSummary` is raised.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ..indexing import Dim, Expression, IndexMap, Interval, Kind, Range, interval_of, substitute
from ..indexing.core.expressions import split_coefficient, terms_of
from ..indexing.core.interval import box
from .iteration_space import NoSummary, end_at, repeat, start_at, without_iterations
from .joins import join_adjoining
from .leaves import Leaf
from .normal_forms import normalize, order_ranges
from .unions import Link, Union, compose_links, without_covered

# Loop values updated at the counter, such as `ys[t] = y` in a scan: each element at most once.
#
# An element is written in the iteration whose window contains its expression over index and iteration; all
# other elements are kept. The windows of consecutive iterations adjoin, so no element is written twice.


def counter_updates(
    own: Sequence[Link], shape: Sequence[int], trips: int, *, inverse: bool
) -> list[Link] | None:
    """Links of a loop value to itself over any number of iterations; `None` for other values.

    `own` are the links of one iteration over the iteration space, `shape` is the value's.
    """
    conditions = [each for each in (_condition(link, Dim(len(shape))) for link in own) if each is not None]
    if len(conditions) < len(own) or len({(each.expression, each.step) for each in conditions}) != 1:
        return None
    updates = _Updates.of(conditions, tuple(shape), trips, inverse=inverse)
    maps = zip(own, conditions, strict=True)
    stated = {normalize(replace(link.map, constraints=((e.expression, e.interval),))) for link, e in maps}
    if updates is None or stated != updates.one_iteration:
        return None
    return [replace(own[0], map=each) for each in updates.any_iterations]


@dataclass(frozen=True)
class _Condition:
    """`expression`, which grows by `step` per iteration, lies in `interval`."""

    expression: Expression
    interval: Interval
    step: int


def _condition(link: Link, iteration: Dim) -> _Condition | None:
    """The only constraint of a link, if it is linear and changes with the iteration; else `None`."""
    found = link.map
    if link.place is not None or link.enclosing or link.undecided or found.kind is not Kind.NORMAL:
        return None
    if found.ranges or found.runtimes or len(found.constraints) != 1:
        return None
    ((expression, interval),) = found.constraints
    factors = dict(map(split_coefficient, terms_of(expression)))
    step = factors.get(iteration, 0)
    if not step or any(atom.children for atom in factors):
        return None
    return _Condition(expression, interval, step) if step > 0 else _Condition(-expression, -interval, -step)


@dataclass(frozen=True)
class _Updates:
    """Updates of the elements whose `expression` is between the intervals `below` and `above`."""

    expression: Expression
    below: Interval
    above: Interval
    step: int
    shape: tuple[int, ...]
    trips: int
    inverse: bool

    @staticmethod
    def of(
        conditions: Sequence[_Condition], shape: tuple[int, ...], trips: int, *, inverse: bool
    ) -> _Updates | None:
        """The updates of what `conditions` exclude; `None` if windows overlap or leave gaps."""
        expression, step = conditions[0].expression, conditions[0].step
        dimensions = (*box(shape), Interval(0, trips - 1) if inverse else Interval(1, trips))
        whole = interval_of(expression, {Dim(k): each for k, each in enumerate(dimensions)})
        kept = [each.interval for each in conditions]
        below = max((each.upper for each in kept if each.lower <= whole.lower), default=whole.lower - 1)
        above = min((each.lower for each in kept if each.lower > whole.lower), default=whole.upper + 1)
        if above - below - 1 != step:
            return None
        outside = Interval(whole.lower, below), Interval(above, whole.upper)
        return _Updates(expression, *outside, step, shape, trips, inverse)

    @property
    def one_iteration(self) -> set[IndexMap]:
        """The maps that keep what one iteration does not write."""
        iteration, iterations = Dim(len(self.shape)), Interval(0, self.trips - 1)
        dimensions = (*box(self.shape), iterations if self.inverse else iterations + Interval(1, 1))
        results = (*self._index, iteration + (1 if self.inverse else -1))
        return {
            normalize(IndexMap(results, dimensions, constraints=((self.expression, outside),)))
            for outside in (self.below, self.above)
            if not outside.is_empty
        }

    @property
    def any_iterations(self) -> list[IndexMap]:
        """The maps that keep elements written before a span of iterations, or after it.

        Since the expression grows, elements above the window have been written, and those below it will be.
        """
        start, end, iterations = Dim(len(self.shape)), Range(0), Interval(0, self.trips)
        first, last = (start, end) if self.inverse else (end, start)
        written = self._at(first), Interval(self.above.lower, self.above.upper + self.step)
        unwritten = self._at(last - 1), Interval(self.below.lower - self.step, self.below.upper)
        order, dimensions = (last - first, iterations), (*box(self.shape), iterations)
        return [
            normalize(IndexMap((*self._index, end), dimensions, (iterations,), (), (order, each)))
            for each in (written, unwritten)
        ]

    @property
    def _index(self) -> tuple[Expression, ...]:
        return tuple(map(Dim, range(len(self.shape))))

    def _at(self, iteration: Expression) -> Expression:
        """The expression in an iteration; forward links are numbered by the iterations before them."""
        number = iteration if self.inverse else iteration + 1
        return substitute(self.expression, {Dim(len(self.shape)): number})


MAX_COMPOSITIONS = 2000
"""Maximum number of compositions of two links per loop."""
MAX_STEPS = 8
"""Maximum number of iterations until the fixed point."""
FIRST = Interval(0, 0)
"""Before all iterations."""
Start = tuple[Link, Interval]
"""A link to a value, and the iterations before which the value is taken."""
Paths = Mapping[Leaf, Sequence[Link]]
"""For each loop value, links over any number of iterations to values of its group."""


@dataclass(frozen=True)
class ReachedValues:
    """Links to all values reached in any number of iterations."""

    union: Union
    changing: frozenset[Leaf] = frozenset()
    """The loop values whose links lead over the iteration space."""

    def at(self, iterations: Interval | None) -> Union:
        """Links that end before one of `iterations`, or before any; all where links do not tell."""
        return Union(end_at(link, iterations) if link.end in self.changing else link for link in self.union)


class LoopSummary:
    """The iterations of a loop, composed from `links` of one iteration.

    Links start at loop values and at values around the loop. A link to one of `shapes`, the changing loop
    values, leads over the iteration space (see `iteration_space`); a link to another leaf has no iteration as
    result.
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
        """Links from `starts` through any number of iterations; raises NoSummary."""
        ends, arrived = Union(), {value: Union() for value in self.shapes}
        for link in self._first_links(starts):
            arrived.get(link.end, ends).add(link)
        for group, paths in self._paths:
            if paths:
                entries = [link for value in group for link in self._compose(arrived[value], paths[value])]
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
                # An invariant value goes into others in each iteration.
                in_each = start_at(link, Interval(0, self.trips - 1))
                yield from self._compose([in_each], self.links.get(link.end, ()))

    def _links_out_of(self, value: Leaf, group: frozenset[Leaf]) -> list[Link]:
        return [link for link in self.links.get(value, ()) if link.end not in group]

    def _compose(self, first: Iterable[Link], second: Sequence[Link]) -> Iterator[Link]:
        for one in first:
            for other in second:
                self._compositions += 1
                if self._compositions > MAX_COMPOSITIONS:
                    raise NoSummary
                yield compose_links(one, other)

    @cached_property
    def _paths(self) -> list[tuple[frozenset[Leaf], Paths]]:
        return [(group, self._paths_in(group)) for group in self._groups]

    def _paths_in(self, group: frozenset[Leaf]) -> Paths:
        within = {value: [link for link in self.links.get(value, ()) if link.end in group] for value in group}
        if not any(within.values()):
            return {}
        if len(group) == 1:
            (value,) = group
            updates = counter_updates(within[value], self.shapes[value], self.trips, inverse=self.inverse)
            if updates is not None:
                return {value: updates}
        return self._iterate({value: without_iterations(links) for value, links in within.items()})

    def _iterate(self, once: Mapping[Leaf, Sequence[Link]]) -> Paths:
        """Paths of values whose links `once` are the same in each iteration; raises NoSummary."""
        paths: dict[Leaf, list[Link]] = {value: [] for value in once}
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
                        paths[value].append(repeat(link, interval, self.trips, inverse=self.inverse))
                        del since[value, link]
            if rests:
                break
            if times == MAX_STEPS < self.trips:
                raise NoSummary
            made = after
        return paths

    def _next(self, links: Iterable[Link], once: Mapping[Leaf, Sequence[Link]]) -> list[Link]:
        """Compose links between values of a group with one more iteration."""
        made = Union(each for link in links for each in self._compose([link], once[link.end]))
        return [replace(link, map=order_ranges(link.map)) for link in without_covered(made)]

    @cached_property
    def _groups(self) -> tuple[frozenset[Leaf], ...]:
        """Groups of mutually dependent loop values, dependent groups first."""
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
