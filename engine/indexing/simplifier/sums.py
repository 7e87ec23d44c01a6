"""Rules for sums and products."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from ..division import parts_of, sum_of
from ..expressions import (
    Constant,
    Expression,
    FloorDivide,
    Modulo,
    Product,
    Sum,
    add,
    floor_divide,
    modulo,
    multiply,
    terms_of,
)
from ..ranges import is_bounded
from .order import order_key
from .rules import DIGITS_JOIN, DIGITS_MEET, DISTRIBUTED, ORDERED, QUOTIENT_SUBTRACTED

if TYPE_CHECKING:
    from .rewriting import Rewriter

MOST_TERMS = 64  # longer products stay as they are, for they can be exponentially long as sums
Coefficients = dict[Expression, int]


def _ordered_sum(node: Sum, rewriter: Rewriter) -> Expression | None:
    del rewriter
    return Sum(tuple(sorted(node.terms, key=order_key)))


def _digits_meet(node: Sum, rewriter: Rewriter) -> Expression | None:
    """(x mod c) * k + (x floordiv c) * (c * k) is x * k, whatever x floordiv c is when it is simplified."""
    remainders = _remainders(node)
    if not remainders:
        return None
    coefficients = dict(parts_of(node))
    for atom, times in remainders:
        quotient = rewriter.quiet.simplified(floor_divide(atom.dividend, atom.divisor))
        if _contains(coefficients, quotient, times * atom.divisor):
            whole = multiply(atom.dividend - quotient * atom.divisor, times)
            return add(node, multiply(atom, -times), whole)
    return None


def _digits_join(node: Sum, rewriter: Rewriter) -> Expression | None:
    """(x mod a) * k + ((x floordiv a) mod b) * (a * k) is (x mod (a * b)) * k."""
    coefficients = dict(parts_of(node))
    for low, times in _remainders(node):
        for high, count in coefficients.items():
            if count == times * low.divisor and not isinstance(high, Constant):
                found = _joined(low, high, rewriter)
                if found is not None:
                    return add(node, multiply(low, -times), multiply(high, -count), multiply(found, times))
    return None


def _joined(low: Modulo, high: Expression, rewriter: Rewriter) -> Expression | None:
    """(x mod a) + a * `high` as one remainder, if `high` is the digit of x above."""
    quotient = rewriter.quiet.simplified(floor_divide(low.dividend, low.divisor))
    if isinstance(high, Modulo):
        # Of x, multiples of a have been left out below, but not above.
        if not _contains(dict(parts_of(high.dividend)), quotient, 1):
            return None
        above = multiply(high.dividend - quotient, low.divisor)
        return modulo(low.dividend + above, low.divisor * high.divisor)
    # It may be written in another way; then its range tells how large a digit it is.
    reach = rewriter.range_of(high)
    if reach.lower < 0 or not is_bounded(reach):
        return None
    base = reach.upper + 1
    digit = rewriter.quiet.simplified(modulo(quotient, base))
    return modulo(low.dividend, low.divisor * base) if digit == high else None


def _remainders(node: Sum) -> list[tuple[Modulo, int]]:
    return [(atom, times) for atom, times in parts_of(node) if isinstance(atom, Modulo)]


def _contains(coefficients: Coefficients, wanted: Expression, times: int) -> bool:
    """Whether `times` * `wanted` is among the terms; its constant does not count."""
    parts = [part for part in parts_of(wanted) if not isinstance(part[0], Constant)]
    return bool(parts) and all(coefficients.get(atom) == count * times for atom, count in parts)


def _quotient_subtracted(node: Sum, rewriter: Rewriter) -> Expression | None:
    """(x floordiv c) * (-c * k) is (x mod c) * k - x * k."""
    del rewriter
    for atom, times in parts_of(node):
        if isinstance(atom, FloorDivide) and times < 0 and times % atom.divisor == 0:
            count = -times // atom.divisor
            remainder = modulo(atom.dividend, atom.divisor)
            return add(node, multiply(atom, -times), multiply(remainder, count), atom.dividend * -count)
    return None


def _ordered_product(node: Product, rewriter: Rewriter) -> Expression | None:
    del rewriter
    return Product(tuple(sorted(node.factors, key=order_key)))


def _distributed(node: Product, rewriter: Rewriter) -> Expression | None:
    del rewriter
    if prod(len(terms_of(factor)) for factor in node.factors) > MOST_TERMS:
        return None
    for number, factor in enumerate(node.factors):
        if isinstance(factor, Sum):
            others = (*node.factors[:number], *node.factors[number + 1 :])
            rest = others[0] if len(others) == 1 else Product(others)
            return sum_of((multiply(term, rest), 1) for term in factor.terms)
    return None


SUM_RULES = (
    (ORDERED, _ordered_sum),
    (DIGITS_MEET, _digits_meet),
    (DIGITS_JOIN, _digits_join),
    (QUOTIENT_SUBTRACTED, _quotient_subtracted),
)
PRODUCT_RULES = (
    (ORDERED, _ordered_product),
    (DISTRIBUTED, _distributed),
)
