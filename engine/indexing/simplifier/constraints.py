"""Rules for one constraint l <= x <= u (docs/index-maps.md, "Rules of constraints").

A saturated end of the interval is unbounded and stays so.
"""

from collections.abc import Callable, Sequence
from math import gcd

from ..core.division import common_divisors, divisor_of, exact_quotient
from ..core.expressions import Expression, FloorDivide, Maximum, Minimum, Modulo, Sum, add, modulo
from ..core.interval import INT64_MAX, INT64_MIN, Interval, saturate
from ..core.interval_analysis import is_bounded
from . import rule_texts as rules
from .facts import Infeasible, RuleContext, primitive
from .rule_texts import Rule

Constraint = tuple[Expression, Interval]


def _shift(expression: Expression, interval: Interval, _: RuleContext) -> list[Constraint] | None:
    shift = primitive(expression).shift
    return [(expression - shift, interval.solve(1, shift))] if shift else None


def _scale(expression: Expression, interval: Interval, _: RuleContext) -> list[Constraint] | None:
    whole = primitive(expression)
    return [(whole.key, interval.solve(whole.scale))] if whole.scale != 1 else None


def _bound_quotient(expression: Expression, interval: Interval, _: RuleContext) -> list[Constraint] | None:
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


def _shift_remainder(expression: Expression, interval: Interval, _: RuleContext) -> list[Constraint] | None:
    """k * x + c = r modulo m has no solution, or is a congruence modulo m / gcd(k, m)."""
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


def _drop_irrelevant_part(
    expression: Expression, interval: Interval, context: RuleContext
) -> list[Constraint] | None:
    if not isinstance(expression, Sum):
        return None
    reach = context.range_of(expression)
    known = [divisor_of(term) for term in expression.terms]
    for shared in sorted(common_divisors(known), reverse=True):
        large = [term for term, g in zip(expression.terms, known, strict=True) if g % shared == 0]
        small = add(0, *(term for term, g in zip(expression.terms, known, strict=True) if g % shared))
        among = context.range_of(small)
        if not is_bounded(among):
            continue
        # An end that the expression never passes does not bound the part either.
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


def _split_extreme(
    expression: Expression, interval: Interval, context: RuleContext
) -> list[Constraint] | None:
    reach = context.range_of(expression)
    if isinstance(expression, Minimum) and interval.upper >= reach.upper:
        limits = Interval(interval.lower, INT64_MAX)
    elif isinstance(expression, Maximum) and interval.lower <= reach.lower:
        limits = Interval(INT64_MIN, interval.upper)
    else:
        return None
    return [(child, limits) for child in expression.children]


def _clip(expression: Expression, interval: Interval, context: RuleContext) -> list[Constraint] | None:
    return [(expression, interval.intersect(context.range_of(expression)))]


def _end(old: int, new: int) -> int:
    return old if old in (INT64_MIN, INT64_MAX) else saturate(new)


Apply = Callable[[Expression, Interval, RuleContext], list[Constraint] | None]
CONSTRAINT_RULES: Sequence[tuple[Rule, Apply]] = (
    (rules.SHIFTED, _shift),
    (rules.SCALED, _scale),
    (rules.QUOTIENT_BOUNDED, _bound_quotient),
    (rules.REMAINDER_SHIFTED, _shift_remainder),
    (rules.EXTREME_APART, _split_extreme),
    (rules.IRRELEVANT_PART, _drop_irrelevant_part),
    (rules.CLIPPED, _clip),
)
