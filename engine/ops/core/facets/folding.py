"""The facet for integer folding: elements of integer results as expressions of index maps."""

from dataclasses import dataclass
from typing import Generic

from ....indexing import Expression
from ..integer_folding import Comparison, Index, OperandElements
from .any_op import OpType


@dataclass(frozen=True)
class Folding(Generic[OpType]):
    """Integers that the program determines, as expressions; by default unknown."""

    def element(self, op: OpType, index: Index, operands: OperandElements) -> Expression | None:
        """Element `index` of the op's one result, an integer; `None` where no expression states it.

        The expression has the variables of `index` and of the elements that it reads of `operands`.
        """
        return None

    def comparison(self, op: OpType, index: Index, operands: OperandElements) -> Comparison | None:
        """The comparison that makes element `index` of the op's one boolean result true; `None` if unknown."""
        return None
