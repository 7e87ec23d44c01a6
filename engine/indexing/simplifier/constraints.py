"""Rules for one constraint l <= x <= u (reference/indexing.md, section 3.3).

An end of the interval that is saturated is no bound, and stays none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import gcd
from typing import TYPE_CHECKING

from ..division import common_divisors, divisor_of, exact_quotient
from ..expressions import Expression, FloorDivide, Maximum, Minimum, Modulo, Sum, add, modulo
from ..interval import INT64_MAX, INT64_MIN, Interval, saturate
from ..ranges import is_bounded
from .facts import Infeasible, primitive
from .rules import (
    CLIPPED,
    EXTREME_APART,
    IRRELEVANT_PART,
    QUOTIENT_BOUNDED,
    REMAINDER_SHIFTED,
    SCALED,
    SHIFTED,
    Rule,
)

if TYPE_CHECKING:
    from .rewriting import Rewriter

Constraint = tuple[Expression, Interval]


def _shifted(expression: Expression, interval: Interval, rewriter: Rewriter) -> list[Constraint] | None:
    del rewriter
    shift = primitive(expression).shift
    return [(expression - shift, _moved(interval, -shift))] if shift else None


def _scaled(expression: Expression, interval: Interval, rewriter: Rewriter) -> list[Constraint] | None:
    del rewriter
    key, scale, _ = primitive(expression)
    return [(key, divided(interval, scale))] if scale != 1 else None


def _quotient_bounded(
    expression: Expression, interval: Interval, rewriter: Rewriter
) -> list[Constraint] | None:
    del rewriter
    if not isinstance(expression, FloorDivide):
        return None
    divisor = expression.divisor
    return [
        (
            expression.dividend,
            Interval(
                _end(interval.lower, interval.lower * divisor),
                _end(interval.upper, interval.upper * divisor + divisor - 1),
            ),
        )
    ]


def _remainder_shifted(
    expression: Expression, interval: Interval, rewriter: Rewriter
) -> list[Constraint] | None:
    """k * x + c = r modulo m is a congruence that has no solution, or one modulo m / gcd(k, m)."""
    del rewriter
    if not isinstance(expression, Modulo) or not interval.is_point:
        return None
    key, scale, shift = primitive(expression.dividend)
    if (scale, shift) == (1, 0):
        return None
    shared = gcd(scale, expression.divisor)
    times, left = divmod(interval.lower - shift, shared)
    if left:
        raise Infeasible
    modulus = expression.divisor // shared
    value = times * pow(scale // shared, -1, modulus) % modulus
    return [(modulo(key, modulus), Interval(value, value))]


def _irrelevant_part(
    expression: Expression, interval: Interval, rewriter: Rewriter
) -> list[Constraint] | None:
    if not isinstance(expression, Sum):
        return None
    reach = rewriter.range_of(expression)
    known = [divisor_of(term) for term in expression.terms]
    for shared in sorted(common_divisors(known), reverse=True):
        large = [term for term, g in zip(expression.terms, known, strict=True) if g % shared == 0]
        small = add(0, *(term for term, g in zip(expression.terms, known, strict=True) if g % shared))
        among = rewriter.range_of(small)
        if not is_bounded(among):
            continue
        # An end that the expression never passes is no bound for the part either.
        lowest = _same(interval.lower, reach.lower, among, shared, below=True)
        highest = _same(interval.upper, reach.upper, among, shared, below=False)
        if lowest is not None and highest is not None:
            whole = add(*(exact_quotient(term, shared) for term in large))
            return [(whole, Interval(lowest, highest))]
    return None


def _same(end: int, reached: int, small: Interval, shared: int, *, below: bool) -> int | None:
    """The bound of A in shared * A + B, if it is the same for every B of `small`."""
    if below:
        if end <= reached:
            return INT64_MIN
        first, last = (-((value - end) // shared) for value in (small.lower, small.upper))
    else:
        if end >= reached:
            return INT64_MAX
        first, last = ((end - value) // shared for value in (small.lower, small.upper))
    return first if first == last else None


def _extreme_apart(expression: Expression, interval: Interval, rewriter: Rewriter) -> list[Constraint] | None:
    reach = rewriter.range_of(expression)
    if isinstance(expression, Minimum) and interval.upper >= reach.upper:
        limits = Interval(interval.lower, INT64_MAX)
    elif isinstance(expression, Maximum) and interval.lower <= reach.lower:
        limits = Interval(INT64_MIN, interval.upper)
    else:
        return None
    return [(child, limits) for child in expression.children]


def _clipped(expression: Expression, interval: Interval, rewriter: Rewriter) -> list[Constraint] | None:
    return [(expression, interval.intersect(rewriter.range_of(expression)))]


def _moved(interval: Interval, by: int) -> Interval:
    return Interval(_end(interval.lower, interval.lower + by), _end(interval.upper, interval.upper + by))


def divided(interval: Interval, scale: int) -> Interval:
    """All x with scale * x in the interval."""
    lower, upper = (interval.lower, interval.upper) if scale > 0 else (-interval.upper, -interval.lower)
    size = abs(scale)
    least = INT64_MIN if lower <= -INT64_MAX else -(-lower // size)
    most = INT64_MAX if upper >= INT64_MAX else upper // size
    return Interval(least, most)


def _end(old: int, new: int) -> int:
    return old if old in (INT64_MIN, INT64_MAX) else saturate(new)


Apply = Callable[[Expression, Interval, "Rewriter"], list[Constraint] | None]
CONSTRAINT_RULES: Sequence[tuple[Rule, Apply]] = (
    (SHIFTED, _shifted),
    (SCALED, _scaled),
    (QUOTIENT_BOUNDED, _quotient_bounded),
    (REMAINDER_SHIFTED, _remainder_shifted),
    (EXTREME_APART, _extreme_apart),
    (IRRELEVANT_PART, _irrelevant_part),
    (CLIPPED, _clipped),
)
