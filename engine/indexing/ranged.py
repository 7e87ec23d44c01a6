"""Building expressions with the help of their variables' bounds.

`divide` and `remainder` know that 0 <= d2 < 4 makes (d1 * 4 + d2) floordiv 8 equal d1 floordiv 2; they are
what lets reshape's maps come out as in seed 004, "General reshape" (rules: reference/indexing.md, section
3.2).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import gcd, prod

from .expressions import (
    Constant,
    Expression,
    FloorDivide,
    Maximum,
    Minimum,
    Modulo,
    Product,
    Sum,
    add,
    floor_divide,
    modulo,
    multiply,
    split_coefficient,
    terms_of,
)
from .interval import EVERYTHING, Interval

Bounds = Mapping[Expression, Interval]
"""The interval of each variable; a variable that is missing is unbounded."""


def interval_of(expression: Expression, bounds: Bounds) -> Interval:
    """An interval that holds every value of `expression`; not always the smallest one."""
    match expression:
        case Constant(value):
            return Interval(value, value)
        case Sum(terms):
            return sum((interval_of(term, bounds) for term in terms), Interval(0, 0))
        case Product(factors):
            product = Interval(1, 1)
            for factor in factors:
                product = product * interval_of(factor, bounds)
            return product
        case FloorDivide(dividend, divisor):
            return interval_of(dividend, bounds).floor_divide(divisor)
        case Modulo(dividend, divisor):
            return interval_of(dividend, bounds).modulo(divisor)
        case Minimum(left, right):
            return interval_of(left, bounds).minimum(interval_of(right, bounds))
        case Maximum(left, right):
            return interval_of(left, bounds).maximum(interval_of(right, bounds))
        case _:
            return bounds.get(expression, EVERYTHING)


def divide(dividend: Expression, divisor: int, bounds: Bounds) -> Expression:
    """dividend floordiv divisor, for a positive divisor, without the terms that cannot matter."""
    whole, rest = _split_multiples(dividend, divisor)
    quotients = [multiply(atom, coefficient // divisor) for atom, coefficient in whole]
    if _lies_in_one_period(rest, divisor, bounds):
        return add(*quotients, interval_of(rest, bounds).lower // divisor)
    shared, kept = _drop_small_terms(rest, divisor, bounds)
    return add(*quotients, floor_divide(_exact_quotient(kept, shared), divisor // shared))


def remainder(dividend: Expression, divisor: int, bounds: Bounds) -> Expression:
    """dividend mod divisor, for a positive divisor, without the terms that cannot matter."""
    _, rest = _split_multiples(dividend, divisor)
    if _lies_in_one_period(rest, divisor, bounds):
        return rest - interval_of(rest, bounds).lower // divisor * divisor
    shared, kept = _drop_small_terms(rest, divisor, bounds)
    small = rest - kept
    return add(multiply(modulo(_exact_quotient(kept, shared), divisor // shared), shared), small)


def linearize(index: Sequence[Expression], shape: Sequence[int]) -> Expression:
    """The row-major position of `index`. A dimension of size 1 adds nothing: its index is 0."""
    strides = (prod(shape[number + 1 :]) for number in range(len(shape)))
    terms = (i * stride for i, size, stride in zip(index, shape, strides, strict=True) if size != 1)
    return add(0, *terms)


def delinearize(position: Expression, shape: Sequence[int], bounds: Bounds) -> tuple[Expression, ...]:
    """The index at row-major `position`, which lies within `shape`."""
    index = []
    for number, size in enumerate(shape):
        stride = prod(shape[number + 1 :])
        coordinate = divide(position, stride, bounds) if size != 1 else Constant(0)
        # The outermost coordinate needs no mod: position is within the shape.
        outermost = prod(shape[:number]) == 1
        index.append(coordinate if outermost else remainder(coordinate, size, bounds))
    return tuple(index)


def _split_multiples(expression: Expression, divisor: int) -> tuple[list[tuple[Expression, int]], Expression]:
    """The terms whose coefficient `divisor` divides, as (atom, coefficient), and the sum of the others."""
    parts = [split_coefficient(term) for term in terms_of(expression)]
    whole = [part for part in parts if part[1] % divisor == 0]
    return whole, add(0, *(multiply(*part) for part in parts if part[1] % divisor))


def _lies_in_one_period(expression: Expression, divisor: int, bounds: Bounds) -> bool:
    interval = interval_of(expression, bounds)
    return interval.lower // divisor == interval.upper // divisor


def _drop_small_terms(expression: Expression, divisor: int, bounds: Bounds) -> tuple[int, Expression]:
    """(g, kept): g divides `divisor` and every coefficient of kept; the dropped terms stay in [0, g - 1].

    Takes the largest such g, so that the most goes; g = 1 keeps everything.
    """
    for shared in _common_divisors(expression, divisor):
        parts = [split_coefficient(term) for term in terms_of(expression)]
        small = add(0, *(multiply(*part) for part in parts if part[1] % shared))
        if Interval(0, shared - 1).covers(interval_of(small, bounds)):
            return shared, expression - small
    return 1, expression


def _common_divisors(expression: Expression, divisor: int) -> Iterator[int]:
    coefficients = (split_coefficient(term)[1] for term in terms_of(expression))
    return iter(sorted({gcd(coefficient, divisor) for coefficient in coefficients} - {1}, reverse=True))


def _exact_quotient(expression: Expression, divisor: int) -> Expression:
    parts = (split_coefficient(term) for term in terms_of(expression))
    return add(0, *(multiply(atom, coefficient // divisor) for atom, coefficient in parts))
