"""The facet for provenance: the formula of an element, values that are forwarded, and values of frames."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic

from .any_op import OpType

Part = tuple[int, tuple[int, ...]]
"""A part of an op's operands or results: the number of one, and the positions in its tuples, outermost first."""


class Form(StrEnum):
    """The layout of a formula."""

    READ = "read"
    CONSTANT = "constant"
    FUNCTION = "function"
    OPERATOR = "operator"
    PRODUCTS = "sum of products"
    FOLD = "fold"
    UPDATES = "updates"


@dataclass(frozen=True)
class Role:
    """The purpose of the elements of some operands."""

    name: str
    operands: range
    """The numbers of the operands, tuples flattened."""


@dataclass(frozen=True)
class ElementFormula:
    """The formula of one element, before the elements that a run read are filled in."""

    function: str
    """The op as a function, where no other form fits: `reshape`."""
    form: Form = Form.READ
    """`READ` is for ops that mostly return a single element unchanged."""
    symbol: str = ""
    """The operator or function; of a fold, the one that combines two elements."""
    roles: tuple[Role, ...] = ()
    """The terms of the formula, in order; empty: an element of each operand."""
    compared: range = field(default=range(0))
    """Operands whose elements only decide which terms the formula has."""
    is_chosen: bool = False
    """Whether a comparison of all elements chose one of those that were read; `value_maps` say which."""
    notes: Mapping[int, str] = field(default_factory=dict)
    """A note for each operand whose element is the value: `the padding value`."""


@dataclass(frozen=True)
class Explanation(Generic[OpType]):
    """Origin of the op's values and of those in its frames, as far as index maps do not state it."""

    form: Form = Form.READ
    """The layout of the formula of an element."""
    symbol: str = ""
    """The function or operator in it; of a fold, the one that combines two elements."""
    is_chosen: bool = False
    """Whether a comparison of all elements chose one of those that were read; `value_maps` say which."""
    notes: Mapping[int, str] = field(default_factory=dict)
    """A note for each operand whose element is the value: `the padding value`."""
    constant_note: str = ""
    """The reason for the value of a result that reads no element, as a sentence."""
    combines_processes: bool = False
    """Whether it combines elements of several processes, rather than moving them."""
    gives_placeholders: bool = False
    """Whether it only starts a computation, so that its results are placeholders at first."""
    outcome_path: tuple[int, ...] = ()
    """The position of the placeholders in the result of an op that may only start: `(1,)` for element 1 of a tuple."""
    passes_values: bool = False
    """Whether the arguments of its frames are parts of its operands, and its results those of its last frame."""
    calls_function: bool = False
    """Whether it only runs one function, so that without a frame its results come from outside the program."""

    def formula(self, op: OpType, reads: int) -> ElementFormula:
        """The formula of a result's element, in terms of the elements that it reads from `reads` operands."""
        function = op.name.rpartition(".")[2]
        return ElementFormula(function, self.form, self.symbol, is_chosen=self.is_chosen, notes=self.notes)

    def combiner(self, op: OpType, result: int) -> str:
        """The name of the op that combines two terms of an element of a result; empty if no known one does."""
        return ""

    def forwarded_operand(self, op: OpType, result: int, path: tuple[int, ...] = ()) -> Part | None:
        """The part of the operands that part `path` of a result equals, unchanged; `None` where it is computed.

        `path` leads to a tensor or a token, or to a tuple whose parts are forwarded together.
        """
        return None

    def origin(self, op: OpType, result: int, path: tuple[int, ...] = ()) -> Part | None:
        """The part of the operands that holds the origin of part `path` of a result; `None` if this op makes it.

        It is `forwarded_operand`, except where an op provides the value later than the operand's op did.
        """
        return self.forwarded_operand(op, result, path)

    def argument_part(self, op: OpType, region: int, argument: int, path: tuple[int, ...] = ()) -> Part:
        """The part of the operands that part `path` of an argument of a region equals, if the op passes values."""
        return argument, path

    def returned_part(self, op: OpType, result: int, path: tuple[int, ...] = ()) -> Part | None:
        """The part of the last frame's results that part `path` of a result equals; `None` where the op adds it.

        Only for ops that pass values, and for an infeed that a function feeds.
        """
        return result, path
