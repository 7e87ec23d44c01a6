"""What happened between the processes of a run, kept in order: meetings, messages, and what went through queues."""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass, field

from ..ops.core.exchanges import Arrays
from ..process_grid.grid_events import MESSAGE, ArrivalEvent, Team
from ..process_grid.launch import QueueKey


@dataclass
class MeetingRecord:
    """A rendezvous of a group, or a message with its sender and receiver."""

    number: int
    kind: str
    """The op's name without its dialect, or `MESSAGE`."""
    op: int
    """The number of the op that came first."""
    team: int
    channel: int
    group: tuple[int, ...]
    """The numbers of the processes that meet, in the group's order; sender and receiver, as far as they are known."""
    arrivals: dict[int, tuple[int, int]] = field(default_factory=dict)
    """The step and the tick at which each process came."""
    ops: dict[int, int] = field(default_factory=dict)
    """The op with which each process came."""
    visits: list[tuple[int, int, int]] = field(default_factory=list)
    """Every process that came, with its step and its op, sorted: a process may be at both ends of a message."""
    awaited: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """Without whom each cannot go on, itself among them."""
    released: dict[int, int] = field(default_factory=dict)
    """The tick from which on each has what it came for."""

    @classmethod
    def of(cls, arrival: ArrivalEvent) -> MeetingRecord:
        """The record of a meeting at which the first process arrives."""
        return cls(*(arrival.meeting, arrival.kind, arrival.op, arrival.team, arrival.channel, arrival.group))

    def add(self, arrival: ArrivalEvent) -> None:
        """Records that another process has arrived."""
        self.arrivals[arrival.process] = (arrival.step, arrival.tick)
        self.ops[arrival.process] = arrival.op
        insort(self.visits, (arrival.process, arrival.step, arrival.op))
        self.awaited[arrival.process] = arrival.awaited
        if self.is_message and len(arrival.group) > len(self.group):
            self.group = arrival.group  # who comes second may know both ends

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
    """An item that a process has taken out of a queue of the user's, or put into it."""

    process: int
    step: int
    tick: int
    values: Arrays


@dataclass
class QueueRecord:
    """One queue between the run and its user."""

    key: QueueKey
    moves: list[QueueMove] = field(default_factory=list)


class GridRecord:
    """The meetings, messages and queue transfers of a run, in the order in which they happened."""

    def __init__(self) -> None:
        self.teams: list[Team] = []
        self.meetings: list[MeetingRecord] = []
        self.queues: dict[QueueKey, QueueRecord] = {}

    def meeting_at(self, process: int, step: int) -> MeetingRecord | None:
        """The meeting that a process came to in a step, looked for from the last one on."""
        return next(
            (found for found in reversed(self.meetings) if found.arrivals.get(process, (-1,))[0] == step),
            None,
        )

    def process_arrived(self, arrival: ArrivalEvent) -> None:
        """Records that a process has arrived at a meeting, which is new if it is the first one there."""
        if arrival.meeting == len(self.meetings):
            self.meetings.append(MeetingRecord.of(arrival))
        self.meetings[arrival.meeting].add(arrival)

    def process_released(self, meeting: int, process: int, tick: int) -> None:
        """Records the tick from which a process has the results of a meeting."""
        self.meetings[meeting].released[process] = tick

    def item_moved(self, queue: QueueKey, process: int, step: int, tick: int, values: Arrays) -> None:
        """Records an item that a process has taken out of a queue of the user's, or put into it."""
        found = self.queues.setdefault(queue, QueueRecord(queue))
        found.moves.append(QueueMove(process, step, tick, values))
