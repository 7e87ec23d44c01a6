"""Shardy's ops, which say on which devices of a mesh the parts of a tensor lie.

They speak of whole tensors: where the parts lie changes no element, and so these ops give their operand back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..indexing import UNDEFINED, IndexMap, OperandMap
from ..ir.attributes import Attribute
from ..ir.module import Region
from ..ir.types import TensorType, Type
from .op import Array, Ask, AskingOp, Constraint, Cost, Op, RunRegion
from .regions import region_type


@dataclass(frozen=True)
class Placed(Op):
    """What those have in common that give their operand back."""

    input_labels: ClassVar[Mapping[str, str]] = {}

    operand: TensorType

    def infer(self) -> TensorType:
        return self.operand

    def evaluate(self, *operands: Array) -> Array:
        return operands[0]

    def index_maps(self) -> Iterator[OperandMap]:
        yield OperandMap(0, IndexMap.identity(self.operand.sizes))

    inverse_index_maps = index_maps

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """Nothing is copied."""
        return Cost(0, 0)


@dataclass(frozen=True)
class ShardingConstraint(Placed):
    """Asks that the tensor be laid out over the devices as `sharding` says."""

    name = "sdy.sharding_constraint"
    short_form = "operands $sharding<#sdy.sharding> attr-dict : same-type"

    sharding: Attribute


@dataclass(frozen=True)
class Reshard(Placed):
    """Lays the tensor out over the devices in another way."""

    name = "sdy.reshard"
    short_form = "operands $sharding<#sdy.sharding> attr-dict : same-type"

    sharding: Attribute


@dataclass(frozen=True)
class PropagationBarrier(Placed):
    """Keeps shardings from being carried across it, in all but the `allowed_direction`."""

    name = "sdy.propagation_barrier"
    short_form = (
        "operands allowed_direction= $allowed_direction<NONE|FORWARD|BACKWARD|BOTH> attr-dict : same-type"
    )

    allowed_direction: int

    def constraints(self) -> Iterator[Constraint]:
        known = 0 <= self.allowed_direction <= 2
        yield "", known, "allowed_direction must be NONE, FORWARD or BACKWARD: BOTH would hold nothing back"


@dataclass(frozen=True)
class DataFlowEdge(Placed):
    """Gives what flows from one op into another a `sharding` of its own."""

    name = "sdy.data_flow_edge"
    short_form = "operands (sharding= $sharding<#sdy.sharding>)? attr-dict : same-type"

    sharding: Attribute | None = None


@dataclass(frozen=True)
class ShardingGroup(Op):
    """Puts the tensor into a group whose members are all laid out alike."""

    name = "sdy.sharding_group"
    short_form = "operands group_id= $group_id attr-dict : operand-type"
    input_labels: ClassVar[Mapping[str, str]] = {}

    operand: TensorType
    group_id: int

    def infer(self) -> tuple[Type, ...]:
        return ()

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        return ()


@dataclass(frozen=True)
class Computation(AskingOp):
    """What those have in common that run a region once."""

    input_labels: ClassVar[Mapping[str, str]] = {}

    operands: tuple[Type, ...]
    body: Region
    results: tuple[Type, ...]

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return Ask(None, RunRegion(0, operands))

    def resume(self, state: Any, answer: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return answer

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        return Cost(0, 0)  # what the region holds has a cost of its own

    def index_maps(self) -> Iterator[OperandMap]:
        for number in range(len(self.operands)):
            for result in range(len(self.results)):
                yield OperandMap(number, UNDEFINED, result)

    inverse_index_maps = index_maps

    def _fits(self) -> bool:
        """Whether the body takes and gives the whole tensors."""
        found = region_type(self.body)
        return (found.inputs, found.results) == (self.operands, self.results)


@dataclass(frozen=True)
class NamedComputation(Computation):
    """Runs its body once, on whole tensors; the name is for who reads the program."""

    name = "sdy.named_computation"
    short_form = "custom named_computation"

    computation_name: str = field(default="", metadata={"attribute": "name"})
    in_shardings: Attribute | None = None
    out_shardings: Attribute | None = None

    def constraints(self) -> Iterator[Constraint]:
        yield "", self._fits(), "the body must take the operands' types and return those of the results"


@dataclass(frozen=True)
class ManualComputation(Computation):
    """Runs its body on every device of a mesh, each with its part of the operands.

    One process holds whole tensors. It runs the body where a part is the whole: where the manual axes have a
    size of 1, or split nothing.
    """

    name = "sdy.manual_computation"
    short_form = "custom manual_computation"

    in_shardings: Attribute | None = None
    out_shardings: Attribute | None = None
    manual_axes: Attribute | None = None

    def constraints(self) -> Iterator[Constraint]:
        found = region_type(self.body)
        counts = (len(found.inputs), len(found.results))
        wanted = (len(self.operands), len(self.results))
        yield (
            "",
            counts == wanted,
            "the body must take as many values as there are operands, and give the results",
        )

    def unrunnable(self) -> str | None:
        if self._fits():
            return None
        return (
            "its body runs on each device of a mesh with a part of the operands, and this run is one process"
        )


@dataclass(frozen=True)
class ShardyReturn(Op):
    """Ends the body of a computation with what it gives."""

    name = "sdy.return"
    short_form = "attr-dict operands? (: operand-types)?"
    terminator = True
    input_labels: ClassVar[Mapping[str, str]] = {}

    operands: tuple[Type, ...]


OPS: tuple[type[Op], ...] = (
    ShardingConstraint,
    Reshard,
    PropagationBarrier,
    DataFlowEdge,
    ShardingGroup,
    NamedComputation,
    ManualComputation,
    ShardyReturn,
)
