"""Ops that take each element of the result from one of two operands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..indexing import OperandMap, selected_maps
from .op import Op


@dataclass(frozen=True)
class Selecting(Op):
    """Operand 0 says which, element by element or for all at once."""

    @property
    def last_on_true(self) -> int:
        """The number of the last operand, tuples taken apart, that is taken where operand 0 is true."""
        return 1

    def value_maps(self, *, inverse: bool = False) -> Iterator[OperandMap]:
        """Those of the operand that was taken: a result hangs on the other one no more once the predicate is known."""
        back = self.inverse_index_maps() if inverse else None
        return selected_maps(self.index_maps(), back, last_on_true=self.last_on_true)
