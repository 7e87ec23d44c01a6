"""Unions of maps with fewer maps: what several say is said by one, where that is exactly the same.

What stands for two maps is guessed from how they are written, and proved: isl says whether the relations are equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import permutations
from math import prod
from typing import TYPE_CHECKING

from ..indexing import Dim, Expression, IndexMap, Interval, Kind, Range, interval_of, substitute, variables_of
from ..indexing.division import constant_of
from ..indexing.expressions import split_coefficient, terms_of
from ..indexing.index_map import MOST_REMEMBERED, Constraint
from .tidying import simplified
from .unions import Link, hull

if TYPE_CHECKING:
    from ..indexing.relations.sets import Comparison

MOST_JOINED = 32
"""Maps of one pair of leaves that are looked at in twos."""


def joined(links: Iterable[Link]) -> tuple[Link, ...]:
    """The same links, fewer of them where one says what two say."""
    groups: dict[object, list[Link]] = {}
    for link in links:
        groups.setdefault(
            (link.end, link.enclosing, link.undecided) if _is_plain(link) else id(link), []
        ).append(link)
    return tuple(link for group in groups.values() for link in _fewer(group))


def _is_plain(link: Link) -> bool:
    return link.map.kind is Kind.NORMAL and not link.map.runtimes and link.place is None


def _fewer(links: list[Link]) -> list[Link]:
    if not 1 < len(links) <= MOST_JOINED:
        return links
    found = [replace(link, map=_from_zero(link.map)) for link in links]
    apart: set[tuple[IndexMap, IndexMap]] = set()
    while (step := next(_steps(found, apart), None)) is not None:
        found = step
    return found


def _steps(links: list[Link], apart: set[tuple[IndexMap, IndexMap]]) -> Iterator[list[Link]]:
    """The links with one in the place of two, in all ways that are found; the others are put into `apart`."""
    for one, other in permutations(links, 2):
        pair = one.map, other.map
        both = None if pair in apart else _both(*pair)
        if both is not None:
            yield [replace(one, map=both) if link is one else link for link in links if link is not other]
        apart.add(pair)


@lru_cache(MOST_REMEMBERED)
def _both(one: IndexMap, other: IndexMap) -> IndexMap | None:
    """A map of the form of the first that says what both say, and nothing else."""
    guessed = _guessed(one, other)
    if guessed is None or not _may_be(guessed, (one, other)):
        return None
    # isl takes a while to load, and few programs need it here.
    from ..indexing.relations.sets import SetTooHard

    try:
        return guessed if _comparison().is_equal((guessed,), (one, other)) else None
    except SetTooHard:
        return None


@cache
def _comparison() -> Comparison:
    from ..indexing.relations.sets import Comparison

    return Comparison()


def _guessed(one: IndexMap, other: IndexMap) -> IndexMap | None:
    """The first map with bounds that the second one keeps to as well, if its ranges are what the second has there."""
    ranges = _in_terms_of(one, other)
    if ranges is None:
        return None
    bounds = other.bounds
    apart: dict[Expression, Expression] = {Range(k): each for k, each in enumerate(ranges)}

    def within(expression: Expression) -> Interval:
        stated = dict(other.constraints)
        found = substitute(expression, apart)
        return interval_of(found, bounds).intersect(stated.get(found, interval_of(found, bounds)))

    constraints: list[Constraint] = [
        (each, hull((interval, within(each)))) for each, interval in one.constraints
    ]
    dimensions = map(hull, zip(one.dimensions, other.dimensions, strict=True))
    wider = (hull((interval, within(Range(k)))) for k, interval in enumerate(one.ranges))
    guessed = IndexMap(one.results, tuple(dimensions), tuple(wider), (), tuple(constraints))
    return _from_zero(simplified(guessed))


def _in_terms_of(one: IndexMap, other: IndexMap) -> list[Expression] | None:
    """For each range of the first map what it has to be for the results to be those of the second, if they say it."""
    found: dict[Expression, Expression] = {}
    if len(one.results) != len(other.results):
        return None
    shifted: dict[Expression, Expression] = {Range(k): _of_other(k) for k in range(len(other.ranges))}
    for mine, its in zip(one.results, other.results, strict=True):
        wanted = substitute(its, shifted)
        for term in terms_of(mine):
            atom, coefficient = split_coefficient(term)
            rest = mine - term
            if isinstance(atom, Range) and atom not in found and abs(coefficient) == 1:
                if not any(isinstance(met, Range) and met not in found for met in variables_of(rest)):
                    found[atom] = (wanted - substitute(rest, found)) * coefficient
                break
    if len(found) != len(one.ranges):
        return None
    back: dict[Expression, Expression] = {_of_other(k): Range(k) for k in range(len(other.ranges))}
    return [substitute(found[Range(k)], back) for k in range(len(one.ranges))]


def _of_other(number: int) -> Dim:
    """A range of the other map, kept apart from those of the first."""
    return Dim(-1 - number)


def _may_be(guessed: IndexMap, both: Sequence[IndexMap]) -> bool:
    """Whether it is not larger than the two together, as far as that is seen without counting."""
    if guessed.constraints or any(each.constraints for each in both):
        return True
    return _size(guessed) <= sum(map(_size, both))


def _size(index_map: IndexMap) -> int:
    return prod(interval.size for interval in (*index_map.dimensions, *index_map.ranges))


def _from_zero(index_map: IndexMap) -> IndexMap:
    """The map with ranges that begin at 0 where the results add something to them: s0 - 1 for s0 in [1, 8] is s0."""
    moved: dict[Expression, Expression] = {}
    for number, interval in enumerate(index_map.ranges):
        if interval.lower and any(
            _added(result, Range(number)) == -interval.lower for result in index_map.results
        ):
            moved[Range(number)] = Range(number) + interval.lower
    if not moved or index_map.runtimes:
        return index_map
    results, constraints = index_map.substituted(moved)
    ranges = (
        Interval(0, each.upper - each.lower) if Range(k) in moved else each
        for k, each in enumerate(index_map.ranges)
    )
    return simplified(replace(index_map, results=results, ranges=tuple(ranges), constraints=constraints))


def _added(result: Expression, variable: Range) -> int | None:
    """What is added to a variable in a result that has it with coefficient 1, beside what other variables add."""
    terms = dict(map(split_coefficient, terms_of(result)))
    return constant_of(result) if terms.get(variable) == 1 else None
