"""Draws grids, who works together on them, and what each process brings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES, ElementType
from hloscope.engine.ops.collectives.collective_rules import ChannelHandle
from hloscope.engine.ops.core.exchanges import Array
from hloscope.engine.ops.core.process_groups import Grid, ProcessId, ReplicaGroups, Strategy

from .cases.drawing import Draw
from .playing import Brought, on_each

CHANNEL = ChannelHandle(1, 0)
MOVED = ("i1", "i4", "i64", "ui8", "bf16", "f16", "f32", "f8E4M3FN", "complex<f64>")
"""Elements of all kinds and widths."""
Group = list[ProcessId]


@dataclass(frozen=True)
class Work:
    """Who works together, on which grid, and how the op says so."""

    grid: Grid
    groups: list[Group]
    replica_groups: ReplicaGroups
    channel_handle: ChannelHandle | None
    use_global_device_ids: bool
    replicas_first: bool = False

    @property
    def by(self) -> dict[str, Any]:
        """What tells the strategies of all_gather, all_reduce and reduce_scatter apart."""
        return {
            "channel_handle": self.channel_handle,
            "use_global_device_ids": self.use_global_device_ids,
            "replicas_first": self.replicas_first,
        }

    def group_of(self, process: ProcessId) -> Group:
        """The group that a process is in; an empty one for none."""
        return next((group for group in self.groups if process in group), [])


def members(strategy: Strategy, row: Sequence[int], grid: Grid) -> list[Group]:
    """The groups that one row of ids makes, by the specification's words; one strategy is XLA's."""
    all_replicas, all_partitions = range(grid.num_replicas), range(grid.num_partitions)
    match strategy:
        case Strategy.CROSS_REPLICA:
            return [[ProcessId(replica, partition) for replica in row] for partition in all_partitions]
        case Strategy.CROSS_PARTITION:
            return [[ProcessId(replica, partition) for partition in row] for replica in all_replicas]
        case Strategy.CROSS_REPLICA_AND_PARTITION:
            return [[ProcessId(replica, partition) for partition in all_partitions for replica in row]]
        case Strategy.REPLICA_BY_REPLICA:
            return [[ProcessId(replica, partition) for replica in row for partition in all_partitions]]
    return [[ProcessId(found // grid.num_partitions, found % grid.num_partitions) for found in row]]


grids = st.builds(Grid, st.integers(1, 4), st.integers(1, 4))
BY_ALL = (
    Strategy.CROSS_REPLICA,
    Strategy.CROSS_REPLICA_AND_PARTITION,
    Strategy.REPLICA_BY_REPLICA,
    Strategy.FLATTENED_IDS,
)
BY_ONE = (Strategy.CROSS_REPLICA, Strategy.CROSS_PARTITION)


@st.composite
def works(draw: Draw, strategies: Sequence[Strategy], *, covering: bool = True) -> Work:
    """Groups of all processes, all as large; without `covering` possibly of some."""
    grid, strategy = draw(grids), draw(st.sampled_from(strategies))
    ids = draw(st.permutations(range(strategy.id_count(grid))))
    width = draw(st.sampled_from([found for found in range(1, len(ids) + 1) if len(ids) % found == 0]))
    rows = [ids[start : start + width] for start in range(0, len(ids), width)]
    if not covering:
        rows = rows[: draw(st.integers(1, len(rows)))]
    return _work(grid, strategy, rows)


def _work(grid: Grid, strategy: Strategy, rows: list[list[int]]) -> Work:
    groups = [group for row in rows for group in members(strategy, row, grid)]
    channel = None if strategy is Strategy.CROSS_REPLICA else CHANNEL
    return Work(
        grid,
        groups,
        ReplicaGroups.of(*rows),
        channel,
        strategy is Strategy.FLATTENED_IDS,
        strategy is Strategy.REPLICA_BY_REPLICA,
    )


seeds = st.integers(0, 999)


def brought(seed: int, grid: Grid, name: str, *shapes: tuple[int, ...]) -> Brought:
    """For each process arrays of these shapes, of random elements."""
    random = np.random.default_rng(seed)
    return on_each(grid, lambda _: [_elements(random, ELEMENT_TYPES[name], shape) for shape in shapes])


def _elements(random: np.random.Generator, element_type: ElementType, shape: tuple[int, ...]) -> Array:
    if element_type.is_float or element_type.is_complex:
        found = random.normal(scale=8, size=shape)
        edges = random.choice([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0], size=shape)
        return np.where(random.random(shape) < 0.1, edges, found).astype(element_type.dtype)
    whole = random.integers(-300, 300, size=shape)
    return np.asarray(whole > 0 if element_type.kind == "boolean" else whole).astype(element_type.dtype)
