"""Decompose sums for division, for `divide`, `remainder` and the simplifier's rules.

If x = g * A + B, g divides c, and B lies between two neighbouring multiples of g, then dividing x by c drops
B, and the remainder keeps B unchanged (docs/index-maps.md, "Rules of expressions").
"""

from collections.abc import Iterable
from functools import lru_cache
from math import gcd
from typing import NamedTuple

from .expressions import (
    CACHE_SIZE,
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
    add,
    floor_divide,
    maximum,
    minimum,
    modulo,
    multiply,
    split_coefficient,
    terms_of,
)
from .interval_analysis import RangeOf, one_quotient

Part = tuple[Expression, int]
"""A term as (atom, coefficient)."""


def parts_of(expression: Expression) -> list[Part]:
    """The terms of an expression with their coefficients; a constant c is (1, c)."""
    return [split_coefficient(term) for term in terms_of(expression)]


def sum_of(parts: Iterable[Part]) -> Expression:
    """The sum of terms: the inverse of `parts_of`."""
    return add(0, *(multiply(atom, coefficient) for atom, coefficient in parts))


def constant_of(expression: Expression) -> int:
    """The constant term of a sum; 0 without one."""
    last = terms_of(expression)[-1]
    return last.value if isinstance(last, Constant) else 0


class Multiples(NamedTuple):
    """`expression` = `divisor` * quotient + rest."""

    quotient: Expression
    rest: Expression


def split_multiples(
    expression: Expression, divisor: int, *, reduce_constant: bool = True
) -> Multiples | None:
    """Separate the terms that `divisor` always divides; `None` if there are none.

    If `reduce_constant`, the constant is split too and leaves a rest in [0, divisor - 1].
    """
    quotient: list[Expression] = []
    rest: list[Expression] = []
    for term in terms_of(expression):
        if divisor_of(term) % divisor == 0:
            quotient.append(exact_quotient(term, divisor))
        elif reduce_constant and isinstance(term, Constant) and not 0 < term.value < divisor:
            quotient.append(Constant(term.value // divisor))
            rest.append(Constant(term.value % divisor))
        else:
            rest.append(term)
    return Multiples(add(0, *quotient), add(0, *rest)) if quotient else None


class Split(NamedTuple):
    """An expression as `divisor` * large + small, with small in [0, divisor - 1]."""

    divisor: int
    large: Expression
    small: Expression


def split(expression: Expression, divisor: int, range_of: RangeOf) -> Split | None:
    """Split `expression` by the largest g > 1 that divides `divisor`, which makes `small` largest.

    Multiples of g are recognised by known divisors: min(d0 * 4, 8) is a multiple of 4.
    """
    terms = terms_of(expression)
    known = [gcd(divisor_of(term), divisor) for term in terms]
    for shared in sorted(common_divisors(known), reverse=True):
        large = [term for term, g in zip(terms, known, strict=True) if g % shared == 0]
        small = add(0, *(term for term, g in zip(terms, known, strict=True) if g % shared))
        quotient = one_quotient(range_of(small), shared)
        if quotient is not None:
            whole = add(*(exact_quotient(term, shared) for term in large), quotient)
            return Split(shared, whole, small - quotient * shared)
    return None


def common_divisors(numbers: Iterable[int]) -> set[int]:
    """The greatest common divisors, above 1, of all subsets of the numbers."""
    found: set[int] = set()
    for number in numbers:
        found |= {number, *(gcd(number, other) for other in found)}
    return found - {1}


@lru_cache(CACHE_SIZE)
def divisor_of(expression: Expression) -> int:
    """A positive number that divides every value of `expression`; 0 for the constant 0."""
    match expression:
        case Constant(value):
            return abs(value)
        case Product(factors):
            product = 1
            for factor in factors:
                product *= divisor_of(factor)
            return product
        case Modulo(dividend, divisor):
            return gcd(divisor_of(dividend), divisor)
        case FloorDivide(dividend, divisor) | CeilDivide(dividend, divisor):
            known = divisor_of(dividend)
            return known // abs(divisor) if known and known % divisor == 0 else 1
        case QuotientBy() | RemainderBy():
            return 1
        case _ if expression.children:
            return gcd(*map(divisor_of, expression.children))
    return 1


def exact_quotient(expression: Expression, divisor: int) -> Expression:
    """`expression` / `divisor`, where 0 < divisor divides `divisor_of(expression)`; else ValueError."""
    if divisor == 1:
        return expression
    match expression:
        case Constant(value):
            return Constant(value // divisor)
        case Product(factors):
            return _exact_product(factors, divisor)
        case Modulo(dividend, modulus):
            return modulo(exact_quotient(dividend, divisor), abs(modulus) // divisor)
        case FloorDivide(dividend, inner) | CeilDivide(dividend, inner):
            # Divisibility is known only if the inner division is exact.
            return floor_divide(exact_quotient(dividend, abs(inner) * divisor), inner // abs(inner))
        case Minimum(left, right):
            return minimum(exact_quotient(left, divisor), exact_quotient(right, divisor))
        case Maximum(left, right):
            return maximum(exact_quotient(left, divisor), exact_quotient(right, divisor))
        case _ if expression.children:
            return add(*(exact_quotient(child, divisor) for child in expression.children))
    raise ValueError(f"{divisor} is not known to divide {expression!r}")


def _exact_product(factors: Iterable[Expression], divisor: int) -> Expression:
    product: Expression = Constant(1)
    for factor in reversed(tuple(factors)):  # the constant comes last and absorbs most of the divisor
        shared = gcd(divisor_of(factor), divisor)
        product = multiply(exact_quotient(factor, shared), product)
        divisor //= shared
    return product
