"""Rules for floordiv and mod. Divisors are positive after the first rule of each."""

from ..core.division import parts_of, split, split_multiples
from ..core.expressions import (
    CeilDivide,
    Constant,
    Expression,
    FloorDivide,
    Modulo,
    add,
    ceil_as_floor,
    floor_divide,
    modulo,
    multiply,
)
from ..core.interval_analysis import one_quotient
from . import rule_texts as rules
from .facts import RuleContext, primitive


def _ceil_as_floor(node: CeilDivide, _: RuleContext) -> Expression | None:
    """Rewrite for negative divisors too, so that equal quotients have one form."""
    return ceil_as_floor(node)


def _multiples_out(node: FloorDivide, _: RuleContext) -> Expression | None:
    multiples = split_multiples(node.dividend, node.divisor)
    return add(multiples.quotient, floor_divide(multiples.rest, node.divisor)) if multiples else None


def _quotient_of_remainder(node: FloorDivide, _: RuleContext) -> Expression | None:
    inner = node.dividend
    if not isinstance(inner, Modulo) or inner.divisor % node.divisor:
        return None
    return modulo(floor_divide(inner.dividend, node.divisor), inner.divisor // node.divisor)


def _nested_quotient(node: FloorDivide, _: RuleContext) -> Expression | None:
    inner = node.dividend
    if not isinstance(inner, FloorDivide):
        return None
    return floor_divide(inner.dividend, inner.divisor * node.divisor)


def _split_quotient(node: FloorDivide, context: RuleContext) -> Expression | None:
    parts = split(node.dividend, node.divisor, context.range_of)
    return floor_divide(parts.large, node.divisor // parts.divisor) if parts else None


def _inner_quotient(node: FloorDivide, _: RuleContext) -> Expression | None:
    """Not applied with two inner divisions: the other one would only be multiplied."""
    inner = _only_quotient(node.dividend)
    if inner is None:
        return None
    rest = node.dividend - inner
    return floor_divide(inner.dividend + rest * inner.divisor, inner.divisor * node.divisor)


def _multiples_lost(node: Modulo, _: RuleContext) -> Expression | None:
    multiples = split_multiples(node.dividend, node.divisor)
    return modulo(multiples.rest, node.divisor) if multiples else None


def _known_remainder(node: Modulo, context: RuleContext) -> Expression | None:
    for key, modulus, value in context.facts.residues:
        if key.children:
            whole = primitive(node.dividend)
            if whole.key == key and whole.scale * modulus % node.divisor == 0:
                return Constant((whole.scale * value + whole.shift) % node.divisor)
            continue
        times = dict(parts_of(node.dividend)).get(key, 0)
        if times and times * modulus % node.divisor == 0:
            return modulo(add(node.dividend, key * -times, value * times), node.divisor)
    return None


def _one_period(node: Modulo, context: RuleContext) -> Expression | None:
    quotient = one_quotient(context.range_of(node.dividend), node.divisor)
    return None if quotient is None else node.dividend - quotient * node.divisor


def _nested_remainder(node: Modulo, _: RuleContext) -> Expression | None:
    """Also for a term: (x mod c) * k equals x * k modulo every divisor of c * k."""
    for atom, times in parts_of(node.dividend):
        if isinstance(atom, Modulo) and atom.divisor * times % node.divisor == 0:
            return modulo(add(node.dividend, atom * -times, atom.dividend * times), node.divisor)
    return None


def _split_remainder(node: Modulo, context: RuleContext) -> Expression | None:
    parts = split(node.dividend, node.divisor, context.range_of)
    if parts is None:
        return None
    return add(multiply(modulo(parts.large, node.divisor // parts.divisor), parts.divisor), parts.small)


def _remainder_of_quotient(node: Modulo, context: RuleContext) -> Expression | None:
    """(x floordiv a + r) mod b is ((x + r * a) mod (a * b)) floordiv a, if that remainder splits.

    If it does not split, terms that it drops from x are still dropped, in the original form.
    """
    inner = _only_quotient(node.dividend)
    if inner is None:
        return None
    whole = add(inner.dividend, multiply(node.dividend - inner, inner.divisor))
    digits = context.quiet.simplify(modulo(whole, inner.divisor * node.divisor))
    if not isinstance(digits, Modulo):
        return floor_divide(digits, inner.divisor)
    if digits.divisor != inner.divisor * node.divisor:
        return None
    found = context.quiet.simplify(floor_divide(digits.dividend, inner.divisor))
    return modulo(found, node.divisor)


def _only_quotient(expression: Expression) -> FloorDivide | None:
    """The only term that is a quotient, with coefficient 1; `None` if there are several."""
    found = [part for part in parts_of(expression) if isinstance(part[0], FloorDivide)]
    if len(found) != 1 or found[0][1] != 1:
        return None
    quotient = found[0][0]
    assert isinstance(quotient, FloorDivide)
    return quotient


QUOTIENT_RULES = (
    (
        rules.POSITIVE,
        lambda node, _: floor_divide(-node.dividend, -node.divisor) if node.divisor < 0 else None,
    ),
    (rules.MULTIPLES_OUT, _multiples_out),
    (rules.QUOTIENT_OF_REMAINDER, _quotient_of_remainder),
    (rules.NESTED_QUOTIENT, _nested_quotient),
    (rules.SPLIT_QUOTIENT, _split_quotient),
    (rules.INNER_QUOTIENT, _inner_quotient),
)
ROUNDED_UP_RULES = ((rules.ROUNDED_UP, _ceil_as_floor),)
REMAINDER_RULES = (
    (rules.POSITIVE, lambda node, _: modulo(node.dividend, -node.divisor) if node.divisor < 0 else None),
    (rules.MULTIPLES_LOST, _multiples_lost),
    (rules.KNOWN_REMAINDER, _known_remainder),
    (rules.ONE_PERIOD, _one_period),
    (rules.NESTED_REMAINDER, _nested_remainder),
    (rules.SPLIT_REMAINDER, _split_remainder),
    (rules.REMAINDER_OF_QUOTIENT, _remainder_of_quotient),
)
