"""tuple, get_tuple_element and optimization_barrier: values put together, taken apart, and kept in order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...ir.types import MemrefType, TensorType, TokenType, TupleType, Type
from ..core.bases import Forwarding
from ..core.binding import Int32
from ..core.facets import Explanation, HloSpelling, Lanes, Part, Section, Traits
from ..core.kinds import TENSOR_OR_PER_TENSOR, holds
from ..core.op import Array, Constraint
from ..core.values import tuple_of


class TupleExplanation(Explanation["Tuple"]):
    def forwarded_operand(self, op: Tuple, result: int, path: tuple[int, ...] = ()) -> Part | None:
        return (path[0], path[1:]) if path else None


@dataclass(frozen=True)
class Tuple(Forwarding):
    """Makes one value of the values `val`, which stay what they are. Specification: tuple."""

    name = "stablehlo.tuple"
    traits = Traits(regroups_tuples=True)
    short_form = "operands attr-dict : result-type"
    hlo = HloSpelling("tuple", "Tuple")
    section = Section(result_labels={"element_type": "C1", "shape": "C1"})
    explanation = TupleExplanation()

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


class GetTupleElementExplanation(Explanation["GetTupleElement"]):
    def forwarded_operand(self, op: GetTupleElement, result: int, path: tuple[int, ...] = ()) -> Part:
        return 0, (op.index, *path)


class GetTupleElementLanes(Lanes["GetTupleElement"]):
    def taken_element(self, op: GetTupleElement) -> int:
        return op.index


@dataclass(frozen=True)
class GetTupleElement(Forwarding):
    """Takes the value at position `index` out of the tuple `operand`. Specification: get_tuple_element."""

    name = "stablehlo.get_tuple_element"
    traits = Traits(regroups_tuples=True)
    short_form = "operands [ $index<i32> ] attr-dict : functional-type"
    hlo = HloSpelling(
        "get-tuple-element",
        "GetTupleElement",
        note="Tuples are everywhere in HLO text: an instruction has one result, so several values are one tuple.",
    )
    section = Section(result_labels={"element_type": "C2", "shape": "C2"})
    explanation = GetTupleElementExplanation()
    lanes = GetTupleElementLanes()

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


class OptimizationBarrierExplanation(Explanation["OptimizationBarrier"]):
    def forwarded_operand(self, op: OptimizationBarrier, result: int, path: tuple[int, ...] = ()) -> Part:
        return result, path


@dataclass(frozen=True)
class OptimizationBarrier(Forwarding):
    """Returns `operand`, after the ops that made it and before those that use the results.

    A compiler moves nothing across it; a step debugger moves nothing anyway. HLO text has one value, mostly a tuple, where
    StableHLO has several: `takes_tuples` states that. Specification: optimization_barrier.
    """

    name = "stablehlo.optimization_barrier"
    traits = Traits(category="control")
    short_form = "custom barrier"
    hlo = HloSpelling(
        "opt-barrier", "OptimizationBarrier", note="There is one operand; of several values it is a tuple."
    )
    section = Section(input_labels={}, result_labels={"element_type": "C1", "shape": "C1"})
    explanation = OptimizationBarrierExplanation()

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
