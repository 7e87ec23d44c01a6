"""all_reduce, reduce_scatter and cross-replica-sum: processes combine what they hold.

In a run of one process there is nothing to combine: the operand is the result, and the computation is not run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from ..indexing import IndexMap, OperandMap, inverse_reduce_scatter_map, reduce_scatter_map
from ..ir.element_types import ElementType
from ..ir.module import Region
from ..ir.types import Dimension, TensorType, Type
from .bodies import to_destination_type
from .collective_rules import (
    FIRST,
    ChannelHandle,
    Collective,
    channel_id,
    check_shapes,
    global_ids_constraint,
    group_constraints,
    zeros,
)
from .kinds import TENSOR_OR_PER_TENSOR, holds
from .op import Array, Constraint, Cost, Op
from .process_groups import ALONE, ReplicaGroups, Strategy, group_of, replicas_or_all
from .regions import region_type
from .rules import is_promotable, listed

Arrays = tuple[Array, ...]


def computation_constraints(
    label: str, computation: Region, operands: Sequence[TensorType]
) -> Iterator[Constraint]:
    """`(tensor<E>, tensor<E>) -> tensor<E>`, where the elements of all operands are promotable to E."""
    found = region_type(computation)
    sentence = f"computation must take 2 arguments, not {len(found.inputs)}"
    yield label, len(found.inputs) == 2, sentence
    first, second = found.inputs
    scalar = isinstance(first, TensorType) and first.rank == 0
    yield label, scalar, f"computation must take tensors of rank 0, not {listed(found.inputs)}"
    sentence = f"computation must take the same type twice, not {listed(found.inputs)}"
    yield label, first == second, sentence
    yield label, found.results == (first,), f"computation must return {first}, not {listed(found.results)}"
    target = computed_type(computation)
    for number, operand in enumerate(operands):
        source = operand.element_type
        sentence = f"operand {number} has elements of {source}, which are not promotable to {target}"
        yield label, is_promotable(source, target), sentence


def computed_type(computation: Region) -> ElementType:
    """E: the element type that the computation works in."""
    first = region_type(computation).inputs[0]
    assert isinstance(first, TensorType)
    return first.element_type


class Reduction(Collective):
    """What the ops with a computation share."""

    computation: Region
    channel_handle: ChannelHandle | None
    use_global_device_ids: bool

    @property
    def strategy(self) -> Strategy:
        return replicas_or_all(channel_id(self.channel_handle), self.use_global_device_ids)

    def converted(self, operand: Array, found: TensorType) -> Array:
        """What one process brings in: its elements as E."""
        return to_destination_type(operand, found.element_type, computed_type(self.computation))

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """One conversion for each element."""
        return Op.cost(self, operand_types, result_types)


@dataclass(frozen=True)
class AllReduce(Reduction):
    """Combines the operands of all processes of a group with `computation`, element by element.

    The groups are those of cross_replica without a channel, of flattened_ids with `use_global_device_ids`, and of
    cross_replica_and_partition otherwise; rows that are shorter than others are filled with -1. The order within
    a group is the implementation's; here it is the group's. Elements are converted to the computation's type
    first, also where there is nothing to combine. Specification: all_reduce.
    """

    name = "stablehlo.all_reduce"
    hlo_opcode = "all-reduce"
    hlo_note = (
        "Of several operands the results are one tuple. Without `channel_id` the groups name replicas, with "
        "it and `use_global_device_ids=true` devices."
    )
    xla_name = "AllReduce"
    hlo_packs = True
    result_labels: ClassVar = {"shape": "C6", "element_type": "C7"}
    group_labels: ClassVar = ("C1", "C2", "C3")

    operands: tuple[TensorType, ...]
    replica_groups: ReplicaGroups
    computation: Region
    channel_handle: ChannelHandle | None = None
    use_global_device_ids: bool = False
    input_labels: ClassVar = {
        "operands": "I1",
        "replica_groups": "I2",
        "channel_handle": "I3",
        "use_global_device_ids": "I4",
        "computation": "I5",
    }

    def constraints(self) -> Iterator[Constraint]:
        for number, found in enumerate(self.operands):
            yield holds("I1", f"operand {number}", found, TENSOR_OR_PER_TENSOR)
        yield global_ids_constraint("C4", self.use_global_device_ids, self.channel_handle)
        yield from group_constraints(self, padded=True)
        yield from computation_constraints("C5", self.computation, self.operands)

    def infer(self) -> tuple[TensorType, ...]:
        target = computed_type(self.computation)
        return tuple(TensorType(found.shape, target) for found in self.operands)

    def evaluate(self, *operands: Array) -> Arrays:
        self.process_groups(ALONE)
        return tuple(map(self.converted, operands, self.operands))

    def index_maps(self) -> Iterator[OperandMap]:
        for number, found in enumerate(self.operands):
            yield OperandMap(number, IndexMap.identity(found.sizes), number)

    inverse_index_maps = index_maps


@dataclass(frozen=True)
class ReduceScatter(Reduction):
    """Combines the operands of a group like `all_reduce`, and gives each process its part along `scatter_dimension`.

    The process at place p of the group gets part p. Like MLIR's verifier it refuses results of size 0 along
    `scatter_dimension`. Specification: reduce_scatter.
    """

    name = "stablehlo.reduce_scatter"
    hlo_opcode = "reduce-scatter"
    xla_name = "ReduceScatter"
    hlo_packs = True
    result_labels: ClassVar = {"shape": "C8", "element_type": "C9"}
    group_labels: ClassVar = ("C3", "C4", "C5")

    operand: TensorType
    scatter_dimension: int
    replica_groups: ReplicaGroups
    computation: Region
    channel_handle: ChannelHandle | None = None
    use_global_device_ids: bool = False
    result: TensorType | None = None
    input_labels: ClassVar = {
        "operand": "I1",
        "scatter_dimension": "I2",
        "replica_groups": "I3",
        "channel_handle": "I4",
        "use_global_device_ids": "I5",
        "computation": "I6",
    }

    def constraints(self) -> Iterator[Constraint]:
        dimension, rank = self.scatter_dimension, self.operand.rank
        yield holds("I1", "operand", self.operand, TENSOR_OR_PER_TENSOR)
        yield "C2", 0 <= dimension < rank, f"scatter_dimension {dimension} is outside rank {rank}"
        size = self.operand.shape[dimension]
        yield "", size != 0, f"operand has size 0 in scatter_dimension {dimension}"
        yield global_ids_constraint("C6", self.use_global_device_ids, self.channel_handle)
        yield from group_constraints(self)
        members = self.members
        sentence = f"scatter_dimension {dimension} (size {size}) cannot be split among {members} processes"
        yield "C1", size is None or not members or size % members == 0, sentence
        yield from computation_constraints("C7", self.computation, [self.operand])
        if members is None and self.result is not None and self.result.rank == rank:
            part = self.result.shape[dimension]
            sentence = f"the result has size {part} in dimension {dimension}, no part of {size}"
            yield "C8", size is None or part is None or (part > 0 and size % part == 0), sentence

    def infer(self) -> TensorType:
        sizes: list[Dimension] = list(self.operand.shape)
        size, members = sizes[self.scatter_dimension], self.members
        sizes[self.scatter_dimension] = None if size is None or members is None else size // members
        return TensorType(tuple(sizes), computed_type(self.computation))

    def evaluate(self, *operands: Array) -> Array:
        self.process_groups(ALONE)
        found = self.converted(operands[0], self.operand)
        check_shapes([found], [self.result or self.infer()], "C8")
        return found

    def index_maps(self) -> Iterator[OperandMap]:
        result = self.result or self.infer()
        yield OperandMap(0, reduce_scatter_map(self.operand.sizes, result.sizes, self.scatter_dimension))

    def inverse_index_maps(self) -> Iterator[OperandMap]:
        result = self.result or self.infer()
        found = inverse_reduce_scatter_map(self.operand.sizes, result.sizes, self.scatter_dimension)
        yield OperandMap(0, found)


@dataclass(frozen=True)
class CrossReplicaSum(Collective):
    """Adds up the operands of the replicas of each group: `all_reduce` with add, which has replaced it.

    The specification does not have it any more. Of booleans the sum is `or`, as of any add.
    """

    name = "stablehlo.cross-replica-sum"
    hlo_opcode = "all-reduce"
    xla_name = "CrossReplicaSum"
    input_labels: ClassVar = {}
    group_labels: ClassVar = ("", "", "")

    operand: TensorType
    replica_groups: ReplicaGroups

    @property
    def strategy(self) -> Strategy:
        return Strategy.CROSS_REPLICA

    def constraints(self) -> Iterator[Constraint]:
        yield holds("", "operand", self.operand, TENSOR_OR_PER_TENSOR)

    def infer(self) -> TensorType:
        return self.operand

    def evaluate(self, *operands: Array) -> Array:
        self.process_groups(ALONE)
        return operands[0]

    def index_maps(self) -> Iterator[OperandMap]:
        yield OperandMap(0, IndexMap.identity(self.operand.sizes))

    inverse_index_maps = index_maps


@dataclass(frozen=True)
class CollectiveReduce(Reduction):
    """Combines the operands of a group like `all_reduce`, for the group's first process alone; others get zeros.

    What others get is open; here it is what collective_broadcast gives to those that nobody sends anything. The
    groups are those of all_reduce, but need not hold every process. XLA: collective-reduce.
    """

    name = "stablehlo.collective_reduce"
    hlo_opcode, xla_name = "collective-reduce", "CollectiveReduce"
    hlo_packs = True
    input_labels: ClassVar = {}
    group_labels: ClassVar = ("", "", "")

    operands: tuple[TensorType, ...]
    replica_groups: ReplicaGroups
    computation: Region
    channel_handle: ChannelHandle | None = None
    use_global_device_ids: bool = False

    def constraints(self) -> Iterator[Constraint]:
        for number, found in enumerate(self.operands):
            yield holds("", f"operand {number}", found, TENSOR_OR_PER_TENSOR)
        yield global_ids_constraint("", self.use_global_device_ids, self.channel_handle)
        yield from group_constraints(self, covering=False)
        yield from computation_constraints("", self.computation, self.operands)

    def infer(self) -> tuple[TensorType, ...]:
        target = computed_type(self.computation)
        return tuple(TensorType(found.shape, target) for found in self.operands)

    def evaluate(self, *operands: Array) -> Arrays:
        if not group_of(self.process_groups(ALONE), FIRST):
            return tuple(map(zeros, self.infer()))
        return tuple(map(self.converted, operands, self.operands))

    def index_maps(self) -> Iterator[OperandMap]:
        for number, found in enumerate(self.operands):
            yield OperandMap(number, IndexMap.identity(found.sizes), number)

    inverse_index_maps = index_maps


OPS: tuple[type[Op], ...] = (AllReduce, ReduceScatter, CollectiveReduce, CrossReplicaSum)
