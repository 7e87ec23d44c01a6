"""all_reduce, reduce_scatter, collective_reduce and cross-replica-sum: processes combine what they hold."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar

import numpy as np

from ...errors import RunError
from ...indexing import OperandMap, all_reduce_map, broadcast_map, inverse_broadcast_map
from ...ir.element_types import ElementType, QuantizedType
from ...ir.module import Region
from ...ir.types import Dimension, TensorType
from ..core.bodies import Combiner
from ..core.exchanges import Array, Arrays, PeerValues, Piece
from ..core.facets import HloSpelling, Section, Traffic, numbered
from ..core.kinds import TENSOR_OR_PER_TENSOR, holds
from ..core.numeric import WIDE
from ..core.op import Constraint
from ..core.process_groups import ReplicaGroups
from ..core.quantization import dequantize_op_quantize
from .collective_folds import (
    Combining,
    CombiningExplanation,
    Reduction,
    Scatter,
    combined_pieces,
    computation_constraints,
    computed_type,
    fold,
)
from .collective_rules import (
    CHANNEL,
    COMBINER,
    SOME_GROUPS,
    ChannelHandle,
    check_shape,
    gathered_map,
    global_ids_constraint,
    group_constraints,
    placed_map,
    share,
    zeros,
)


@dataclass(frozen=True)
class AllReduce(Reduction):
    """Combines the operands of all processes of a group with `computation`, element by element.

    The groups are those of cross_replica without a channel, of flattened_ids with `use_global_device_ids`, and of
    cross_replica_and_partition otherwise; rows that are shorter than others are filled with -1. The order within
    a group is the implementation's; here it is the group's, from the left, with `replicas_first`, as in HLO text,
    one replica after the other where it would be one partition after the other. Elements are converted to the
    computation's type first, also where there is nothing to combine. Recognised computations are done by NumPy as a
    whole: floats below f32 are combined in f32 and rounded once, where any other computation rounds after each op.
    Specification: all_reduce.
    """

    name = "stablehlo.all_reduce"
    hlo = HloSpelling(
        "all-reduce",
        "AllReduce",
        note="Of several operands the results are one tuple. Without `channel_id` the groups name replicas, with "
        "it and `use_global_device_ids=true` devices.",
        packs_results=True,
    )
    section = Section(
        result_labels={"shape": "C6", "element_type": "C7"},
        input_labels=numbered("operands replica_groups channel_handle use_global_device_ids computation"),
    )
    group_labels: ClassVar = ("C1", "C2", "C3")

    operands: tuple[TensorType, ...]
    replica_groups: ReplicaGroups
    computation: Region
    channel_handle: ChannelHandle | None = None
    use_global_device_ids: bool = False
    replicas_first: bool = False

    def constraints(self) -> Iterator[Constraint]:
        for number, found in enumerate(self.operands):
            yield holds("I1", f"operand {number}", found, TENSOR_OR_PER_TENSOR)
        yield global_ids_constraint("C4", self.use_global_device_ids, self.channel_handle)
        yield from group_constraints(self, padded=True)
        yield from computation_constraints("C5", self.computation, self.operands)

    def infer(self) -> tuple[TensorType, ...]:
        target = computed_type(self.computation)
        return tuple(TensorType(found.shape, target) for found in self.operands)

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        for number, found in enumerate(self.operands):
            yield placed_map(number, all_reduce_map(found.sizes, self.group), number)


@dataclass(frozen=True)
class ReduceScatter(Scatter):
    """Combines the operands of a group like `all_reduce`, and gives each process its part along `scatter_dimension`.

    The process at place p of the group gets part p: with `replicas_first`, as in HLO text, places count the
    partitions of one replica after the other where they would count the replicas of one partition after the other,
    as those of `all_gather` do. Like MLIR's verifier it refuses results of size 0 along `scatter_dimension`.
    Specification: reduce_scatter.
    """

    name = "stablehlo.reduce_scatter"
    hlo = HloSpelling(
        "reduce-scatter",
        "ReduceScatter",
        note="Of several operands the results are one tuple. With `channel_id` and without `use_global_device_ids` a "
        "group has all partitions of its replicas, and the first parts are those of its first replica; in "
        "StableHLO those of its replicas of the first partition.",
        packs_results=True,
    )
    section = Section(
        result_labels={"shape": "C8", "element_type": "C9"},
        input_labels=numbered(
            "operand scatter_dimension replica_groups channel_handle use_global_device_ids computation"
        ),
    )
    group_labels: ClassVar = ("C3", "C4", "C5")

    operand: TensorType
    scatter_dimension: int
    replica_groups: ReplicaGroups
    computation: Region
    channel_handle: ChannelHandle | None = None
    use_global_device_ids: bool = False
    result: TensorType | None = None
    replicas_first: bool = False

    def constraints(self) -> Iterator[Constraint]:
        dimension, rank = self.scatter_dimension, self.operand.rank
        yield holds("I1", "operand", self.operand, TENSOR_OR_PER_TENSOR)
        yield "C2", 0 <= dimension < rank, f"scatter_dimension {dimension} is outside rank {rank}"
        size = self.operand.shape[dimension]
        yield "", size != 0, f"operand has size 0 in scatter_dimension {dimension}"
        yield global_ids_constraint("C6", self.use_global_device_ids, self.channel_handle)
        yield from group_constraints(self)
        members = self.members
        yield "C1", size is None or not members or size % members == 0, self._division_problem(members or 0)
        yield from computation_constraints("C7", self.computation, [self.operand])
        if members is None and self.result is not None and self.result.rank == rank:
            part = self.result.shape[dimension]
            sentence = f"the result has size {part} in dimension {dimension}, no part of {size}"
            yield "C8", size is None or part is None or (part > 0 and size % part == 0), sentence

    def _division_problem(self, members: int) -> str:
        size = self.operand.shape[self.scatter_dimension]
        return f"scatter_dimension {self.scatter_dimension} (size {size}) cannot be split among {members} processes"

    def infer(self) -> TensorType:
        return TensorType(self._scattered_shape(self.members), computed_type(self.computation))

    def _scattered_shape(self, members: int | None) -> tuple[Dimension, ...]:
        """The shape of the part that each process of a group gets."""
        sizes: list[Dimension] = list(self.operand.shape)
        size = sizes[self.scatter_dimension]
        sizes[self.scatter_dimension] = None if size is None or members is None else size // members
        return tuple(sizes)

    def check_members(self, members: int) -> None:
        size = self.operand.shape[self.scatter_dimension]
        if size is not None and size % members:
            raise RunError(self._division_problem(members), label="C1")
        check_shape(0, self._scattered_shape(members), self.result or self.infer(), "C8")

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """Those of `all_gather` in the other direction: the part of a process is its place in the whole."""
        part = self.result or self.infer()
        yield gathered_map(self, 0, part, self.operand, self.scatter_dimension, to_part=inverse)


@dataclass(frozen=True)
class CollectiveReduce(Reduction):
    """Combines the operands of a group like `all_reduce`, for the group's first process alone; others get zeros.

    XLA leaves the results of the others open; here they are zeros, as in collective_broadcast. The
    groups are those of all_reduce, and their order too, but need not hold every process. XLA: collective-reduce.
    """

    name = "stablehlo.collective_reduce"
    traffic = Traffic(operand_passes=1)
    hlo = HloSpelling("collective-reduce", "CollectiveReduce", packs_results=True)
    may_leave_out = True
    section = Section(rules=(CHANNEL, SOME_GROUPS, COMBINER))
    group_labels: ClassVar = ("", "", "")

    operands: tuple[TensorType, ...]
    replica_groups: ReplicaGroups
    computation: Region
    channel_handle: ChannelHandle | None = None
    use_global_device_ids: bool = False
    replicas_first: bool = False

    def constraints(self) -> Iterator[Constraint]:
        for number, found in enumerate(self.operands):
            yield holds("", f"operand {number}", found, TENSOR_OR_PER_TENSOR)
        yield global_ids_constraint("", self.use_global_device_ids, self.channel_handle)
        yield from group_constraints(self, covering=False)
        yield from computation_constraints("", self.computation, self.operands)

    def infer(self) -> tuple[TensorType, ...]:
        target = computed_type(self.computation)
        return tuple(TensorType(found.shape, target) for found in self.operands)

    def results_outside_groups(self) -> Arrays:
        return tuple(map(zeros, self.infer()))

    def contributions(self, peer_values: PeerValues) -> tuple[Arrays, ...] | None:
        return None if peer_values.position else super().contributions(peer_values)

    def outputs(self, peer_values: PeerValues) -> Arrays:
        return self.results_outside_groups() if peer_values.position else super().outputs(peer_values)

    def pieces(self, peer_values: PeerValues) -> Iterator[Piece]:
        return iter(()) if peer_values.position else super().pieces(peer_values)

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """Maps to the operands of all members for the first process of a group; the others read nothing."""
        make = broadcast_map if inverse else inverse_broadcast_map
        for number, found in enumerate(self.operands):
            yield placed_map(number, make(found.sizes, self.group), number)


@dataclass(frozen=True)
class CrossReplicaSum(Combining):
    """Adds up the operands of the replicas of each group: `all_reduce` with add, which has replaced it.

    The specification does not have it any more. Of booleans the sum is `or`, as of any add.
    """

    name = "stablehlo.cross-replica-sum"
    hlo = HloSpelling("all-reduce", "CrossReplicaSum")
    section = Section(input_labels={})
    explanation = CombiningExplanation(symbol="+", combines_processes=True)
    traffic = Traffic(operand_passes=2)
    group_labels: ClassVar = ("", "", "")

    operand: TensorType
    replica_groups: ReplicaGroups

    @property
    def _folds(self) -> tuple[Sequence[Combiner], Sequence[ElementType]]:
        return (Combiner.ADD,), (self.operand.element_type,)

    def constraints(self) -> Iterator[Constraint]:
        yield holds("", "operand", self.operand, TENSOR_OR_PER_TENSOR)

    def infer(self) -> TensorType:
        return self.operand

    def outputs(self, peer_values: PeerValues) -> Arrays:
        return peer_values.once(
            "sum", lambda: share([self._sum([brought[0] for brought in peer_values.brought])])
        )

    def _sum(self, values: Sequence[Array]) -> Array:
        element_type = self.operand.element_type
        if not isinstance(element_type, QuantizedType):
            return fold(Combiner.ADD, values, element_type)
        types = element_type, element_type
        return reduce(lambda a, b: dequantize_op_quantize(np.add, (a, b), types, element_type, WIDE), values)

    def pieces(self, peer_values: PeerValues) -> Iterator[Piece]:
        return combined_pieces(peer_values)

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        yield placed_map(0, all_reduce_map(self.operand.sizes, self.group))
