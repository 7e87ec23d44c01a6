"""Rules for sums and products."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from ..division import constant_of, parts_of, sum_of
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
from .rules import DIGITS_JOIN, DIGITS_MEET, DISTRIBUTED, DIVIDEND_MEETS, ORDERED, QUOTIENT_SUBTRACTED

if TYPE_CHECKING:
    from .rewriting import Rewriter

MOST_TERMS = 64  # longer products stay as they are, for they can be exponentially long as sums
Coefficients = dict[Expression, int]


def _ordered_sum(node: Sum, rewriter: Rewriter) -> Expression | None:
    del rewriter
    return Sum(tuple(sorted(node.terms, key=order_key)))


class _Digits(NamedTuple):
    """x mod c and what makes `whole` of it: `whole` = x mod c + c * `above`."""

    whole: Expression
    above: Expression


def _digits_meet(node: Sum, rewriter: Rewriter) -> Expression | None:
    """(x mod c) * k + (x floordiv c) * (c * k) is x * k."""
    return _put_together(node, rewriter, _with_quotient)


def _digits_join(node: Sum, rewriter: Rewriter) -> Expression | None:
    """(x mod a) * k + ((x floordiv a) mod b) * (a * k) is (x mod (a * b)) * k."""
    return _put_together(node, rewriter, _with_digit)


Finder = Callable[[Modulo, int, Coefficients, "Rewriter"], _Digits | None]


def _put_together(node: Sum, rewriter: Rewriter, find: Finder) -> Expression | None:
    remainders = _remainders(node)
    coefficients = dict(parts_of(node)) if remainders else {}
    for low, times in remainders:
        size = times * low.divisor
        digits = find(low, size, coefficients, rewriter)
        if digits is not None:
            whole = multiply(digits.whole, times)
            return add(node, multiply(low, -times), multiply(digits.above, -size), whole)
    return None


def _dividend_meets(node: Sum, rewriter: Rewriter) -> Expression | None:
    """(x floordiv c) * (j * c / e) + ((x mod c) * j + r) floordiv e is (x * j + r) floordiv e."""
    coefficients = dict(parts_of(node))
    for outer, times in coefficients.items():
        if not isinstance(outer, FloorDivide):
            continue
        for low, count in _remainders(outer.dividend):
            each, left = divmod(count * low.divisor, outer.divisor)
            if left:
                continue
            size = times * each
            others = {atom: number for atom, number in coefficients.items() if atom != outer}
            digits = _with_quotient(low, size, others, rewriter) or _with_digit(low, size, others, rewriter)
            if digits is None:
                continue
            dividend = add(outer.dividend, multiply(low, -count), multiply(digits.whole, count))
            joined = multiply(floor_divide(dividend, outer.divisor), times)
            return add(node, multiply(outer, -times), multiply(digits.above, -size), joined)
    return None


def _with_quotient(low: Modulo, size: int, among: Coefficients, rewriter: Rewriter) -> _Digits | None:
    """x of x mod c, where (x floordiv c) * `size` is among the terms, whatever it is when it is simplified."""
    number, divisor = low.dividend, low.divisor
    quotient = rewriter.quiet.simplified(floor_divide(number, divisor))
    if _contains(among, quotient, size):
        constant = constant_of(quotient)
        return _Digits(number - constant * divisor, quotient - constant)
    # Multiples of c have been left out of x mod c: the number divided may be another one.
    for above, count in among.items():
        if count != size or not isinstance(above, FloorDivide) or above.divisor % divisor:
            continue
        divided = floor_divide(above.dividend, above.divisor // divisor)
        if rewriter.quiet.simplified(modulo(divided, divisor)) == low:
            return _Digits(divided, above)
    return None


def _with_digit(low: Modulo, size: int, among: Coefficients, rewriter: Rewriter) -> _Digits | None:
    """x mod (a * b) of x mod a, where the next digit of x, `size` times, is among the terms."""
    quotient = rewriter.quiet.simplified(floor_divide(low.dividend, low.divisor))
    for high, count in among.items():
        if count == size and not isinstance(high, Constant):
            whole = _joined(low, high, quotient, rewriter)
            if whole is not None:
                return _Digits(whole, high)
    return None


def _joined(low: Modulo, high: Expression, quotient: Expression, rewriter: Rewriter) -> Expression | None:
    """(x mod a) + a * `high` as one remainder, if `high` is the digit of x above."""
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


def _remainders(node: Expression) -> list[tuple[Modulo, int]]:
    """The terms (x mod c) * k, as (x mod c, k)."""
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
    (DIVIDEND_MEETS, _dividend_meets),
    (QUOTIENT_SUBTRACTED, _quotient_subtracted),
)
PRODUCT_RULES = (
    (ORDERED, _ordered_product),
    (DISTRIBUTED, _distributed),
)
