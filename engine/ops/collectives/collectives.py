"""all_gather, all_to_all and collective_permute: processes exchange what they hold."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...indexing import Group, OperandMap, all_to_all_map, inverse_all_to_all_map
from ...ir.types import Dimension, TensorType
from ..core.exchanges import Array, Arrays, Box, PeerValues, Piece
from ..core.facets import HloSpelling, Section, Traffic, numbered
from ..core.facets.findings import Findings
from ..core.kinds import TENSOR_OR_PER_TENSOR, holds
from ..core.op import Constraint
from ..core.process_groups import IdTable, ReplicaGroups, Strategy, replicas_or_all
from .collective_rules import (
    ChannelHandle,
    GroupedCollective,
    channel_id,
    check_shape,
    cut,
    gathered_map,
    global_ids_constraint,
    group_constraints,
    pair_constraints,
    part_box,
    placed_map,
    share,
    whole_box,
)
from .permutes import Permute


@dataclass(frozen=True)
class AllGather(GroupedCollective):
    """Joins the operands of all processes of a group along `all_gather_dim`, in the group's order.

    The groups are those of cross_replica without a channel, of flattened_ids with `use_global_device_ids`, and of
    cross_replica_and_partition otherwise: one partition after the other or, with `replicas_first`, as in HLO text,
    one replica after the other. Like MLIR's verifier it refuses operands of size 0 along `all_gather_dim`.
    Specification: all_gather.
    """

    name = "stablehlo.all_gather"
    traffic = Traffic(result_passes=1)
    findings = Findings(moves_elements=True)
    hlo = HloSpelling(
        "all-gather",
        "AllGather",
        note="Of several operands the results are one tuple. Without `channel_id` the groups name replicas, with "
        "it and `use_global_device_ids=true` devices. With `channel_id` alone a group has all partitions of its "
        "replicas, those of its first replica first; in StableHLO all its replicas of the first partition.",
        packs_results=True,
    )
    section = Section(
        result_labels={"shape": "C6", "element_type": "C6"},
        input_labels=numbered("operands all_gather_dim replica_groups channel_handle use_global_device_ids"),
    )
    group_labels: ClassVar = ("C2", "C3", "C4")

    operands: tuple[TensorType, ...]
    all_gather_dim: int
    replica_groups: ReplicaGroups
    channel_handle: ChannelHandle | None = None
    use_global_device_ids: bool = False
    results: tuple[TensorType, ...] = ()
    replicas_first: bool = False

    @property
    def strategy(self) -> Strategy:
        channel = channel_id(self.channel_handle)
        return replicas_or_all(channel, self.use_global_device_ids, self.replicas_first)

    def constraints(self) -> Iterator[Constraint]:
        dimension = self.all_gather_dim
        for number, found in enumerate(self.operands):
            yield holds("I1", f"operand {number}", found, TENSOR_OR_PER_TENSOR)
            sentence = f"all_gather_dim {dimension} is outside rank {found.rank} of operand {number}"
            yield "C1", 0 <= dimension < found.rank, sentence
            yield "", found.shape[dimension] != 0, f"operand {number} has size 0 in dimension {dimension}"
        yield global_ids_constraint("C5", self.use_global_device_ids, self.channel_handle)
        yield from group_constraints(self)
        if self.members is None:
            for number, (given, made) in enumerate(zip(self.operands, self.results, strict=False)):
                yield self._multiple(number, given, made)

    def _multiple(self, number: int, given: TensorType, made: TensorType) -> Constraint:
        """The constraint that holds before the grid is known: the result's size is a multiple of the operand's."""
        size = given.shape[self.all_gather_dim]
        whole = made.shape[self.all_gather_dim] if made.rank == given.rank else None
        sentence = (
            f"result {number} has size {whole} in dimension {self.all_gather_dim}, no multiple of {size}"
        )
        return "C6", not size or whole is None or (whole % size == 0 and whole > 0), sentence

    def infer(self) -> tuple[TensorType, ...]:
        return tuple(
            found.with_shape(self._gathered_shape(found.shape, self.members)) for found in self.operands
        )

    def _gathered_shape(self, shape: tuple[Dimension, ...], members: int | None) -> tuple[Dimension, ...]:
        sizes, size = list(shape), shape[self.all_gather_dim]
        sizes[self.all_gather_dim] = None if size is None or members is None else size * members
        return tuple(sizes)

    @property
    def _results(self) -> tuple[TensorType, ...]:
        """The types that the text states, or else those that follow from the operands."""
        return self.results or self.infer()

    def check_members(self, members: int) -> None:
        for number, (given, made) in enumerate(zip(self.operands, self._results, strict=True)):
            check_shape(number, self._gathered_shape(given.shape, members), made, "C6")

    def outputs(self, peer_values: PeerValues) -> Arrays:
        return peer_values.once("gathered", lambda: self._concatenate(peer_values))

    def _concatenate(self, peer_values: PeerValues) -> Arrays:
        columns = zip(*peer_values.brought, strict=True)
        return share([np.concatenate(column, self.all_gather_dim) for column in columns])

    def pieces(self, peer_values: PeerValues) -> Iterator[Piece]:
        for source, operands in enumerate(peer_values.brought):
            for number, value in enumerate(operands):
                size = value.shape[self.all_gather_dim]
                written = part_box(value.shape, self.all_gather_dim, source, size)
                yield Piece(source, number, whole_box(value), number, written)

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        for number, (found, result) in enumerate(zip(self.operands, self._results, strict=True)):
            yield gathered_map(self, number, found, result, self.all_gather_dim, to_part=not inverse)


def exchange_parts(stacked: Array, place: int, split_dimension: int, concat_dimension: int) -> Array:
    """Part `place` along `split_dimension` of each array, concatenated; the arrays are stacked in dimension 0."""
    count, *sizes = stacked.shape
    size = sizes[split_dimension] // count
    parts = cut(stacked, part_box(stacked.shape, split_dimension + 1, place, size))
    parts = np.moveaxis(parts, 0, concat_dimension)
    sizes[split_dimension] = size
    sizes[concat_dimension] *= count
    result = np.empty(sizes, stacked.dtype)
    result.reshape(parts.shape)[...] = parts  # of its own, where a reshape may be a view of them all
    return result


@dataclass(frozen=True)
class AllToAll(GroupedCollective):
    """Splits each operand along `split_dimension`, sends each process of the group a part, and joins the received parts.

    The process at place p of the group gets part p of everybody, and joins the parts along `concat_dimension` in
    the group's order. The groups are those of cross_replica, with a channel of cross_partition.
    Specification: all_to_all.
    """

    name = "stablehlo.all_to_all"
    traffic = Traffic(operand_passes=1)
    findings = Findings(moves_elements=True)
    hlo = HloSpelling(
        "all-to-all",
        "AllToAll",
        note="With `dimensions={d}` the operand is split and put together again along that one dimension, so its "
        "shape stays. Without it there is an operand for each member of the group: operand i goes to member "
        "i, and element i of the tuple came from there.",
        packs_results=True,
    )
    section = Section(result_labels={"shape": "C9", "element_type": "C9"})
    group_labels: ClassVar = ("C5", "C6", "C7")

    operands: tuple[TensorType, ...]
    split_dimension: int
    concat_dimension: int
    split_count: int
    replica_groups: ReplicaGroups
    channel_handle: ChannelHandle | None = None

    def constraints(self) -> Iterator[Constraint]:
        split, concat, count = self.split_dimension, self.concat_dimension, self.split_count
        yield "C4", count > 0, f"split_count must be positive, not {count}"
        for number, found in enumerate(self.operands):
            yield holds("I1", f"operand {number}", found, TENSOR_OR_PER_TENSOR)
            sentence = f"split_dimension {split} is outside rank {found.rank} of operand {number}"
            yield "C1", 0 <= split < found.rank, sentence
            sentence = f"concat_dimension {concat} is outside rank {found.rank} of operand {number}"
            yield "C3", 0 <= concat < found.rank, sentence
            size = found.shape[split]
            sentence = (
                f"dimension {split} of operand {number} (size {size}) cannot be split into {count} parts"
            )
            yield "C2", size is None or size % count == 0, sentence
        yield from group_constraints(self)
        width = self.replica_groups.width
        sentence = f"replica_groups has groups of {width}, split_count is {count}"
        yield "C8", width == count, sentence

    def infer(self) -> tuple[TensorType, ...]:
        return tuple(found.with_shape(self._exchanged_shape(found.shape)) for found in self.operands)

    def _exchanged_shape(self, shape: tuple[Dimension, ...]) -> tuple[Dimension, ...]:
        sizes = list(shape)
        if self.split_dimension != self.concat_dimension:
            split, concat = sizes[self.split_dimension], sizes[self.concat_dimension]
            sizes[self.split_dimension] = None if split is None else split // self.split_count
            sizes[self.concat_dimension] = None if concat is None else concat * self.split_count
        return tuple(sizes)

    def outputs(self, peer_values: PeerValues) -> Arrays:
        stacked = peer_values.once(
            "stacked", lambda: [np.stack(found) for found in zip(*peer_values.brought, strict=True)]
        )
        return tuple(
            exchange_parts(found, peer_values.position, self.split_dimension, self.concat_dimension)
            for found in stacked
        )

    def _part(self, value: Array, place: int) -> Box:
        """The part of an operand that the member at `place` receives."""
        size = value.shape[self.split_dimension] // self.split_count
        return part_box(value.shape, self.split_dimension, place, size)

    def pieces(self, peer_values: PeerValues) -> Iterator[Piece]:
        for source, operands in enumerate(peer_values.brought):
            for number, value in enumerate(operands):
                read = self._part(value, peer_values.position)
                step = read.sizes[self.concat_dimension]
                written = part_box(read.sizes, self.concat_dimension, source, step)
                yield Piece(source, number, read, number, written)

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        split, concat = self.split_dimension, self.concat_dimension
        make = inverse_all_to_all_map if inverse else all_to_all_map
        for number, found in enumerate(self.operands):
            yield placed_map(number, make(found.sizes, split, concat, self._members), number)

    @property
    def _members(self) -> Group:
        """A group, which has as many processes as there are parts."""
        return Group(self.split_count, self.group.first)


@dataclass(frozen=True)
class CollectivePermute(Permute):
    """Sends `operand` from the source to the target of each pair; zeros to processes that are no target.

    The pairs are of replicas (in each partition), with a channel of partitions (in each replica). A quantized
    zero is the integer that stands for it. Specification: collective_permute.
    """

    name = "stablehlo.collective_permute"
    hlo = HloSpelling("collective-permute", "CollectivePermute", packs_results=True)
    section = Section(result_labels={"shape": "C5", "element_type": "C5"})

    operand: TensorType
    source_target_pairs: IdTable
    channel_handle: ChannelHandle | None = None

    def constraints(self) -> Iterator[Constraint]:
        yield holds("I1", "operand", self.operand, TENSOR_OR_PER_TENSOR)
        yield from pair_constraints(self.source_target_pairs)

    def infer(self) -> TensorType:
        return self.operand
