"""Rules for min and max."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..expressions import Expression, Maximum, Minimum, maximum, minimum
from .order import order_key
from .rules import EXTREME_BY_RANGE, NESTED_EXTREME, ORDERED

if TYPE_CHECKING:
    from .rewriting import Rewriter

Extreme = Minimum | Maximum


def _decided(node: Extreme, rewriter: Rewriter) -> Expression | None:
    difference = rewriter.range_of(rewriter.quiet.simplified(node.left - node.right))
    if difference.upper <= 0:
        return node.left if isinstance(node, Minimum) else node.right
    if difference.lower >= 0:
        return node.right if isinstance(node, Minimum) else node.left
    return None


def _flattened(node: Extreme, rewriter: Rewriter) -> Expression | None:
    """min(min(x, 3), 5) is min(x, 3): sides of equal kind in a row, those that another decides left out."""
    sides = sorted(_sides_of(node, type(node)), key=order_key)
    if len(sides) == 2:
        return None
    kept: list[Expression] = []
    for side in sides:
        if not any(_makes_needless(other, side, node, rewriter) for other in kept):
            kept = [*(other for other in kept if not _makes_needless(side, other, node, rewriter)), side]
    return _chain(node, kept) if len(kept) < len(sides) or _chain(node, sides) != node else None


def _sides_of(node: Expression, kind: type[Expression]) -> list[Expression]:
    if not isinstance(node, kind):
        return [node]
    return [side for child in node.children for side in _sides_of(child, kind)]


def _makes_needless(one: Expression, other: Expression, node: Extreme, rewriter: Rewriter) -> bool:
    return _decided(type(node)(one, other), rewriter) == one


def _chain(node: Extreme, sides: list[Expression]) -> Expression:
    chain, *others = sides
    for side in others:
        chain = minimum(chain, side) if isinstance(node, Minimum) else maximum(chain, side)
    return chain


def _ordered(node: Extreme, rewriter: Rewriter) -> Expression | None:
    del rewriter
    if isinstance(node.left, type(node)) or isinstance(node.right, type(node)):
        return None
    return type(node)(*sorted(node.children, key=order_key))


MINIMUM_RULES = MAXIMUM_RULES = (
    (EXTREME_BY_RANGE, _decided),
    (NESTED_EXTREME, _flattened),
    (ORDERED, _ordered),
)
