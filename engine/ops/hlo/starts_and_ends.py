"""Base of ops that start an asynchronous operation, and of those that end it.

A start has one result, a tuple of its operands, its outputs, and buffers of XLA. Several operands, or several
outputs, are a tuple within it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ...ir.element_types import ELEMENT_TYPES
from ...ir.types import TensorType, TokenType, TupleType, Type
from ..collectives.collective_rules import blank_value
from ..core.bases import Forwarding
from ..core.exchanges import Arrays, Arrived, Await
from ..core.facets import Explanation, Part
from ..core.facets.findings import Findings
from ..core.op import Array, Ask, AskingOp, Constraint
from ..core.regions import type_agrees
from ..core.values import is_tuple, read_only, tuple_of

GIVEN, OUTPUT = 0, 1
"""The elements of the tuple."""
U32 = TensorType((), ELEMENT_TYPES["ui32"])
"""The number by which XLA identifies a transfer in progress."""
START_RULE = (
    "The result is a tuple of the operands, the output, and otherwise only numbers of known sizes and tokens."
)
"""The constraint of the tuple, as a sentence for the pages of the ops that return it."""


@dataclass(frozen=True)
class Values:
    """Several values as one element of a start's tuple: as a tuple, unless the element is the one value."""

    types: tuple[Type, ...]
    stated: Type
    """The type of the element."""

    @property
    def _whole(self) -> TupleType:
        return TupleType(self.types)

    @property
    def is_tuple(self) -> bool:
        """Whether the element is a tuple of the values, rather than the one value."""
        return len(self.types) != 1 or type_agrees(self._whole, self.stated)

    def constraint(self, element: int, what: str) -> Constraint:
        """Constraint: the element has the type of the values, or is a tuple of their types."""
        wanted = self._whole if self.is_tuple else self.types[0]
        sentence = f"element {element} of the result must be {what}, {wanted}, not {self.stated}"
        return "", type_agrees(wanted, self.stated), sentence

    def pack(self, values: Sequence[Array]) -> Array:
        """The values as the element."""
        return tuple_of(values) if self.is_tuple else values[0]


def start_constraints(given: tuple[Type, ...], result: TupleType) -> Iterator[Constraint]:
    """Constraints that a tuple holds the operands, an output, and buffers that zeros can fill."""
    sentence = f"the result must be a tuple of the operands and the output, not {result}"
    yield "", len(result.types) > OUTPUT, sentence
    yield Values(given, result.types[GIVEN]).constraint(GIVEN, "the operands")
    for number, found in enumerate(result.types[OUTPUT + 1 :], OUTPUT + 1):
        sentence = f"element {number} of the result must be of tensors of known sizes or tokens, not {found}"
        yield "", _is_blank(found), sentence


def output_constraint(outputs: tuple[Type, ...], result: TupleType) -> Constraint:
    """Constraint: the tuple's element 1 has the type of the result."""
    return Values(outputs, result.types[OUTPUT]).constraint(OUTPUT, "the output")


def start_tuple(given: Array, output: Array, result: TupleType) -> Array:
    """The tuple that a start op returns."""
    return tuple_of([given, output, *map(blank_value, result.types[OUTPUT + 1 :])])


def _is_blank(found: Type) -> bool:
    if isinstance(found, TupleType):
        return all(map(_is_blank, found.types))
    return isinstance(found, TokenType) or (isinstance(found, TensorType) and found.is_static)


class TakingExplanation(Explanation["Taking"]):
    def forwarded_operand(self, op: Taking, result: int, path: tuple[int, ...] = ()) -> Part:
        return 0, (op.place, *path)


@dataclass(frozen=True)
class Taking(Forwarding):
    """Returns an element of the tuple `operand`, the result of a start op."""

    explanation = TakingExplanation()
    place: ClassVar[int] = OUTPUT
    """The index of the element."""

    operand: TupleType

    def constraints(self) -> Iterator[Constraint]:
        sentence = f"operand must be a tuple of the operands and the output, not {self.operand}"
        yield "", len(self.operand.types) > OUTPUT, sentence

    def infer(self) -> Type:
        return self.operand.types[self.place]

    def evaluate(self, *operands: Array) -> Array:
        found: Array = operands[0][self.place]
        return found


class Awaiting(AskingOp):
    """An op that waits for the outcome of its value: a placeholder, or a tuple of placeholders."""

    findings = Findings(moves_elements=True, awaits_outcomes=True)

    def begin(self, operands: Arrays) -> Ask | Arrays:
        found = self.evaluate(*operands)
        assert not isinstance(found, tuple)
        return Ask((found, found), Await(found))

    def resume(self, state: Any, answer: Any) -> Ask | Arrays:
        value, asked = state
        arrived: Arrived = answer
        if arrived.outputs is not None:
            return (_gather_outputs(arrived.outputs, like=value),)
        # Several outputs have a placeholder each.
        if asked is value and is_tuple(value) and len(value):
            return Ask((value, value[0]), Await(value[0]))
        return (value,)


def _gather_outputs(outputs: Arrays, like: Array) -> Array:
    """The outputs as one value: a tuple where `like` is one."""
    alone = len(outputs) == 1 and is_tuple(outputs[0]) == is_tuple(like)
    return outputs[0] if alone else tuple_of(list(map(read_only, outputs)))
