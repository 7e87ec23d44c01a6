"""Closed intervals of 64-bit integers, with saturating arithmetic.

An interval whose `lower` is above its `upper` is empty. A saturated end is unbounded.
"""

from __future__ import annotations

from dataclasses import dataclass

INT64_MIN = -(2**63)
INT64_MAX = 2**63 - 1
HALF, ROOT = 2**62 - 1, 2**31
"""Sums of numbers up to `HALF` and products of numbers up to `ROOT` do not saturate."""


def saturate(value: int) -> int:
    """Clamp `value` to int64."""
    return max(INT64_MIN, min(INT64_MAX, value))


@dataclass(frozen=True, slots=True)
class Interval:
    """All integers x with lower <= x <= upper."""

    lower: int
    upper: int

    def __str__(self) -> str:
        return f"[{self.lower}, {self.upper}]"

    def __contains__(self, value: int) -> bool:
        return self.lower <= value <= self.upper

    @property
    def is_empty(self) -> bool:
        return self.lower > self.upper

    @property
    def is_point(self) -> bool:
        return self.lower == self.upper

    @property
    def size(self) -> int:
        """Number of integers in it; not saturated."""
        return max(0, self.upper - self.lower + 1)

    def covers(self, other: Interval) -> bool:
        return other.is_empty or (self.lower <= other.lower and other.upper <= self.upper)

    def intersect(self, other: Interval) -> Interval:
        return Interval(max(self.lower, other.lower), min(self.upper, other.upper))

    def hull(self, other: Interval) -> Interval:
        """The smallest interval that contains both."""
        if self.is_empty or other.is_empty:
            return other if self.is_empty else self
        return Interval(min(self.lower, other.lower), max(self.upper, other.upper))

    def solve(self, factor: int, constant: int = 0) -> Interval:
        """All x with factor * x + constant in the interval; unbounded ends stay so. `factor` is not 0."""
        ends = [end if _is_unbounded(end) else end - constant for end in (self.lower, self.upper)]
        if factor < 0:
            ends = [_multiply(end, -1) for end in reversed(ends)]
        least, most = ends
        size = abs(factor)
        return Interval(
            least if least == INT64_MIN else saturate(-(-least // size)),
            most if most == INT64_MAX else saturate(most // size),
        )

    def _is_within(self, size: int) -> bool:
        return -size <= self.lower <= size and -size <= self.upper <= size

    # These operations return the smallest interval that contains every result. Operands must not be empty.

    def __add__(self, other: Interval) -> Interval:
        if self._is_within(HALF) and other._is_within(HALF):
            return Interval(self.lower + other.lower, self.upper + other.upper)
        return Interval(_add(self.lower, other.lower), _add(self.upper, other.upper))

    def __neg__(self) -> Interval:
        return _span(_multiply(self.upper, -1), _multiply(self.lower, -1))

    def __sub__(self, other: Interval) -> Interval:
        return self + -other

    def __mul__(self, other: Interval) -> Interval:
        if other.lower == other.upper:
            return self.times(other.lower)
        return _span(*(_multiply(a, b) for a in (self.lower, self.upper) for b in (other.lower, other.upper)))

    def times(self, factor: int) -> Interval:
        """Multiply by a number; faster than by a point interval."""
        if -ROOT <= factor <= ROOT and self._is_within(ROOT):
            lower, upper = self.lower * factor, self.upper * factor
            return Interval(lower, upper) if factor >= 0 else Interval(upper, lower)
        lower, upper = _multiply(self.lower, factor), _multiply(self.upper, factor)
        return Interval(lower, upper) if factor >= 0 else Interval(upper, lower)

    def floor_divide(self, divisor: int) -> Interval:
        """Quotient rounded towards minus infinity. `divisor` is not 0."""
        return _span(_floor_divide(self.lower, divisor), _floor_divide(self.upper, divisor))

    def ceil_divide(self, divisor: int) -> Interval:
        """Quotient rounded towards plus infinity. `divisor` is not 0."""
        return -((-self).floor_divide(divisor))

    def modulo(self, divisor: int) -> Interval:
        """The nonnegative remainder, exact if the interval lies within one period. `divisor` is not 0."""
        period = abs(divisor)
        if _is_unbounded(self.lower) or _is_unbounded(self.upper):
            return Interval(0, period - 1)
        if self.lower // period == self.upper // period:
            return Interval(self.lower % period, self.upper % period)
        return Interval(0, period - 1)

    def quotient_by(self, divisor: Interval) -> Interval:
        """Quotients by any number of `divisor`, rounded down; EVERYTHING if it contains 0."""
        if 0 in divisor:
            return EVERYTHING
        ends = (self.floor_divide(end) for end in (divisor.lower, divisor.upper))
        return _span(*(bound for each in ends for bound in (each.lower, each.upper)))

    def remainder_by(self, divisor: Interval) -> Interval:
        """Nonnegative remainders by any number of `divisor`; EVERYTHING if it contains 0."""
        if 0 in divisor:
            return EVERYTHING
        if divisor.is_point:
            return self.modulo(divisor.lower)
        most = max(-divisor.lower, divisor.upper) - 1
        return Interval(0, most if self.lower < 0 else min(most, self.upper))

    def minimum(self, other: Interval) -> Interval:
        return Interval(min(self.lower, other.lower), min(self.upper, other.upper))

    def maximum(self, other: Interval) -> Interval:
        return Interval(max(self.lower, other.lower), max(self.upper, other.upper))


EVERYTHING = Interval(INT64_MIN, INT64_MAX)
NOTHING = Interval(0, -1)


def _is_unbounded(end: int) -> bool:
    return end in (INT64_MIN, INT64_MAX)


def _add(left: int, right: int) -> int:
    # An unbounded end stays unbounded: minus infinity plus a finite number is minus infinity.
    for end in (left, right):
        if _is_unbounded(end):
            return end
    return saturate(left + right)


def _multiply(left: int, right: int) -> int:
    if 0 in (left, right):
        return 0
    if _is_unbounded(left) or _is_unbounded(right):
        return INT64_MAX if (left > 0) == (right > 0) else INT64_MIN
    return saturate(left * right)


def _floor_divide(value: int, divisor: int) -> int:
    if _is_unbounded(value):
        return value if divisor > 0 else _multiply(value, -1)
    return value // divisor


def _span(*ends: int) -> Interval:
    return Interval(min(ends), max(ends))


def box(shape: tuple[int, ...]) -> tuple[Interval, ...]:
    """The bounds of the indices of a tensor of this shape; empty for a size of 0."""
    return tuple(Interval(0, size - 1) for size in shape)
