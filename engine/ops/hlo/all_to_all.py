"""all-to-all as HLO text has it: of an array along one dimension, or of as many arrays as a group has processes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ...errors import RunError
from ...indexing import (
    Constant,
    IndexMap,
    Interval,
    OperandMap,
    PlacedMap,
    all_to_all_map,
    inverse_all_to_all_map,
    open_all_to_all_map,
)
from ...ir.types import TensorType
from ..collectives.collective_rules import (
    WHOLE_GROUPS,
    ChannelHandle,
    GroupedCollective,
    group_constraints,
    part_box,
    placed_map,
    whole_box,
)
from ..collectives.collectives import exchange_parts
from ..core.exchanges import Array, Arrays, Box, FetchPeers, GridPosition, PeerValues, Piece, no_peers
from ..core.facets import HloSpelling, RuntimeVariables, Section, Traffic
from ..core.facets.findings import Findings
from ..core.kinds import TENSOR, holds
from ..core.op import Constraint
from ..core.process_groups import ReplicaGroups
from ..core.regions import type_agrees


class Exchange(GroupedCollective):
    """Common base of both forms: groups of cross_replica, or of cross_partition with a channel."""

    findings = Findings(moves_elements=True)
    traffic = Traffic(operand_passes=1)
    hlo = HloSpelling("all-to-all", "AllToAll")
    group_labels: ClassVar = ("", "", "")
    channel_handle: ChannelHandle | None

    def exchange_constraints(self) -> Iterator[Constraint]:
        """The constraints of the groups, and that there is a part for each process of one, where its size is
        known.
        """
        yield from group_constraints(self)
        if self.members is not None:
            yield self.fits(self.members)

    def fits(self, members: int) -> Constraint:
        """Constraint: every process of a group of this size has a part."""
        raise NotImplementedError

    def check_members(self, members: int) -> None:
        _, fits, sentence = self.fits(members)
        if not fits:
            raise RunError(sentence)


class AllToAllRuntimeVariables(RuntimeVariables["AllToAll"]):
    def process_values(
        self, op: AllToAll, place: GridPosition, fetch_peers: FetchPeers = no_peers
    ) -> tuple[Array | None, ...]:
        """The size of a part, too, which depends on how many processes there are."""
        own, size = Exchange.runtime_variables.process_values(op, place, fetch_peers)
        assert size is not None
        return own, size, np.array(op.operand.sizes[op.dimension] // max(1, int(size)))


@dataclass(frozen=True)
class AllToAll(Exchange):
    """Splits `operand` along `dimension`, sends each process of a group a part, and joins the received parts.

    There are as many parts as a group has processes. The process at place p receives part p of every process, and joins
    the parts along the same dimension, in the group's order; StableHLO may join them along another. Groups are of
    replicas; with a channel they are of partitions. XLA operation semantics: AllToAll.
    """

    name = "hlo.all_to_all"
    section = Section(
        rules=(
            "`dimension` is within the rank of `operand`.",
            "The size of that dimension can be divided by the number of processes in a group.",
            *WHOLE_GROUPS,
            "The result's type is that of `operand`.",
        ),
    )

    operand: TensorType
    dimension: int
    replica_groups: ReplicaGroups
    channel_handle: ChannelHandle | None = None

    def constraints(self) -> Iterator[Constraint]:
        rank = self.operand.rank
        yield holds("", "operand", self.operand, TENSOR)
        yield "", 0 <= self.dimension < rank, f"dimension {self.dimension} is outside rank {rank}"
        yield from self.exchange_constraints()

    def fits(self, members: int) -> Constraint:
        size = self.operand.shape[self.dimension]
        sentence = f"dimension {self.dimension} (size {size}) cannot be split among {members} processes"
        return "", size is None or members == 0 or size % members == 0, sentence

    def infer(self) -> TensorType:
        return self.operand

    def outputs(self, peer_values: PeerValues) -> Arrays:
        stacked = peer_values.once("stacked", lambda: np.stack([given for (given,) in peer_values.brought]))
        return (exchange_parts(stacked, peer_values.position, self.dimension, self.dimension),)

    def pieces(self, peer_values: PeerValues) -> Iterator[Piece]:
        for source, (given,) in enumerate(peer_values.brought):
            yield Piece(
                source,
                0,
                self._part(given, peer_values, peer_values.position),
                0,
                self._part(given, peer_values, source),
            )

    def _part(self, given: Array, peer_values: PeerValues, place: int) -> Box:
        """The part of an operand, or of the result, for or from the process at `place`."""
        size = given.shape[self.dimension] // len(peer_values.brought)
        return part_box(given.shape, self.dimension, place, size)

    runtime_variables = AllToAllRuntimeVariables(names=(*Exchange.runtime_variables.names, "size of a part"))

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        make = inverse_all_to_all_map if inverse else all_to_all_map
        if self.group.is_fixed:
            found = make(self.operand.sizes, self.dimension, self.dimension, self.group)
        else:
            found = self._open_map
        yield placed_map(0, found)

    @property
    def _open_map(self) -> PlacedMap:
        return open_all_to_all_map(self.operand.sizes, self.dimension, self.group, self.group.first + 2)


@dataclass(frozen=True)
class AllToAllTuple(Exchange):
    """Sends each process of a group one of the operands: operand i goes to the process at place i.

    Result i is the operand received from the process at place i. There are as many operands as a group has processes,
    all of one type; the results are one tuple in HLO text. Groups are of replicas; with a channel they are of
    partitions. XLA operation semantics: AllToAll.
    """

    name = "hlo.all_to_all_tuple"
    hlo = replace(Exchange.hlo, packs_results=True)
    section = Section(
        rules=(
            "All operands are of one type, and as many as a group has processes.",
            *WHOLE_GROUPS,
            "The result is a tuple of as many tensors of that type.",
        ),
    )

    operands: tuple[TensorType, ...]
    replica_groups: ReplicaGroups
    channel_handle: ChannelHandle | None = None

    def constraints(self) -> Iterator[Constraint]:
        yield "", len(self.operands) > 0, "needs at least one operand"
        for number, found in enumerate(self.operands):
            yield holds("", f"operand {number}", found, TENSOR)
            sentence = (
                f"operands must be of one type, but operand {number} is {found}, not {self.operands[0]}"
            )
            yield "", type_agrees(found, self.operands[0]), sentence
        yield from self.exchange_constraints()

    def fits(self, members: int) -> Constraint:
        count = len(self.operands)
        sentence = f"a group of {members} processes needs as many operands, not {count}"
        return "", members == count, sentence

    def infer(self) -> tuple[TensorType, ...]:
        return self.operands

    def outputs(self, peer_values: PeerValues) -> Arrays:
        return tuple(given[peer_values.position] for given in peer_values.brought)

    def pieces(self, peer_values: PeerValues) -> Iterator[Piece]:
        for source, given in enumerate(peer_values.brought):
            box = whole_box(given[peer_values.position])
            yield Piece(source, peer_values.position, box, source, box)

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """Result i is an operand of the process at place i, and operand i goes there: the one with the number of this place."""
        for result, found in enumerate(self.operands):
            for operand in range(len(self.operands)):
                own, other = (result, operand) if inverse else (operand, result)
                runtimes = (self.group.own_place(found.sizes, Interval(own, own)),)
                index_map = IndexMap.of(IndexMap.identity(found.sizes).results, found.sizes, (), runtimes)
                yield OperandMap(operand, index_map, result, Constant(other))
