"""Events of a run on a grid between processes, besides those of each process."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..events import Listener
from ..ops.core.exchanges import Arrays
from ..ops.core.process_groups import Grid, ProcessId
from .launch import QueueKey

MESSAGE = "message"
"""The kind of a transfer over a channel."""


@dataclass(frozen=True, slots=True)
class LaunchGroup:
    """The processes of one grid: those of the run, or those started by an `interpreter.run_parallel`."""

    number: int
    grid: Grid
    first: int
    """Number of the first process."""
    begin: int
    """Tick at which its processes begin."""
    opener: tuple[int, int] | None = None
    """The process and step that started it; `None` for the run's own."""
    infeed: tuple[str, ...] = ()
    """Functions that supply its processes' shared infeed queue."""
    host_channels: Mapping[int, tuple[int, ...]] = field(default_factory=dict, hash=False)
    """Host channels that are queues between its processes, each with the possible senders."""

    @property
    def numbers(self) -> range:
        """Numbers of its processes."""
        return range(self.first, self.first + self.grid.num_processes)

    def number_of(self, process: ProcessId) -> int:
        """The number of one of its processes."""
        return self.first + process.replica_id * self.grid.num_partitions + process.partition_id

    def process_of(self, number: int) -> ProcessId:
        """The replica and partition of process number `number`."""
        return ProcessId(*divmod(number - self.first, self.grid.num_partitions))


@dataclass(frozen=True, slots=True)
class ArrivalEvent:
    """The arrival of a process at a rendezvous, or at an end of a channel."""

    execution: int
    kind: str
    """The op's name without its dialect, or `MESSAGE`."""
    op: int
    launch_group: int
    channel: int
    group: tuple[int, ...]
    """The participants; for a message, sender and receiver if the program names them."""
    awaited: tuple[int, ...]
    process: int
    step: int
    tick: int


class GridListener:
    """Listens to a run on a grid: a method for each event between processes, which here ignores it."""

    def launch_group_began(self, launch_group: LaunchGroup) -> None:
        """A group of processes begins; its numbers follow those of earlier groups."""

    def process_began(self, number: int, launch_group: LaunchGroup) -> Listener:
        """A process begins; returns the listener for its events."""
        return Listener()

    def process_arrived(self, arrival: ArrivalEvent) -> None:
        """A process waits at a rendezvous, or has started a collective op that is matched there."""

    def process_released(self, execution: int, process: int, tick: int) -> None:
        """The results of a rendezvous are available to a process from tick `tick`."""

    def outcome_collected(self, process: int, start: int, outcome: Arrays) -> None:
        """A process receives the results of a rendezvous that its step `start` started asynchronously."""

    def clock_advanced(self, process: int, step: int, tick: int) -> None:
        """A process has waited: its step `step` begins at `tick`, later than the previous step's end."""

    def item_moved(self, queue: QueueKey, process: int, step: int, tick: int, values: Arrays) -> None:
        """A process has taken an item from one of the user's queues, or put one into it."""
