"""Rewrite an expression until no rule applies, with the rules for min and max."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..core.expressions import (
    CeilDivide,
    Constant,
    Dim,
    Expression,
    FloorDivide,
    Maximum,
    Minimum,
    Modulo,
    Product,
    Sum,
    maximum,
    minimum,
    rebuild,
)
from ..core.interval import Interval
from ..core.interval_analysis import Intervals, interval_from, is_bounded
from . import divisions, sums
from . import rule_texts as rules
from .facts import NO_FACTS, Facts, Infeasible, RuleContext
from .rewrites import Recorder
from .rule_texts import Rule
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


EXTREME_RULES = ((rules.EXTREME_BY_RANGE, _decide), (rules.NESTED_EXTREME, _flatten), (rules.ORDERED, _order))


Apply = Callable[[Any, "Rewriter"], Expression | None]
MAX_STEPS = 10_000
"""Maximum number of rule applications: maps of ops need some tens, user text may need more."""
RULES_OF: Mapping[type[Expression], Sequence[tuple[Rule, Apply]]] = {
    Sum: sums.SUM_RULES,
    Product: sums.PRODUCT_RULES,
    FloorDivide: divisions.QUOTIENT_RULES,
    CeilDivide: divisions.ROUNDED_UP_RULES,
    Modulo: divisions.REMAINDER_RULES,
    Minimum: EXTREME_RULES,
    Maximum: EXTREME_RULES,
}


class Rewriter:
    """Simplifies expressions over variables with these `intervals`, given `facts`.

    Results are cached by the identity of expressions, which stay referenced: hashing them would take as long
    as computing.
    """

    def __init__(
        self,
        intervals: Intervals,
        facts: Facts = NO_FACTS,
        *,
        keep_points: bool = False,
        recorder: Recorder | None = None,
    ) -> None:
        self.facts = facts
        self.intervals = intervals
        self._keep_points = keep_points
        self._recorder = recorder
        self._steps = 0
        self._ranges: dict[int, tuple[Expression, Interval]] = {}
        self._done: dict[int, tuple[Expression, Expression]] = {}
        # Simplifications that rules perform for a condition are not recorded as steps.
        self.quiet: Rewriter = Rewriter(intervals, facts, keep_points=keep_points) if recorder else self

    def range_of(self, expression: Expression) -> Interval:
        """An interval that contains every value, given the facts. Raises Infeasible."""
        if not self.facts:
            return self.intervals(expression)
        found = self._ranges.get(id(expression))
        if found is not None:
            return found[1]
        interval = (
            interval_from(expression, self.range_of) if expression.children else self.intervals(expression)
        )
        interval = self.facts.narrow(expression, interval)
        if interval.is_empty:
            raise Infeasible
        self._ranges[id(expression)] = expression, interval
        return interval

    def simplify(self, expression: Expression) -> Expression:
        """Apply all rules until none applies."""
        found = self._done.get(id(expression))
        if found is not None:
            return found[1]
        result = self._simplify_fully(expression)
        self._done[id(expression)] = expression, result
        self._done[id(result)] = result, result
        return result

    def forget(self) -> None:
        """Clear the cache, so that every step is recorded."""
        self._done.clear()

    def _simplify_fully(self, expression: Expression) -> Expression:
        while True:
            kind = type(expression)
            if kind is Constant:
                return expression
            interval = self.range_of(expression)
            if interval.is_point and is_bounded(interval) and not (self._keep_points and kind is Dim):
                return self._note(rules.POINT, expression, Constant(interval.lower))
            if not expression.children:
                return expression
            rebuilt = self._simplify_children(expression)
            if rebuilt is expression:
                better = self._rewrite(expression)
                if better is None:
                    return expression
                rebuilt = better
            expression = rebuilt

    def _rewrite(self, expression: Expression) -> Expression | None:
        """Apply the first matching rule to an expression with simplified children."""
        if self._steps >= MAX_STEPS:
            return None
        for rule, apply in RULES_OF.get(type(expression), ()):
            better = apply(expression, self)
            if better is not None and better != expression:
                self._steps += 1
                return self._note(rule, expression, better)
        return None

    def _simplify_children(self, expression: Expression) -> Expression:
        before = expression.children
        if self._recorder is None:
            after = [self.simplify(child) for child in before]
        else:
            after = self._recorder.each_child(expression, self.simplify)
        if all(new is old for new, old in zip(after, before, strict=True)):
            return expression
        rebuilt = rebuild(expression, after)
        if self._recorder is not None:
            self._recorder.note_folding(rules.FOLDED, expression, after, rebuilt)
        return rebuilt

    def _note(self, rule: Rule, before: Expression, after: Expression) -> Expression:
        if self._recorder is not None:
            self._recorder.note(rule, before, after)
        return after
