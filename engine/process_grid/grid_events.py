"""What a run on a grid tells whoever records it, besides what each process tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from ..events import Listener, NullListener
from ..ops.core.exchanges import Arrays
from ..ops.core.process_groups import Grid, ProcessId
from .launch import QueueKey

MESSAGE = "message"
"""The kind of what goes over a channel."""


@dataclass(frozen=True, slots=True)
class Team:
    """The processes of one grid: those of the run, or those that an `interpreter.run_parallel` has opened."""

    number: int
    grid: Grid
    first: int
    """The number of its first process."""
    begin: int
    """The tick at which its processes begin."""
    opener: tuple[int, int] | None = None
    """The process and the step that have opened it; `None` for the run's own."""
    infeed: tuple[str, ...] = ()
    """Functions that make what its processes take from their common infeed queue."""
    host_channels: Mapping[int, tuple[int, ...]] = field(default_factory=dict, hash=False)
    """Channels of the host that are queues between its processes, each with the numbers of those that may send."""

    @property
    def numbers(self) -> range:
        """The numbers of its processes."""
        return range(self.first, self.first + self.grid.num_processes)

    def number_of(self, process: ProcessId) -> int:
        """The number of a process of it."""
        return self.first + process.replica_id * self.grid.num_partitions + process.partition_id

    def process_of(self, number: int) -> ProcessId:
        """The replica and partition of process number `number`."""
        return ProcessId(*divmod(number - self.first, self.grid.num_partitions))


@dataclass(frozen=True, slots=True)
class ArrivalEvent:
    """A process has come to a meeting, or to an end of a channel."""

    meeting: int
    kind: str
    """The op's name without its dialect, or `MESSAGE`."""
    op: int
    team: int
    channel: int
    group: tuple[int, ...]
    """The processes that meet; of a message the sender and the receiver, as far as the program names them."""
    awaited: tuple[int, ...]
    process: int
    step: int
    tick: int


class GridListener(Protocol):
    """What a recorder of a grid implements: a method for each event between processes."""

    def team_began(self, team: Team) -> None:
        """A team of processes has begun; its numbers follow those of the teams before."""

    def process_began(self, number: int, team: Team) -> Listener:
        """A process begins; gives the listener for the events in it."""

    def process_arrived(self, arrival: ArrivalEvent) -> None:
        """A process waits at a meeting, or has started something that meets there."""

    def process_released(self, meeting: int, process: int, tick: int) -> None:
        """The results of a meeting are there for a process, from tick `tick` on."""

    def outcome_collected(self, process: int, start: int, outcome: Arrays) -> None:
        """The op of a process that waits is given the results of a meeting that its step `start` has only begun."""

    def clock_advanced(self, process: int, step: int, tick: int) -> None:
        """A process has waited: its step number `step` begins at `tick`, later than right after the one before."""

    def item_moved(self, queue: QueueKey, process: int, step: int, tick: int, values: Arrays) -> None:
        """A process has taken an item out of one of the user's queues, or put one into it."""


class NullGridListener:
    """Ignores all events."""

    def team_began(self, team: Team) -> None:
        """Ignores the event."""

    def process_began(self, number: int, team: Team) -> Listener:
        """A listener that ignores all events."""
        return NullListener()

    def process_arrived(self, arrival: ArrivalEvent) -> None:
        """Ignores the event."""

    def process_released(self, meeting: int, process: int, tick: int) -> None:
        """Ignores the event."""

    def outcome_collected(self, process: int, start: int, outcome: Arrays) -> None:
        """Ignores the event."""

    def clock_advanced(self, process: int, step: int, tick: int) -> None:
        """Ignores the event."""

    def item_moved(self, queue: QueueKey, process: int, step: int, tick: int, values: Arrays) -> None:
        """Ignores the event."""
