"""What links that lead from a moment of a loop to another one make when they are repeated.

Moments are counted by iterations: moment t is before iteration t. A timed link's map has the moment as its last
dimension, behind the index, and as its last result the moment to which it leads, one iteration away or more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from ..indexing import (
    Constant,
    Dim,
    Expression,
    IndexMap,
    Interval,
    Kind,
    Range,
    interval_of,
    substitute,
    variables_of,
)
from ..indexing.expressions import split_coefficient, terms_of
from ..indexing.index_map import Constraint
from .tidying import ordered, put, simplified, with_range
from .unions import Link, Union, behind

MOST_UNROLLED = 8
"""Iterations that are looked at one after the other, where no rule says what all of them make."""
MOST_OF_CYCLE = 24
"""Links of a loop value to itself, beyond which it is not looked at any more."""


class NotClosed(Exception):
    """It is not found out what all iterations make together."""


@dataclass(frozen=True)
class Repeating:
    """Links of one loop value to itself: any number of iterations, one at least."""

    once: tuple[Link, ...] = ()
    rests: bool = False
    """Whether each element is, among others, what it was at every moment before."""


def repeated(links: Iterable[Link], shape: Sequence[int], trips: int, *, inverse: bool) -> Repeating:
    """All that links of a loop value to itself make, one after another; `shape` is its own. Raises NotClosed."""
    each = list(links)
    if any(_rests_alone(link, shape, trips) for link in each):
        each = [resting(link, inverse=inverse, trips=trips) for link in each]
    steps = [_accelerated(link, trips) for link in each]
    found = Union()
    waiting = [(step.link, step) for step in steps if found.add(step.link)]
    while waiting:
        first, last = waiting.pop()
        for step in steps:
            link = first if step is last and step.is_closed else canonical(behind(first, step.link))
            if found.add(link):
                waiting.append((link, step))
        if len(list(found)) > MOST_OF_CYCLE:
            raise NotClosed
    once = tuple(found)
    return Repeating(once, any(_rests(link, shape, trips) for link in once))


@dataclass(frozen=True, eq=False)
class _Step:
    """A link, and whether it is any number of times one, so that it twice says nothing more."""

    link: Link
    is_closed: bool


def _accelerated(link: Link, trips: int) -> _Step:
    """Any number of times the link, one at least; the link itself where there are few iterations."""
    timed = _Timed.of(link)
    found = None if timed is None else timed.shifting(trips) or timed.settling(trips)
    if found is not None:
        return _Step(canonical(replace(link, map=simplified(found))), is_closed=True)
    is_closed = _is_closed(link)
    if trips > MOST_UNROLLED and not is_closed:
        raise NotClosed
    return _Step(link, is_closed)


def _is_closed(link: Link) -> bool:
    """Whether the link twice says nothing that it does not say once."""
    known = Union()
    known.add(link)
    return not known.add(canonical(behind(link, link)))


@dataclass(frozen=True)
class _Timed:
    """A timed link of a loop value to itself, without runtime variables: always `step` iterations away."""

    link: Link
    step: int

    @staticmethod
    def of(link: Link) -> _Timed | None:
        if link.place is not None or link.map.runtimes or link.map.kind is not Kind.NORMAL:
            return None
        away = link.map.results[-1] - _moment(link.map)
        return _Timed(link, away.value) if isinstance(away, Constant) else None

    @property
    def map(self) -> IndexMap:
        return self.link.map

    def shifting(self, trips: int) -> IndexMap | None:
        """Where every index moves by the same in each iteration, perhaps not at all.

        Each condition is linear, so that it holds in all iterations when it holds in the first and the last one.
        """
        steps = [result - Dim(k) for k, result in enumerate(self.map.results)]
        if self.map.ranges or not all(_is_linear(expression) for expression, _ in self.map.constraints):
            return None
        moved: dict[Expression, Expression] = {}
        for number, step in enumerate(steps):
            if not isinstance(step, Constant):
                return None
            moved[Dim(number)] = Dim(number) + Range(0) * step.value
        last: list[Constraint] = [(substitute(each, moved), within) for each, within in self.map.constraints]
        last += [(moved[Dim(k)], interval) for k, interval in enumerate(self.map.dimensions)]
        return replace(
            self.map,
            results=tuple(substitute(result, moved) for result in self.map.results),
            ranges=(Interval(0, trips),),
            constraints=(*self.map.constraints, *last),
        )

    def settling(self, trips: int) -> IndexMap | None:
        """Where two iterations reach what one does, whenever they are."""
        stated = (*(each for each, _ in self.map.constraints), *self.map.results[:-1])
        if any(_moment(self.map) in variables_of(each) for each in stated):
            return None
        twice = behind(self.link, self.link).map
        if trips > 1 and self._without_moment(twice) != self._without_moment(self.map):
            return None
        end = self.map.results[-1] + Range(len(self.map.ranges)) * self.step
        return replace(
            self.map,
            results=(*self.map.results[:-1], end),
            ranges=(*self.map.ranges, Interval(0, trips)),
            constraints=(*self.map.constraints, (end, Interval(0, trips))),
        )

    def _without_moment(self, index_map: IndexMap) -> IndexMap:
        whenever = (*index_map.dimensions[:-1], self.map.dimensions[-1])
        return ordered(simplified(replace(index_map, dimensions=whenever, results=index_map.results[:-1])))


def _moment(index_map: IndexMap) -> Dim:
    return Dim(len(index_map.dimensions) - 1)


def _is_linear(expression: Expression) -> bool:
    return all(not split_coefficient(term)[0].children for term in terms_of(expression))


def _rests(link: Link, shape: Sequence[int], trips: int) -> bool:
    """Whether an element can be what it was at any moment before: (d, t)[s] -> (d, s) for all s on one side of t."""
    index_map = link.map
    same = all(result == Dim(k) for k, result in enumerate(index_map.results[:-1]))
    whole = [interval.size for interval in index_map.dimensions[:-1]] == [*shape]
    if (
        not (same and whole)
        or len(index_map.constraints) != 1
        or index_map.results[-1] != Range(0)
        or link.enclosing
    ):
        return False
    ((expression, interval),) = index_map.constraints
    before = expression == -Range(0) + _moment(index_map)  # as the simplifier orders it
    apart = interval if before else -interval
    widest = index_map.ranges[0].size == trips and index_map.dimensions[-1].size == trips
    known = before or expression == Range(0) - _moment(index_map)
    return known and widest and (_all_from_one(apart, trips) or _all_from_one(-apart, trips))


def _rests_alone(link: Link, shape: Sequence[int], trips: int) -> bool:
    """Whether a link of one iteration leaves every element as it is."""
    same = all(result == Dim(k) for k, result in enumerate(link.map.results[:-1]))
    if not same or link.map.constraints or link.enclosing:
        return False
    with suppress(NotClosed):
        return _rests(_accelerated(link, trips).link, shape, trips)
    return False


def _all_from_one(interval: Interval, trips: int) -> bool:
    return interval.lower == 1 and interval.upper >= trips


def canonical(link: Link) -> Link:
    """The link with the moment to which it leads as one range of its own, so that equal ones look equal."""
    index_map = link.map
    moment = index_map.results[-1] if index_map.results else None
    if index_map.kind is not Kind.NORMAL or moment is None or isinstance(moment, Range):
        return link
    for term in terms_of(moment):
        atom, coefficient = split_coefficient(term)
        if isinstance(atom, Range) and abs(coefficient) == 1:
            return replace(link, map=simplified(_named(index_map, atom, coefficient)))
    return link


def _named(index_map: IndexMap, gone: Range, coefficient: int) -> IndexMap:
    """With the last result in the place of one of the ranges that it is made of."""
    moment, new = index_map.results[-1], Range(len(index_map.ranges))
    reached = interval_of(moment, index_map.bounds)
    value = (new - (moment - gone * coefficient)) * coefficient
    replaced = put(with_range(index_map, reached), {gone: value})
    return replace(
        replaced,
        results=(*replaced.results[:-1], new),
        constraints=(*replaced.constraints, (value, index_map.ranges[gone.number])),
    )


def resting(link: Link, *, inverse: bool, trips: int) -> Link:
    """The link, with all moments further on to which each element may have been left as it was."""
    index_map = link.map
    if index_map.kind is not Kind.NORMAL:
        return link
    last = Range(len(index_map.ranges))
    waited = (index_map.results[-1] - last) * (-1 if inverse else 1)
    longer = replace(
        with_range(index_map, Interval(0, trips)),
        results=(*index_map.results[:-1], last),
        constraints=(*index_map.constraints, (waited, Interval(0, trips))),
    )
    return replace(link, map=simplified(longer))
