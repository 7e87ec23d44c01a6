"""Which values an expression can have, from the intervals of its variables."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .expressions import (
    CeilDivide,
    Constant,
    Expression,
    FloorDivide,
    Maximum,
    Minimum,
    Modulo,
    Product,
    QuotientBy,
    RemainderBy,
    Sum,
)
from .interval import EVERYTHING, INT64_MAX, INT64_MIN, Interval

Bounds = Mapping[Expression, Interval]
"""The interval of each variable; a variable that is missing is unbounded."""
RangeOf = Callable[[Expression], Interval]
"""An interval that holds every value of an expression."""


def interval_of(expression: Expression, bounds: Bounds) -> Interval:
    """An interval that holds every value of `expression`; not always the smallest one."""
    return Intervals(bounds)(expression) if expression.children else _of_leaf(expression, bounds)


class Intervals:
    """What `interval_of` finds within `bounds`, which stay as they are: each expression is looked at once."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self.is_nothing = any(interval.is_empty for interval in bounds.values())
        """Whether some variable has no value."""
        self._found: dict[Expression, Interval] = {}

    def __call__(self, expression: Expression) -> Interval:
        """An interval that holds every value of `expression`."""
        found = self._found.get(expression)
        if found is None:
            found = (
                interval_from(expression, self) if expression.children else _of_leaf(expression, self.bounds)
            )
            self._found[expression] = found
        return found


def _of_leaf(expression: Expression, bounds: Bounds) -> Interval:
    if isinstance(expression, Constant):
        return Interval(expression.value, expression.value)
    return bounds.get(expression, EVERYTHING)


def interval_from(expression: Expression, range_of: RangeOf) -> Interval:
    """The interval of an expression that has children, from theirs."""
    match expression:
        case Sum(terms):
            first, *others = terms
            total = range_of(first)
            for term in others:
                total = total + range_of(term)
            return total
        case Product(factors):
            first, *others = factors
            product = range_of(first)
            for factor in others:
                if isinstance(factor, Constant):
                    product = product.times(factor.value)
                else:
                    product = product * range_of(factor)
            return product
        case FloorDivide(dividend, divisor):
            return range_of(dividend).floor_divide(divisor)
        case CeilDivide(dividend, divisor):
            return range_of(dividend).ceil_divide(divisor)
        case Modulo(dividend, divisor):
            return range_of(dividend).modulo(divisor)
        case QuotientBy(dividend, by):
            return range_of(dividend).quotient_by(range_of(by))
        case RemainderBy(dividend, by):
            return range_of(dividend).remainder_by(range_of(by))
        case Minimum(left, right):
            return range_of(left).minimum(range_of(right))
        case Maximum(left, right):
            return range_of(left).maximum(range_of(right))
    raise TypeError(f"it has no children: {expression!r}")


def is_bounded(interval: Interval) -> bool:
    """Whether neither end is the saturated one."""
    return interval.lower != INT64_MIN and interval.upper != INT64_MAX


def one_quotient(interval: Interval, divisor: int) -> int | None:
    """x floordiv `divisor` where it is the same for every x of the interval; `divisor` is positive."""
    quotient = interval.lower // divisor
    return quotient if quotient == interval.upper // divisor and is_bounded(interval) else None
