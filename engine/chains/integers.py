"""What integer ops make of integers, as expressions; and what comes of comparing two."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..indexing import (
    Constant,
    Expression,
    Interval,
    add,
    floor_divide,
    interval_of,
    maximum,
    minimum,
    modulo,
    multiply,
)
from ..ops import arithmetic, comparisons

Bounds = Mapping[Expression, Interval]
Combined = Callable[[list[Expression], Bounds], Expression | None]


@dataclass(frozen=True)
class Comparison:
    """Two integers compared, by their difference: `LT` is whether it is below 0."""

    direction: comparisons.ComparisonDirection
    difference: Expression

    def decided(self, bounds: Bounds) -> bool | None:
        """What comes of it, where that is the same for all values within the bounds."""
        reached = interval_of(self.difference, bounds)
        answers = {self.holds(reached.lower), self.holds(reached.upper)}
        if self.direction in _AT_ONE_POINT and 0 in reached and not reached.is_point:
            return None
        return answers.pop() if len(answers) == 1 else None

    def holds(self, difference: int) -> bool:
        """What comes of a difference."""
        return bool(comparisons.compared(self.direction, difference, 0))


_AT_ONE_POINT = (comparisons.ComparisonDirection.EQ, comparisons.ComparisonDirection.NE)


def _sum(values: list[Expression], bounds: Bounds) -> Expression | None:
    return add(*values)


def _difference(values: list[Expression], bounds: Bounds) -> Expression | None:
    return add(values[0], -values[1])


def _negative(values: list[Expression], bounds: Bounds) -> Expression | None:
    return -values[0]


def _product(values: list[Expression], bounds: Bounds) -> Expression | None:
    return multiply(*values) if any(isinstance(each, Constant) for each in values) else None


def _quotient(values: list[Expression], bounds: Bounds) -> Expression | None:
    """Rounded towards zero, as integers divide here."""
    dividend, divisor = values
    if not isinstance(divisor, Constant) or divisor.value <= 0:
        return None
    return _towards_zero(dividend, divisor.value, bounds)


def _remainder(values: list[Expression], bounds: Bounds) -> Expression | None:
    """With the sign of the dividend."""
    dividend, divisor = values
    if not isinstance(divisor, Constant) or divisor.value <= 0:
        return None
    if interval_of(dividend, bounds).lower >= 0:
        return modulo(dividend, divisor.value)
    return add(dividend, multiply(_towards_zero(dividend, divisor.value, bounds), -divisor.value))


def _towards_zero(dividend: Expression, divisor: int, bounds: Bounds) -> Expression:
    reached = interval_of(dividend, bounds)
    if reached.lower >= 0:
        return floor_divide(dividend, divisor)
    if reached.upper <= 0:
        return -floor_divide(-dividend, divisor)
    above, below = maximum(dividend, Constant(0)), maximum(-dividend, Constant(0))
    return add(floor_divide(above, divisor), -floor_divide(below, divisor))


def _least(values: list[Expression], bounds: Bounds) -> Expression | None:
    return minimum(*values)


def _greatest(values: list[Expression], bounds: Bounds) -> Expression | None:
    return maximum(*values)


ARITHMETIC: Mapping[type, Combined] = {
    arithmetic.Add: _sum,
    arithmetic.Subtract: _difference,
    arithmetic.Negate: _negative,
    arithmetic.Multiply: _product,
    arithmetic.Divide: _quotient,
    arithmetic.Remainder: _remainder,
    arithmetic.Minimum: _least,
    arithmetic.Maximum: _greatest,
}
