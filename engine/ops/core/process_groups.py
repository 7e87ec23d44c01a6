"""Process groups of collective ops, on any grid of replicas x partitions.

Four strategies come from the specification's section on collective ops, one from XLA; each maps rows of ids to rows of
processes. Ids are read from `dense<[[0, 1], [2, 3]]>`, where -1 pads shorter rows, or from a mesh and some of its axes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, NamedTuple

from ...errors import RunError
from ...ir.attribute_values import ROW_PADDING
from ...ir.attributes import Attribute, DenseAttribute, StructAttribute
from ...sharding.notation.mesh_axes import mesh_groups


class ProcessId(NamedTuple):
    """The replica and the partition of a process in the grid."""

    replica_id: int
    partition_id: int


Groups = tuple[tuple[ProcessId, ...], ...]
Rows = Sequence[Sequence[int]]


@dataclass(frozen=True)
class Grid:
    """The numbers of replicas and partitions of a run."""

    num_replicas: int = 1
    num_partitions: int = 1

    @property
    def num_processes(self) -> int:
        """The number of processes: replicas times partitions."""
        return self.num_replicas * self.num_partitions

    def __str__(self) -> str:
        sizes = ((self.num_replicas, "replica"), (self.num_partitions, "partition"))
        return " x ".join(spell_count(count, noun) for count, noun in sizes)


ALONE = Grid()
"""A run of one process."""


class Strategy(StrEnum):
    """The rule that maps rows of ids to groups of processes."""

    CROSS_REPLICA = "cross_replica"
    CROSS_PARTITION = "cross_partition"
    CROSS_REPLICA_AND_PARTITION = "cross_replica_and_partition"
    REPLICA_BY_REPLICA = "replica_by_replica"
    FLATTENED_IDS = "flattened_ids"

    @property
    def noun(self) -> str:
        """The noun for an id in messages."""
        if self is Strategy.FLATTENED_IDS:
            return "process"
        return "partition" if self is Strategy.CROSS_PARTITION else "replica"

    def id_count(self, grid: Grid) -> int:
        """The number of ids on `grid`."""
        counts = {
            "process": grid.num_processes,
            "partition": grid.num_partitions,
            "replica": grid.num_replicas,
        }
        return counts[self.noun]

    @property
    def takes_all_partitions(self) -> bool:
        """Whether a group contains all partitions of its replicas."""
        return self in (Strategy.CROSS_REPLICA_AND_PARTITION, Strategy.REPLICA_BY_REPLICA)

    def groups(self, rows: Rows, grid: Grid) -> Groups:
        """The process groups."""
        match self:
            case Strategy.CROSS_REPLICA:
                return cross_replica(rows, grid)
            case Strategy.CROSS_PARTITION:
                return cross_partition(rows, grid)
            case Strategy.CROSS_REPLICA_AND_PARTITION:
                return cross_replica_and_partition(rows, grid)
            case Strategy.REPLICA_BY_REPLICA:
                return replica_by_replica(rows, grid)
        return flattened_ids(rows, grid)


def replicas_or_all(channel_id: int, use_global_device_ids: bool, replicas_first: bool = False) -> Strategy:
    """The strategy of all_gather, all_reduce and reduce_scatter; with `replicas_first` that of HLO text."""
    if channel_id <= 0:
        return Strategy.CROSS_REPLICA
    if use_global_device_ids:
        return Strategy.FLATTENED_IDS
    return Strategy.REPLICA_BY_REPLICA if replicas_first else Strategy.CROSS_REPLICA_AND_PARTITION


def replicas_or_partitions(channel_id: int) -> Strategy:
    """The strategy of all_to_all, collective_broadcast, collective_permute, send and recv."""
    return Strategy.CROSS_PARTITION if channel_id > 0 else Strategy.CROSS_REPLICA


def cross_replica(replica_groups: Rows, grid: Grid) -> Groups:
    """In each partition, the replicas of each row."""
    return tuple(
        tuple(ProcessId(replica, partition) for replica in row)
        for row in replica_groups
        for partition in range(grid.num_partitions)
    )


def cross_partition(partition_groups: Rows, grid: Grid) -> Groups:
    """In each replica, the partitions of each row."""
    return tuple(
        tuple(ProcessId(replica, partition) for partition in row)
        for row in partition_groups
        for replica in range(grid.num_replicas)
    )


def cross_replica_and_partition(replica_groups: Rows, grid: Grid) -> Groups:
    """The replicas of each row, in all partitions, partition by partition."""
    return tuple(
        tuple(ProcessId(replica, partition) for partition in range(grid.num_partitions) for replica in row)
        for row in replica_groups
    )


def replica_by_replica(replica_groups: Rows, grid: Grid) -> Groups:
    """The replicas of each row, in all partitions, replica by replica: XLA's order."""
    return tuple(
        tuple(ProcessId(replica, partition) for replica in row for partition in range(grid.num_partitions))
        for row in replica_groups
    )


