"""Ops that take each element of the result from one of two operands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from ...indexing import OperandMap, selection_maps
from .facets import ElementFormula, Explanation, Findings, Form, Role
from .op import Op


class SelectingExplanation(Explanation["Selecting"]):
    def formula(self, op: Selecting, reads: int) -> ElementFormula:
        roles = (Role("predicate", range(1)), Role("taken", range(1, op.first_auxiliary)))
        return ElementFormula("select", Form.FUNCTION, "select", roles)


class SelectingFindings(Findings[Any]):
    def deciding_operands(self, op: Any) -> Iterable[int]:
        return (0,)


@dataclass(frozen=True)
class Selecting(Op):
    """Operand 0 says which, element by element or for all at once."""

    explanation: ClassVar[Explanation[Any]] = SelectingExplanation()
    findings: ClassVar[Findings[Any]] = SelectingFindings()

    @property
    def last_on_true(self) -> int:
        """The number of the last operand, tuples taken apart, that is taken where operand 0 is true."""
        return 1

    def value_maps(self, *, inverse: bool = False) -> Iterator[OperandMap]:
        """The maps to the operand that was taken; once the predicate is known, a result does not depend on the
        other.
        """
        back = self.inverse_index_maps() if inverse else None
        return selection_maps(self.index_maps(), back, last_on_true=self.last_on_true)
