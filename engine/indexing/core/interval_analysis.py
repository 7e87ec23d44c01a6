"""Infer the interval of an expression from the intervals of its variables."""

from collections.abc import Callable, Mapping
from functools import partial, reduce

from .expressions import Constant, Expression, Operations, apply
from .interval import EVERYTHING, INT64_MAX, INT64_MIN, Interval

Bounds = Mapping[Expression, Interval]
"""The interval of each variable; missing variables are unbounded."""
RangeOf = Callable[[Expression], Interval]
"""Returns an interval that contains every value of an expression."""


def interval_of(expression: Expression, bounds: Bounds) -> Interval:
    """An interval that contains every value of `expression`, not always the smallest."""
    return Intervals(bounds)(expression) if expression.children else _of_leaf(expression, bounds)


class Intervals:
    """`interval_of` within fixed `bounds`, cached by expression."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self.is_nothing = any(interval.is_empty for interval in bounds.values())
        """Whether some variable has an empty interval."""
        self._found: dict[Expression, Interval] = {}

    def __call__(self, expression: Expression) -> Interval:
        """An interval that contains every value of `expression`."""
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
    """The interval of an expression from those of its children."""
    return apply(expression, [range_of(child) for child in expression.children], _INTERVALS)


_INTERVALS = Operations[Interval](
    add=partial(reduce, Interval.__add__),
    multiply=partial(reduce, Interval.__mul__),
    floor_divide=Interval.floor_divide,
    ceil_divide=Interval.ceil_divide,
    modulo=Interval.modulo,
    quotient_by=Interval.quotient_by,
    remainder_by=Interval.remainder_by,
    minimum=Interval.minimum,
    maximum=Interval.maximum,
)


def is_bounded(interval: Interval) -> bool:
    """Whether neither end is saturated."""
    return interval.lower != INT64_MIN and interval.upper != INT64_MAX


def one_quotient(interval: Interval, divisor: int) -> int | None:
    """x floordiv `divisor` if it is the same for every x of the interval, else `None`; `divisor` > 0."""
    quotient = interval.lower // divisor
    return quotient if quotient == interval.upper // divisor and is_bounded(interval) else None
