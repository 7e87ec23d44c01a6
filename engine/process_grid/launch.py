"""Start of a run on a grid: its size, each process's inputs, and the user's queue items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import is_
from typing import Literal

from ..errors import InputError
from ..limits import Limits
from ..ops.core.exchanges import Arrays
from ..ops.core.process_groups import ALONE, Grid

QueueKind = Literal["infeed", "outfeed", "host", "to_host"]


@dataclass(frozen=True, order=True)
class QueueKey:
    """A queue between a run and its user, who fills `infeed` and `host`; the program fills the others."""

    kind: QueueKind
    channel: int = 0
    """For `host` and `to_host`."""
    process: int | None = None
    """Number of the process that owns it; `None` for a shared queue."""

    def __str__(self) -> str:
        names = {
            "infeed": "infeed queue",
            "outfeed": "outfeed queue",
            "host": f"queue from the host on channel {self.channel}",
            "to_host": f"queue to the host on channel {self.channel}",
        }
        return names[self.kind]


@dataclass(frozen=True)
class Launch:
    """Number of processes of a run, and their inputs."""

    grid: Grid
    inputs: tuple[Arrays, ...]
    """Inputs of each process, by its number: `replica_id * num_partitions + partition_id`."""
    feeds: Mapping[QueueKey, tuple[Arrays, ...]] = field(default_factory=dict)
    """Items of each queue that the user filled, in order."""

    @classmethod
    def single_process(cls, inputs: Sequence[object]) -> Launch:
        """The launch of one process with these inputs."""
        return cls(ALONE, (tuple(inputs),))  # type: ignore[arg-type]

    @classmethod
    def same_inputs(cls, grid: Grid, inputs: Arrays) -> Launch:
        """The launch of a grid whose processes all have the same inputs."""
        return cls(grid, (tuple(inputs),) * grid.num_processes)

    @property
    def has_same_inputs(self) -> bool:
        """Whether there are several processes with identical input arrays."""
        first = self.inputs[0] if self.inputs else ()
        return len(self.inputs) > 1 and all(
            len(given) == len(first) and all(map(is_, given, first)) for given in self.inputs
        )

    def check(self, limits: Limits) -> None:
        """Raise `InputError` if the grid is too large or inputs are missing."""
        count = self.grid.num_processes
        if count > limits.max_processes:
            message = f"{count} processes ({self.grid}) are more than the limit max_processes = {limits.max_processes}"
            raise InputError(message, label="max_processes", hint="choose a smaller grid, or raise the limit")
        if min(self.grid.num_replicas, self.grid.num_partitions) < 1:
            raise InputError(f"a grid has at least one process, not {self.grid}")
        if len(self.inputs) != count:
            raise InputError(f"inputs are given for {len(self.inputs)} processes, but there are {count}")
