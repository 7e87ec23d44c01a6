"""Record of the interaction of processes: collectives, messages and queue transfers."""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass, field

from ..ops.core.exchanges import Arrays
from ..process_grid.grid_events import MESSAGE, ArrivalEvent, LaunchGroup
from ..process_grid.launch import QueueKey


@dataclass
class CollectiveExecution:
    """One execution of a collective, or a message with its sender and receiver."""

    number: int
    kind: str
    """The op's name without its dialect, or `MESSAGE`."""
    op: int
    """The op of the first process to arrive."""
    launch_group: int
    channel: int
    group: tuple[int, ...]
    """Participants in the group's order; for a message sender and receiver, as far as known."""
    arrivals: dict[int, tuple[int, int]] = field(default_factory=dict)
    """The step and the tick at which each process arrived."""
    ops: dict[int, int] = field(default_factory=dict)
    """The op of each process that arrived."""
    visits: list[tuple[int, int, int]] = field(default_factory=list)
    """Process, step and op of each arrival, sorted; a process may be at both ends of a message."""
    awaited: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """The processes that each one waits for, including itself."""
    released: dict[int, int] = field(default_factory=dict)
    """The tick from which each process has its results."""

    @classmethod
    def of(cls, arrival: ArrivalEvent) -> CollectiveExecution:
        """Create the record when the first process arrives."""
        return cls(
            *(
                arrival.execution,
                arrival.kind,
                arrival.op,
                arrival.launch_group,
                arrival.channel,
                arrival.group,
            )
        )

    def add(self, arrival: ArrivalEvent) -> None:
        """Record another arrival."""
        self.arrivals[arrival.process] = (arrival.step, arrival.tick)
        self.ops[arrival.process] = arrival.op
        insort(self.visits, (arrival.process, arrival.step, arrival.op))
        self.awaited[arrival.process] = arrival.awaited
        if self.is_message and len(arrival.group) > len(self.group):
            self.group = arrival.group  # the second arrival may know both ends

    @property
    def is_message(self) -> bool:
        """Whether it is a message on a channel."""
        return self.kind == MESSAGE

    @property
    def begin(self) -> int:
        """The tick at which the first process arrived."""
        return min(tick for _, tick in self.arrivals.values())

    @property
    def end(self) -> int | None:
        """The tick at which the last process continues, once all have arrived."""
        count = len(self.visits) if self.is_message else len(self.released)
        complete = (
            count == (2 if self.is_message else len(self.group))
            and self.arrivals.keys() <= self.released.keys()
        )
        return max(self.released.values()) if complete else None


@dataclass(frozen=True, slots=True)
class QueueMove:
    """An item that a process read from a host queue, or wrote to it."""

    process: int
    step: int
    tick: int
    values: Arrays


@dataclass
class QueueRecord:
    """One queue between the run and its host."""

    key: QueueKey
    moves: list[QueueMove] = field(default_factory=list)


class GridRecord:
    """The collectives, messages and queue transfers of a run, in order."""

    def __init__(self) -> None:
        self.launch_groups: list[LaunchGroup] = []
        self.collective_executions: list[CollectiveExecution] = []
        self.queues: dict[QueueKey, QueueRecord] = {}

    def execution_at(self, process: int, step: int) -> CollectiveExecution | None:
        """The collective or message of a step, searched from the last one backwards."""
        return next(
            (
                found
                for found in reversed(self.collective_executions)
                if found.arrivals.get(process, (-1,))[0] == step
            ),
            None,
        )

    def process_arrived(self, arrival: ArrivalEvent) -> None:
        """Record an arrival; the first one creates the record."""
        if arrival.execution == len(self.collective_executions):
            self.collective_executions.append(CollectiveExecution.of(arrival))
        self.collective_executions[arrival.execution].add(arrival)

    def process_released(self, execution: int, process: int, tick: int) -> None:
        """Record the tick from which a process has its results."""
        self.collective_executions[execution].released[process] = tick

    def item_moved(self, queue: QueueKey, process: int, step: int, tick: int, values: Arrays) -> None:
        """Record an item that a process read from a host queue, or wrote to it."""
        found = self.queues.setdefault(queue, QueueRecord(queue))
        found.moves.append(QueueMove(process, step, tick, values))
