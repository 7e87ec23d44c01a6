"""What a run on a grid tells whoever records it, besides what each process tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from ..events import Listener, Unheard
from ..ops.exchanges import Arrays
from ..ops.process_groups import Grid, ProcessId
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
        """Where in its grid a process is."""
        return ProcessId(*divmod(number - self.first, self.grid.num_partitions))


@dataclass(frozen=True, slots=True)
class Arrival:
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
    """Is told what happens between processes."""

    def team_began(self, team: Team) -> None:
        """There are more processes."""

    def process_began(self, number: int, team: Team) -> Listener:
        """A process begins; gives whoever is told what it does."""

    def arrived(self, arrival: Arrival) -> None:
        """A process waits, or has started something."""

    def released(self, meeting: int, process: int, tick: int) -> None:
        """What a process has come for is there; `tick` is the first at which it can be used."""

    def jumped(self, process: int, step: int, tick: int) -> None:
        """The process has waited: its step number `step` begins at `tick`, and not right after the one before."""

    def moved(self, queue: QueueKey, process: int, step: int, tick: int, values: Arrays) -> None:
        """A process has taken an item out of one of the user's queues, or put one into it."""


class UnheardGrid:
    """Listens to nothing."""

    def team_began(self, team: Team) -> None:
        """Not wanted."""

    def process_began(self, number: int, team: Team) -> Listener:
        """Whoever listens to nothing either."""
        return Unheard()

    def arrived(self, arrival: Arrival) -> None:
        """Not wanted."""

    def released(self, meeting: int, process: int, tick: int) -> None:
        """Not wanted."""

    def jumped(self, process: int, step: int, tick: int) -> None:
        """Not wanted."""

    def moved(self, queue: QueueKey, process: int, step: int, tick: int, values: Arrays) -> None:
        """Not wanted."""