def flattened_ids(flattened_id_groups: Rows, grid: Grid) -> Groups:
    """Ids that number processes partition by partition: `replica_id * num_partitions + partition_id`."""
    return tuple(
        tuple(ProcessId(*divmod(flattened_id, grid.num_partitions)) for flattened_id in row)
        for row in flattened_id_groups
    )


@dataclass(frozen=True)
class IdTable:
    """Rows of ids in an attribute: an i64 tensor of two dimensions."""

    expected: ClassVar[str] = "expected rows of i64, as in dense<[[0, 1]]> : tensor<1x2xi64>"

    rows: tuple[tuple[int, ...], ...]
    width: int

    @classmethod
    def of(cls, *rows: Sequence[int]) -> IdTable:
        """The table of these rows, which have one length."""
        return cls(tuple(map(tuple, rows)), len(rows[0]) if rows else 0)

    @classmethod
    def from_attribute(cls, attribute: Attribute) -> IdTable:
        """Read the attribute; `ValueError` states what was expected."""
        if not isinstance(attribute, DenseAttribute) or attribute.data.ndim != 2:
            raise ValueError(cls.expected)
        if attribute.type.element_type.name != "i64":
            raise ValueError(f"{cls.expected}, not of {attribute.type.element_type}")
        return cls(tuple(map(tuple, attribute.data.tolist())), attribute.data.shape[1])

    @property
    def ids(self) -> tuple[int, ...]:
        """All ids, row by row, without padding."""
        return tuple(found for row in self.rows for found in row if found != ROW_PADDING)

    def check(self, name: str, strategy: Strategy, grid: Grid, label: str) -> None:
        """Raise `RunError` with the first id that does not exist on `grid`."""
        count = strategy.id_count(grid)
        missing = next((found for found in self.ids if not 0 <= found < count), None)
        if missing is not None:
            run = f"this run has {spell_count(grid.num_processes, 'process')} ({grid})"
            raise RunError(f"{name} names {strategy.noun} {missing}, but {run}", label=label)


@dataclass(frozen=True)
class ReplicaGroups(IdTable):
    """`replica_groups`: rows of ids, or `#stablehlo.replica_group_mesh_axes<…>`, which states them by a mesh.

    Without any id all processes are one group, as in XLA.
    """

    expected: ClassVar[str] = (
        "expected rows of i64, as in dense<[[0, 1]]> : tensor<1x2xi64>, or #stablehlo.replica_group_mesh_axes<…>"
    )

    @classmethod
    def from_attribute(cls, attribute: Attribute) -> ReplicaGroups:
        """Read the attribute; `ValueError` states what was expected."""
        if isinstance(attribute, StructAttribute) and attribute.name == "replica_group_mesh_axes":
            return cls.of(*mesh_groups(attribute))
        found = IdTable.from_attribute.__func__(cls, attribute)  # type: ignore[attr-defined]
        assert isinstance(found, cls)
        return found

    @classmethod
    def of(cls, *rows: Sequence[int]) -> ReplicaGroups:
        """The groups of these rows, which have one length."""
        return cls(tuple(map(tuple, rows)), len(rows[0]) if rows else 0)

    def on(self, strategy: Strategy, grid: Grid) -> Groups:
        """The process groups on a grid that contains all ids."""
        return strategy.groups(tuple(self._members(strategy, grid)), grid)

    def _members(self, strategy: Strategy, grid: Grid) -> Iterator[tuple[int, ...]]:
        if not self.ids:
            yield tuple(range(strategy.id_count(grid)))
        for row in self.rows if self.ids else ():
            yield tuple(found for found in row if found != ROW_PADDING)


def spell_count(count: int, noun: str) -> str:
    """A number with its noun: `3 partitions`, `one process`."""
    plural = noun + ("es" if noun == "process" else "s")
    return f"{'one' if noun == 'process' and count == 1 else count} {noun if count == 1 else plural}"
