"""Simplifying a whole map."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..expressions import (
    Constant,
    Dim,
    Expression,
    FloorDivide,
    Modulo,
    rebuild,
)
from ..index_map import IndexMap
from ..interval import Interval
from ..ranged import Bounds, divide, interval_of, remainder

Part = Expression | tuple[Expression, Interval]
"""What a rule rewrites: an expression, or a constraint with its interval."""


@dataclass(frozen=True)
class Rewrite:
    """One step: `rule` is the rule's name, `where` the part of the map (`result 0`, `constraint 1`)."""

    rule: str
    before: Part
    after: Part | None
    where: str


@dataclass(frozen=True)
class Simplification:
    """A simplified map and the steps that led to it, in order."""

    map: IndexMap
    rewrites: tuple[Rewrite, ...]


def simplify(index_map: IndexMap, *, keep_points: bool = False) -> IndexMap:
    """The same relation, written shorter; simplifying twice changes nothing.

    `keep_points` leaves a dimension variable that has one value in the results, as reshape's maps do.
    """
    return simplification(index_map, keep_points=keep_points).map


def simplification(index_map: IndexMap, *, keep_points: bool = False) -> Simplification:
    """As `simplify`, with the steps."""
    if index_map.is_undefined or index_map.is_known_empty:
        return Simplification(index_map, ())
    results = tuple(_simplified(result, index_map.bounds, keep_points) for result in index_map.results)
    return Simplification(replace(index_map, results=results), ())


def _simplified(expression: Expression, bounds: Bounds, keep_points: bool) -> Expression:
    if keep_points and isinstance(expression, Dim):
        return expression
    interval = interval_of(expression, bounds)
    if interval.is_point:
        return Constant(interval.lower)
    if not expression.children:
        return expression
    children = [_simplified(child, bounds, keep_points) for child in expression.children]
    if isinstance(expression, FloorDivide) and expression.divisor > 0:
        return divide(children[0], expression.divisor, bounds)
    if isinstance(expression, Modulo) and expression.divisor > 0:
        return remainder(children[0], expression.divisor, bounds)
    return rebuild(expression, children)
