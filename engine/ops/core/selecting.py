"""Ops that take each element of the result from one of two operands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from ...indexing import OperandMap, selection_maps
from .element_formula import ElementFormula, Form, Role
from .facets.findings import Findings
from .op import Op


class SelectingFindings(Findings[Any]):
    def deciding_operands(self, op: Any) -> Iterable[int]:
        return (0,)


@dataclass(frozen=True)
class Selecting(Op):
    """Operand 0 says which, element by element or for all at once."""

    findings: ClassVar[Findings[Any]] = SelectingFindings()

    @property
    def last_on_true(self) -> int:
        """The number of the last operand, tuples taken apart, that is taken where operand 0 is true."""
        return 1

    def formula(self, reads: int) -> ElementFormula:
        roles = (Role("predicate", range(1)), Role("taken", range(1, self.first_auxiliary)))
        return ElementFormula("select", Form.FUNCTION, "select", roles)

    def value_maps(self, *, inverse: bool = False) -> Iterator[OperandMap]:
        """The maps to the operand that was taken; once the predicate is known, a result does not depend on the
        other.
        """
        back = self.inverse_index_maps() if inverse else None
        return selection_maps(self.index_maps(), back, last_on_true=self.last_on_true)
