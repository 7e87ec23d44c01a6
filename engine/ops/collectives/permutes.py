"""Common code of collective permutes: processes send their values to others, by pairs of ids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from ...indexing import OperandMap, permute_map
from ...ir.types import TensorType, Type
from ..core.exchanges import Array, Arrays, FetchPeers, GridPosition, Peers, PeerValues, Piece, no_peers
from ..core.facets import RuntimeVariables, Traffic
from ..core.facets.findings import Findings
from ..core.op import Cost
from ..core.process_groups import Grid, IdTable, ProcessId, Strategy, replicas_or_partitions
from .collective_rules import ChannelHandle, CollectiveOp, channel_id, placed_map, whole_box, zeros


class PermuteRuntimeVariables(RuntimeVariables["Permute"]):
    def process_values(
        self, op: Permute, place: GridPosition, fetch_peers: FetchPeers = no_peers
    ) -> tuple[Array | None, ...]:
        """The indices of source and target among the processes that were waited for; -1 for none."""
        peers = op.peers(place)
        targets, sources = ends_of(op.source_target_pairs, op.strategy, place.grid)
        ends = (found.get(place.process) for found in (sources, targets))
        return tuple(np.array(peers.awaited.index(end) if peers and end else -1) for end in ends)


class Permute(CollectiveOp):
    """Returns to each process that is a target the operands of its source.

    All processes of the pairs are a group; of these a process waits for its source and for its target alone.
    """

    findings = Findings(moves_elements=True)
    traffic = Traffic(is_direct=True)

    source_target_pairs: IdTable
    channel_handle: ChannelHandle | None
    runtime_variables: ClassVar[RuntimeVariables[Any]] = PermuteRuntimeVariables(
        names=("place of the source", "place of the target")
    )

    @property
    def strategy(self) -> Strategy:
        """The strategy that makes pairs of processes from pairs of ids."""
        return replicas_or_partitions(channel_id(self.channel_handle))

    def peers(self, place: GridPosition) -> Peers | None:
        return _peers(self.source_target_pairs, self.strategy, place.grid).get(place.process)

    def source(self, peer_values: PeerValues) -> int | None:
        """The index of the source among the processes that were waited for; `None` for a process that is no
        target.
        """
        if len(peer_values.brought) == 1:
            return 0  # a pair of the process with itself
        return peer_values.position - 1 if peer_values.position else None

    def results_outside_groups(self) -> Arrays:
        return tuple(zeros(found) for found in self.operand_types if isinstance(found, TensorType))

    def outputs(self, peer_values: PeerValues) -> Arrays:
        source = self.source(peer_values)
        return self.results_outside_groups() if source is None else peer_values.brought[source]

    def pieces(self, peer_values: PeerValues) -> Iterator[Piece]:
        source = self.source(peer_values)
        if source is not None:
            for number, value in enumerate(peer_values.brought[source]):
                yield Piece(source, number, whole_box(value), number, whole_box(value))

    @property
    def source_operand(self) -> int:
        """The number under which maps read the place of the source; that of the target is behind it."""
        return self.first_auxiliary

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """The elements of the source; without any pair, none."""
        other = self.source_operand + inverse  # the auxiliary value of the target follows
        for number, found in enumerate(self.operand_types if self.source_target_pairs.rows else ()):
            if isinstance(found, TensorType):
                yield placed_map(number, permute_map(found.sizes, other), number)

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """Elements are moved; nothing is computed."""
        return Cost(0, super().cost(operand_types, result_types).result_bytes)


Ends = Mapping[ProcessId, ProcessId]


@lru_cache(maxsize=1024)
def ends_of(pairs: IdTable, strategy: Strategy, grid: Grid) -> tuple[Ends, Ends]:
    """A table from sources to targets, and one from targets to sources; `RunError` for ids of no process."""
    pairs.check("source_target_pairs", strategy, grid, "C4")
    found = [(source, target) for source, target in strategy.groups(pairs.rows, grid)]
    return dict(found), {target: source for source, target in found}


@lru_cache(maxsize=1024)  # all processes of a grid ask for the same again and again
def _peers(pairs: IdTable, strategy: Strategy, grid: Grid) -> Mapping[ProcessId, Peers]:
    """For each process of a pair, its peers; `RunError` for ids of no process."""
    targets, sources = ends_of(pairs, strategy, grid)
    slices: dict[int, list[ProcessId]] = {}
    for process in sorted({*targets, *sources}):
        slices.setdefault(_slice(process, strategy), []).append(process)
    return {
        process: Peers(group, _awaited_processes(process, sources, targets))
        for group in map(tuple, slices.values())
        for process in group
    }


def _slice(process: ProcessId, strategy: Strategy) -> int:
    """The fixed coordinate of the pairs' processes: the partition if the pairs name replicas, else the replica."""
    return process.partition_id if strategy is Strategy.CROSS_REPLICA else process.replica_id


def _awaited_processes(
    process: ProcessId, sources: Mapping[ProcessId, ProcessId], targets: Mapping[ProcessId, ProcessId]
) -> tuple[ProcessId, ...]:
    """The source, the process itself, the target; the source comes before the process, if there is one."""
    ends = (sources.get(process), process, targets.get(process))
    return tuple(dict.fromkeys(end for end in ends if end is not None))
