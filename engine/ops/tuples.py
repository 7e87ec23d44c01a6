"""tuple, get_tuple_element and optimization_barrier: values put together, taken apart, and kept in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from ..indexing import IndexMap, OperandMap
from ..ir.types import MemrefType, TensorType, TokenType, TupleType, Type, leaf_types
from .kinds import TENSOR_OR_PER_TENSOR, holds
from .op import Array, Constraint, Cost, Op
from .sized_integers import Int32
from .values import tuple_of


def handed_on(types: Iterable[Type], first: int = 0) -> Iterator[OperandMap]:
    """Identities for values of such types, tuples taken apart; `first` is the number of the first operand."""
    leaves = (leaf for found in types for leaf in leaf_types(found))
    for number, found in enumerate(leaves):
        if isinstance(found, TensorType) and found.is_static:
            yield OperandMap(first + number, IndexMap.identity(found.sizes), number)


@dataclass(frozen=True)
class Tuple(Op):
    """Makes one value of the values `val`, which stay what they are. Specification: tuple."""

    name = "stablehlo.tuple"
    short_form = "operands attr-dict : result-type"
    hlo_opcode = "tuple"
    xla_name = "Tuple"
    result_labels: ClassVar = {"element_type": "C1", "shape": "C1"}

    val: tuple[Type, ...]

    def constraints(self) -> Iterator[Constraint]:
        for number, found in enumerate(self.val):
            is_value = isinstance(found, TensorType | TokenType | TupleType | MemrefType)
            yield (
                "I1",
                is_value,
                f"value {number} must be a tensor, a token, a buffer or a tuple, not {found}",
            )

    def infer(self) -> TupleType:
        return TupleType(self.val)

    def evaluate(self, *operands: Array) -> Array:
        return tuple_of(operands)

    def index_maps(self) -> Iterator[OperandMap]:
        """Of what is no tuple, in order: it stays what it is."""
        return handed_on(self.val)

    inverse_index_maps = index_maps

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """Nothing is copied."""
        return Cost(0, 0)


@dataclass(frozen=True)
class GetTupleElement(Op):
    """Takes the value at position `index` out of the tuple `operand`. Specification: get_tuple_element."""

    name = "stablehlo.get_tuple_element"
    short_form = "operands [ $index<i32> ] attr-dict : functional-type"
    hlo_opcode = "get-tuple-element"
    hlo_note = (
        "Tuples are everywhere in HLO text: an instruction has one result, so several values are one tuple."
    )
    xla_name = "GetTupleElement"
    result_labels: ClassVar = {"element_type": "C2", "shape": "C2"}

    operand: TupleType
    index: Int32

    def constraints(self) -> Iterator[Constraint]:
        count = len(self.operand.types)
        sentence = f"there is no element {self.index} in operand, a tuple of {count}"
        yield "C1", 0 <= self.index < count, sentence

    def infer(self) -> Type:
        return self.operand.types[self.index]

    def evaluate(self, *operands: Array) -> Array:
        found: Array = operands[0][self.index]
        return found

    def index_maps(self) -> Iterator[OperandMap]:
        """Of the element that is taken; operands are what is no tuple in `operand`, in order."""
        before = TupleType(self.operand.types[: self.index])
        return handed_on((self.infer(),), len(list(leaf_types(before))))

    inverse_index_maps = index_maps

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """Nothing is copied."""
        return Cost(0, 0)


@dataclass(frozen=True)
class OptimizationBarrier(Op):
    """Gives back `operand`, after whatever made it and before whatever uses the results.

    A compiler moves nothing across it; a step debugger moves nothing anyway. HLO text has one value where
    StableHLO has several, a tuple mostly: `takes_tuples` says that. Specification: optimization_barrier.
    """

    name = "stablehlo.optimization_barrier"
    short_form = "custom barrier"
    hlo_opcode = "opt-barrier"
    hlo_note = "There is one operand; of several values it is a tuple."
    xla_name = "OptimizationBarrier"
    input_labels: ClassVar = {}
    result_labels: ClassVar = {"element_type": "C1", "shape": "C1"}

    operand: tuple[Type, ...]
    takes_tuples: bool = False
    """Whether an operand may be a tuple, as in HLO text."""

    def constraints(self) -> Iterator[Constraint]:
        for number, found in enumerate(self.operand):
            if self.takes_tuples and isinstance(found, TupleType):
                continue
            allowed = isinstance(found, TensorType | TokenType)
            yield "", allowed, f"operand {number} must be a tensor or a token, not {found}"
            if isinstance(found, TensorType):
                yield holds("", f"operand {number}", found, TENSOR_OR_PER_TENSOR)

    def infer(self) -> tuple[Type, ...]:
        return self.operand

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        return operands

    def index_maps(self) -> Iterator[OperandMap]:
        """Of what is no tuple, in order: it stays what it is."""
        return handed_on(self.operand)

    inverse_index_maps = index_maps

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """Nothing is copied."""
        return Cost(0, 0)


OPS: tuple[type[Op], ...] = (Tuple, GetTupleElement, OptimizationBarrier)
