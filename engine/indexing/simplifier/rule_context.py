"""What the rules of the simplifier may ask of the one that applies them."""

from __future__ import annotations

from typing import Protocol

from ..expressions import Expression
from ..interval import Interval
from .facts import Facts


class RuleContext(Protocol):
    """The ranges and facts that hold where an expression is used, and the simplifier for expressions in it."""

    @property
    def facts(self) -> Facts:
        """What constraints say."""

    @property
    def quiet(self) -> RuleContext:
        """The same, for questions that are no step of the simplification."""

    def range_of(self, expression: Expression) -> Interval:
        """An interval that holds every value of the expression. Raises Infeasible."""

    def simplify(self, expression: Expression) -> Expression:
        """The expression with every rule applied as often as it can be."""
