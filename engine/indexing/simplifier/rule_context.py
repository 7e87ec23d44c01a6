"""The interface that the simplifier's rules use."""

from __future__ import annotations

from typing import Protocol

from ..core.expressions import Expression
from ..core.interval import Interval
from .facts import Facts


class RuleContext(Protocol):
    """Ranges and facts in the context of an expression, and a simplifier for subexpressions."""

    @property
    def facts(self) -> Facts:
        """Facts from constraints."""

    @property
    def quiet(self) -> RuleContext:
        """The same context without recording, for conditions of rules."""

    def range_of(self, expression: Expression) -> Interval:
        """An interval that contains every value of the expression. Raises Infeasible."""

    def simplify(self, expression: Expression) -> Expression:
        """Apply all rules until none applies."""
