"""Collective ops of several operands at once, which StableHLO has for one operand each."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

from ...indexing import OperandMap
from ...ir.module import Region
from ...ir.types import TensorType, Type
from ..collectives.collective_broadcast import Broadcast, CollectiveBroadcast
from ..collectives.collective_folds import Scatter
from ..collectives.collective_reductions import ReduceScatter
from ..collectives.collective_rules import CHANNEL, COMBINER, SOME_GROUPS, WHOLE_GROUPS, ChannelHandle
from ..collectives.collectives import CollectivePermute
from ..collectives.permutes import Permute
from ..core.facets import HloSpelling, Section
from ..core.op import Constraint, Cost, Op
from ..core.process_groups import IdTable, ReplicaGroups


class SeveralOperands(Op):
    """Applies the twin of StableHLO to each operand; the results are one tuple in HLO text.

    The participants and the results follow from the bases that a class shares with its twin.
    """

    hlo = HloSpelling(packs_results=True)

    operands: tuple[TensorType, ...]

    @cached_property
    def twins(self) -> tuple[Op, ...]:
        """The op of each operand."""
        return tuple(self.twin(number, found) for number, found in enumerate(self.operands))

    def twin(self, number: int, operand: TensorType) -> Op:
        """The op of operand `number`."""
        raise NotImplementedError

    def constraints(self) -> Iterator[Constraint]:
        yield "", len(self.operands) > 0, "needs at least one operand"
        for number, twin in enumerate(self.twins):
            for _, fits, sentence in twin.constraints():
                yield "", fits, sentence if len(self.twins) == 1 else f"operand {number}: {sentence}"

    def infer(self) -> tuple[Type, ...]:
        found = (twin.infer() for twin in self.twins)
        return tuple(inferred for inferred in found if isinstance(inferred, Type))

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        for number, twin in enumerate(self.twins):
            maps = twin.inverse_index_maps() if inverse else twin.index_maps()
            yield from (self._renumber(number, found) for found in maps)

    def _renumber(self, number: int, found: OperandMap) -> OperandMap:
        """A map of the twin of operand `number`, which numbers the twin's auxiliary values after its one operand."""
        last_operand = len(self.operands) - 1
        renumbered = found.map.with_operands({1: last_operand + 1, 2: last_operand + 2})
        return replace(found, operand=number, map=renumbered, result=number)

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """The sum of the costs for all operands."""
        costs = [
            twin.cost((given,), (made,))
            for twin, given, made in zip(self.twins, operand_types, result_types, strict=True)
        ]
        return Cost(sum(cost.flops for cost in costs), sum(cost.result_bytes for cost in costs))


@dataclass(frozen=True)
class CollectiveBroadcasts(SeveralOperands, Broadcast):
    """Gives every process of a group the operands of the group's first process; zeros to processes of no group.

    This is the form with several operands, to each of which the same is done; with one operand it is StableHLO's
    `collective_broadcast`. XLA operation semantics: CollectiveBroadcast.
    """

    name = "hlo.collective_broadcast"
    group_labels: ClassVar = ("", "", "")
    hlo = replace(SeveralOperands.hlo, opcode="collective-broadcast", xla_name="CollectiveBroadcast")
    section = Section(
        rules=("There is at least one operand.", SOME_GROUPS, "The result is a tuple of the operands' types.")
    )

    operands: tuple[TensorType, ...]
    replica_groups: ReplicaGroups
    channel_handle: ChannelHandle | None = None

    def twin(self, number: int, operand: TensorType) -> Op:
        return CollectiveBroadcast(operand, self.replica_groups, self.channel_handle)


@dataclass(frozen=True)
class CollectivePermutes(SeveralOperands, Permute):
    """Sends the operands from the source to the target of each pair; zeros to processes that are no target.

    This is the form with several operands, to each of which the same is done; with one operand it is StableHLO's
    `collective_permute`. XLA operation semantics: CollectivePermute.
    """

    name = "hlo.collective_permute"
    hlo = replace(SeveralOperands.hlo, opcode="collective-permute", xla_name="CollectivePermute")
    section = Section(
        rules=(
            "There is at least one operand.",
            "Each row of `source_target_pairs` is a pair of ids, none of which is negative.",
            "No process is a source twice, and none a target twice.",
            "The result is a tuple of the operands' types.",
        )
    )

    operands: tuple[TensorType, ...]
    source_target_pairs: IdTable
    channel_handle: ChannelHandle | None = None

    def twin(self, number: int, operand: TensorType) -> Op:
        return CollectivePermute(operand, self.source_target_pairs, self.channel_handle)


@dataclass(frozen=True)
class ReduceScatters(SeveralOperands, Scatter):
    """Combines the operands of a group, and gives each process its part of each along `scatter_dimension`.

    This is the form with several operands, to each of which the same is done; with one operand it is StableHLO's
    `reduce_scatter`. XLA operation semantics: ReduceScatter.
    """

    name = "hlo.reduce_scatter"
    group_labels: ClassVar = ("", "", "")
    hlo = replace(SeveralOperands.hlo, opcode="reduce-scatter", xla_name="ReduceScatter")
    section = Section(
        rules=(
            "There is at least one operand.",
            CHANNEL,
            *WHOLE_GROUPS,
            (
                "`scatter_dimension` is within the rank of each operand, and its size can be divided by the "
                "number of processes in a group."
            ),
            COMBINER,
        )
    )

    operands: tuple[TensorType, ...]
    scatter_dimension: int
    replica_groups: ReplicaGroups
    computation: Region
    channel_handle: ChannelHandle | None = None
    use_global_device_ids: bool = False
    results: tuple[TensorType, ...] = ()
    replicas_first: bool = field(default=True, metadata={"settled": True})
    """There is no other form in HLO text."""

    def check_members(self, members: int) -> None:
        for number, operand in enumerate(self.operands):
            self.twin(number, operand).check_members(members)

    def twin(self, number: int, operand: TensorType) -> ReduceScatter:
        return ReduceScatter(
            operand,
            self.scatter_dimension,
            self.replica_groups,
            self.computation,
            self.channel_handle,
            self.use_global_device_ids,
            self.results[number] if number < len(self.results) else None,
            self.replicas_first,
        )
