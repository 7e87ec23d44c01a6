"""Rules for sums and products."""

from collections.abc import Callable
from math import prod
from typing import NamedTuple

from ..core.division import constant_of, parts_of, sum_of
from ..core.expressions import (
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
from ..core.interval_analysis import is_bounded
from . import rule_texts as rules
from .facts import RuleContext
from .term_order import order_key

MAX_TERMS = 64  # longer products are kept, because sums of them can be exponentially long
Coefficients = dict[Expression, int]


class _Digits(NamedTuple):
    """x mod c with the number x: `whole` = x mod c + c * `above`."""

    whole: Expression
    above: Expression


def _merge_quotient(node: Sum, context: RuleContext) -> Expression | None:
    """(x mod c) * k + (x floordiv c) * (c * k) is x * k."""
    return _merge_remainder(node, context, _with_quotient)


def _merge_digit(node: Sum, context: RuleContext) -> Expression | None:
    """(x mod a) * k + ((x floordiv a) mod b) * (a * k) is (x mod (a * b)) * k."""
    return _merge_remainder(node, context, _with_digit)


Finder = Callable[[Modulo, int, Coefficients, RuleContext], _Digits | None]


def _merge_remainder(node: Sum, context: RuleContext, find: Finder) -> Expression | None:
    remainders = _remainders(node)
    coefficients = dict(parts_of(node)) if remainders else {}
    for low, times in remainders:
        size = times * low.divisor
        digits = find(low, size, coefficients, context)
        if digits is not None:
            whole = multiply(digits.whole, times)
            return add(node, multiply(low, -times), multiply(digits.above, -size), whole)
    return None


def _merge_dividend(node: Sum, context: RuleContext) -> Expression | None:
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
            digits = _with_quotient(low, size, others, context) or _with_digit(low, size, others, context)
            if digits is None:
                continue
            dividend = add(outer.dividend, multiply(low, -count), multiply(digits.whole, count))
            joined = multiply(floor_divide(dividend, outer.divisor), times)
            return add(node, multiply(outer, -times), multiply(digits.above, -size), joined)
    return None


def _with_quotient(low: Modulo, size: int, among: Coefficients, context: RuleContext) -> _Digits | None:
    """x for x mod c, if (x floordiv c) * `size`, in simplified form, is among the terms."""
    number, divisor = low.dividend, low.divisor
    quotient = context.quiet.simplify(floor_divide(number, divisor))
    if _contains(among, quotient, size):
        constant = constant_of(quotient)
        return _Digits(number - constant * divisor, quotient - constant)
    # x mod c may have lost multiples of c: the divided number may differ from x.
    for above, count in among.items():
        if count != size or not isinstance(above, FloorDivide) or above.divisor % divisor:
            continue
        divided = floor_divide(above.dividend, above.divisor // divisor)
        if context.quiet.simplify(modulo(divided, divisor)) == low:
            return _Digits(divided, above)
    return None


def _with_digit(low: Modulo, size: int, among: Coefficients, context: RuleContext) -> _Digits | None:
    """x mod (a * b) for x mod a, if the next digit of x, times `size`, is among the terms."""
    quotient = context.quiet.simplify(floor_divide(low.dividend, low.divisor))
    for high, count in among.items():
        if count == size and not isinstance(high, Constant):
            whole = _merged_remainder(low, high, quotient, context)
            if whole is not None:
                return _Digits(whole, high)
    return None


def _merged_remainder(
    low: Modulo, high: Expression, quotient: Expression, context: RuleContext
) -> Expression | None:
    """(x mod a) + a * `high` as one remainder, if `high` is the next digit of x."""
    if isinstance(high, Modulo):
        # Multiples of a were dropped from x in the low digit, but not in the high one.
        if not _contains(dict(parts_of(high.dividend)), quotient, 1):
            return None
        above = multiply(high.dividend - quotient, low.divisor)
        return modulo(low.dividend + above, low.divisor * high.divisor)
    # The digit may have another form; its range then determines the base.
    reach = context.range_of(high)
    if reach.lower < 0 or not is_bounded(reach):
        return None
    base = reach.upper + 1
    digit = context.quiet.simplify(modulo(quotient, base))
    return modulo(low.dividend, low.divisor * base) if digit == high else None


def _remainders(node: Expression) -> list[tuple[Modulo, int]]:
    """The terms (x mod c) * k, as (x mod c, k)."""
    return [(atom, times) for atom, times in parts_of(node) if isinstance(atom, Modulo)]


def _contains(coefficients: Coefficients, wanted: Expression, times: int) -> bool:
    """Whether `times` * `wanted` is among the terms, ignoring its constant."""
    parts = [part for part in parts_of(wanted) if not isinstance(part[0], Constant)]
    return bool(parts) and all(coefficients.get(atom) == count * times for atom, count in parts)


def _subtract_quotient(node: Sum, _: RuleContext) -> Expression | None:
    """(x floordiv c) * (-c * k) is (x mod c) * k - x * k."""
    for atom, times in parts_of(node):
        if isinstance(atom, FloorDivide) and times < 0 and times % atom.divisor == 0:
            count = -times // atom.divisor
            remainder = modulo(atom.dividend, atom.divisor)
            return add(node, multiply(atom, -times), multiply(remainder, count), atom.dividend * -count)
    return None


def _distribute(node: Product, _: RuleContext) -> Expression | None:
    if prod(len(terms_of(factor)) for factor in node.factors) > MAX_TERMS:
        return None
    for number, factor in enumerate(node.factors):
        if isinstance(factor, Sum):
            others = (*node.factors[:number], *node.factors[number + 1 :])
            rest = others[0] if len(others) == 1 else Product(others)
            return sum_of((multiply(term, rest), 1) for term in factor.terms)
    return None


SUM_RULES = (
    (rules.ORDERED, lambda node, _: Sum(tuple(sorted(node.terms, key=order_key)))),
    (rules.DIGITS_MEET, _merge_quotient),
    (rules.DIGITS_JOIN, _merge_digit),
    (rules.DIVIDEND_MEETS, _merge_dividend),
    (rules.QUOTIENT_SUBTRACTED, _subtract_quotient),
)
PRODUCT_RULES = (
    (rules.ORDERED, lambda node, _: Product(tuple(sorted(node.factors, key=order_key)))),
    (rules.DISTRIBUTED, _distribute),
)
