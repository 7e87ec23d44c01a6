"""Facts about expressions from constraints, and the context of a rule (docs/index-maps.md, "Order of work")."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from math import gcd
from typing import NamedTuple, Protocol

from ..core.division import parts_of, sum_of
from ..core.expressions import CACHE_SIZE, Constant, Expression, Modulo, Product, Sum
from ..core.interval import Interval
from .term_order import order_key, variables_first


class Infeasible(Exception):
    """No value satisfies the constraints: the map is empty."""


class Primitive(NamedTuple):
    """An expression as `scale` * key + `shift`; the key's coefficients have no common divisor."""

    key: Expression
    scale: int
    shift: int


@lru_cache(CACHE_SIZE)
def primitive(expression: Expression) -> Primitive:
    """The normal form of constraints, in which multiples of one expression have the same key.

    The coefficient of the key's first variable is positive.
    """
    if not isinstance(expression, (Sum, Product)):
        return Primitive(expression, 1, 0)
    parts = parts_of(expression)
    shift = parts.pop()[1] if isinstance(parts[-1][0], Constant) else 0
    if len(parts) == 1:
        return Primitive(parts[0][0], parts[0][1], shift)
    scale = gcd(*(coefficient for _, coefficient in parts))
    if min(parts, key=variables_first)[1] < 0:
        scale = -scale
    if scale == 1 and not shift:
        return Primitive(expression, 1, 0)
    return Primitive(_in_order(sum_of((atom, c // scale) for atom, c in parts)), scale, shift)


def _in_order(expression: Expression) -> Expression:
    return (
        Sum(tuple(sorted(expression.children, key=order_key))) if isinstance(expression, Sum) else expression
    )


class Residue(NamedTuple):
    """`key` mod `modulus` is `value`."""

    key: Expression
    modulus: int
    value: int


class Facts:
    """Constraints by their primitive keys; falsy if there are none."""

    def __init__(self, constraints: Iterable[tuple[Expression, Interval]]) -> None:
        self._intervals = dict(constraints)
        self.residues = tuple(
            Residue(key.dividend, key.divisor, interval.lower)
            for key, interval in self._intervals.items()
            if isinstance(key, Modulo) and interval.is_point
        )

    def __bool__(self) -> bool:
        return bool(self._intervals)

    def narrow(self, expression: Expression, interval: Interval) -> Interval:
        """Narrow the `interval` of an expression by the constraint on its key."""
        key, scale, shift = primitive(expression)
        known = self._intervals.get(key)
        if known is None:
            return interval
        return interval.intersect(known.times(scale) + Interval(shift, shift))


NO_FACTS = Facts(())


class RuleContext(Protocol):
    """Ranges and facts in the context of an expression, and a simplifier for subexpressions."""

    @property
    def facts(self) -> Facts:
        """Facts from constraints."""

    @property
    def quiet(self) -> RuleContext:
        """The same context without recording, for conditions of rules."""

    def range_of(self, expression: Expression) -> Interval:
        """An interval that contains every value of the expression. Raises Infeasible."""

    def simplify(self, expression: Expression) -> Expression:
        """Apply all rules until none applies."""
