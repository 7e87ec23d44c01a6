"""Rules for min and max."""

from __future__ import annotations

from ..core.expressions import Expression, Maximum, Minimum, maximum, minimum
from . import rule_texts as rules
from .facts import RuleContext
from .term_order import order_key

Extreme = Minimum | Maximum


def _decide(node: Extreme, context: RuleContext) -> Expression | None:
    difference = context.range_of(context.quiet.simplify(node.left - node.right))
    if difference.upper <= 0:
        return node.left if isinstance(node, Minimum) else node.right
    if difference.lower >= 0:
        return node.right if isinstance(node, Minimum) else node.left
    return None


def _flatten(node: Extreme, context: RuleContext) -> Expression | None:
    """min(min(x, 3), 5) is min(x, 3): flatten nested extremes and drop redundant sides."""
    sides = sorted(_sides_of(node, type(node)), key=order_key)
    if len(sides) == 2:
        return None
    kept: list[Expression] = []
    for side in sides:
        if not any(_makes_needless(other, side, node, context) for other in kept):
            kept = [*(other for other in kept if not _makes_needless(side, other, node, context)), side]
    return _chain(node, kept) if len(kept) < len(sides) or _chain(node, sides) != node else None


def _sides_of(node: Expression, kind: type[Expression]) -> list[Expression]:
    if not isinstance(node, kind):
        return [node]
    return [side for child in node.children for side in _sides_of(child, kind)]


def _makes_needless(one: Expression, other: Expression, node: Extreme, context: RuleContext) -> bool:
    return _decide(type(node)(one, other), context) == one


def _chain(node: Extreme, sides: list[Expression]) -> Expression:
    chain, *others = sides
    for side in others:
        chain = minimum(chain, side) if isinstance(node, Minimum) else maximum(chain, side)
    return chain


def _order(node: Extreme, _: RuleContext) -> Expression | None:
    if isinstance(node.left, type(node)) or isinstance(node.right, type(node)):
        return None
    return type(node)(*sorted(node.children, key=order_key))


MINIMUM_RULES = MAXIMUM_RULES = (
    (rules.EXTREME_BY_RANGE, _decide),
    (rules.NESTED_EXTREME, _flatten),
    (rules.ORDERED, _order),
)
