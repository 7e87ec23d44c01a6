"""What collective permutes share: processes hand what they hold to others, as pairs of ids say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from ..ir.types import TensorType, Type
from .collective_rules import ChannelHandle, Meeting, channel_id, whole_box, zeros
from .exchanges import Arrays, Met, Peers, Piece, Place
from .op import Cost
from .process_groups import Grid, IdTable, ProcessId, Strategy, replicas_or_partitions


class Permute(Meeting):
    """Gives each process that is a target what its source has brought.

    All processes of the pairs are a group; of these a process waits for its source and for its target alone.
    """

    source_target_pairs: IdTable
    channel_handle: ChannelHandle | None

    @property
    def strategy(self) -> Strategy:
        """How pairs of ids become pairs of processes."""
        return replicas_or_partitions(channel_id(self.channel_handle))

    def peers(self, place: Place) -> Peers | None:
        return _peers(self.source_target_pairs, self.strategy, place.grid).get(place.process)

    def source(self, met: Met) -> int | None:
        """Which of those that were waited for is the source; `None` for a process that is no target."""
        if len(met.brought) == 1:
            return 0  # a pair of the process with itself
        return met.place - 1 if met.place else None

    def alone(self) -> Arrays:
        return tuple(zeros(found) for found in self.operand_types if isinstance(found, TensorType))

    def outputs(self, met: Met) -> Arrays:
        source = self.source(met)
        return self.alone() if source is None else met.brought[source]

    def pieces(self, met: Met) -> Iterator[Piece]:
        source = self.source(met)
        if source is not None:
            for number, value in enumerate(met.brought[source]):
                yield Piece(source, number, whole_box(value), number, whole_box(value))

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """Elements are moved; nothing is computed."""
        return Cost(0, super().cost(operand_types, result_types).result_bytes)


@lru_cache(maxsize=1024)  # all processes of a grid ask for the same again and again
def _peers(pairs: IdTable, strategy: Strategy, grid: Grid) -> Mapping[ProcessId, Peers]:
    """For each process of a pair, whom it meets; `RunError` for ids that there are not."""
    pairs.check("source_target_pairs", strategy, grid, "C4")
    found = [(source, target) for source, target in strategy.groups(pairs.rows, grid)]
    targets, sources = dict(found), {target: source for source, target in found}
    slices: dict[int, list[ProcessId]] = {}
    for process in sorted({*targets, *sources}):
        slices.setdefault(_slice(process, strategy), []).append(process)
    return {
        process: Peers(group, _awaited(process, sources, targets))
        for group in map(tuple, slices.values())
        for process in group
    }


def _slice(process: ProcessId, strategy: Strategy) -> int:
    """What those have in common among whom the pairs are: their partition, or their replica."""
    return process.partition_id if strategy is Strategy.CROSS_REPLICA else process.replica_id


def _awaited(
    process: ProcessId, sources: Mapping[ProcessId, ProcessId], targets: Mapping[ProcessId, ProcessId]
) -> tuple[ProcessId, ...]:
    """The source, the process, the target: who comes before the process is its source."""
    ends = (sources.get(process), process, targets.get(process))
    return tuple(dict.fromkeys(end for end in ends if end is not None))
