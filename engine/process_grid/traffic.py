"""What is under way between processes: who has come to which rendezvous, with what, and what waits in channels.

All of it is data that can be copied; the arrays are shared with the processes, which never write to them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from ..ir.types import Type
from ..ops.core.exchanges import Array, Arrays, Met
from ..program import BoundOperation
from .launch import QueueKey

RendezvousKey = tuple[int, int, tuple[int, ...]]
"""Team, channel, and the processes of a group in the order of their numbers."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A process that has come to a rendezvous or a channel, and what it brings."""

    process: int
    bound: BoundOperation
    step: int
    tick: int
    values: Arrays
    awaited: tuple[int, ...]
    """The processes without whom it does not go on, itself among them, in the group's order."""
    future: int | None = None
    """The number of the future that stands for the outcome, if the process does not wait."""


@dataclass(frozen=True, slots=True)
class Contributions:
    """The operands of the processes that wait for each other, and the tick after the last arrival."""

    values: tuple[Arrays, ...]
    tick: int
    shared: dict[str, Any] = field(default_factory=dict)
    """Results that are the same for all processes, by name, once one process has computed them."""

    def copy(self) -> Contributions:
        """A copy that later events do not change."""
        return replace(self, shared=dict(self.shared))


@dataclass
class Rendezvous:
    """One meeting of a group on a channel."""

    number: int
    """Its number among all rendezvous and messages of the run."""
    key: RendezvousKey
    sequence: int
    """How many rendezvous of this group on this channel came before."""
    group: tuple[int, ...]
    arrivals: dict[int, Arrival] = field(default_factory=dict)
    released: set[int] = field(default_factory=set)
    contributions: dict[tuple[int, ...], Contributions] = field(default_factory=dict)
    """The operands of each set of processes that wait for each other, by that set."""
    partial: bool = False
    """Whether somebody does not wait for the whole group."""

    def add(self, arrival: Arrival) -> Iterator[Arrival]:
        """Adds a process that has arrived, and gives those that can go on now."""
        self.arrivals[arrival.process] = arrival
        self.partial = self.partial or len(arrival.awaited) < len(self.group)
        everybody = len(self.arrivals) == len(self.group)
        if not self.partial and not everybody:
            return
        for number in arrival.awaited:
            found = self.arrivals.get(number)
            if found is None or number in self.released:
                continue
            if everybody or all(other in self.arrivals for other in found.awaited):
                self.released.add(number)
                yield found

    def outcome(self, arrival: Arrival) -> tuple[Met, int]:
        """What the process of `arrival` gets, and the tick after the last arrival that it waits for."""
        found = self.contributions.get(arrival.awaited)
        if found is None:
            arrivals = [self.arrivals[number] for number in arrival.awaited]
            found = Contributions(
                tuple(each.values for each in arrivals), 1 + max(each.tick for each in arrivals)
            )
            self.contributions[arrival.awaited] = found
        return Met(found.values, arrival.awaited.index(arrival.process), found.shared), found.tick

    @property
    def channel(self) -> int:
        """The channel's id; 0 for none."""
        return self.key[1]

    @property
    def is_over(self) -> bool:
        """Whether all have come and gone."""
        return len(self.released) == len(self.group)

    def copy(self) -> Rendezvous:
        """A copy that later events do not change."""
        contributions = {awaited: found.copy() for awaited, found in self.contributions.items()}
        return replace(
            self, arrivals=dict(self.arrivals), released=set(self.released), contributions=contributions
        )


@dataclass
class RendezvousSeries:
    """All rendezvous of one group on one channel, in order."""

    counts: dict[int, int] = field(default_factory=dict)
    """How often each process has arrived."""
    meetings: dict[int, Rendezvous] = field(default_factory=dict)
    """Those that are not over, by their `sequence`."""

    def copy(self) -> RendezvousSeries:
        """A copy that later events do not change."""
        meetings = {sequence: found.copy() for sequence, found in self.meetings.items()}
        return RendezvousSeries(dict(self.counts), meetings)


ChannelKey = tuple[int, int, int | None, int | None]
"""Team, channel, and the processes at both ends, where the program names them."""


@dataclass(frozen=True)
class Message:
    """One transfer over a channel: its send and its receive, as far as they have arrived."""

    number: int
    sent: Arrival | None = None
    wanted: Arrival | None = None


@dataclass(frozen=True)
class Channel:
    """A channel between two processes: what waits at either end, and what went through it last."""

    waiting: tuple[Message, ...] = ()
    last: Message | None = None

    def place(self, *, sends: bool) -> int:
        """The index in `waiting` of the message that the next send, or receive, belongs to; its length for a new one."""
        ends = [found.sent if sends else found.wanted for found in self.waiting]
        return ends.index(None) if None in ends else len(ends)

    @property
    def overlap(self) -> tuple[Arrival, Arrival] | None:
        """Two sends, or two receives, that are or were pending at once."""
        messages = self.waiting if self.last is None else (self.last, *self.waiting)
        if len(messages) < 2:
            return None
        first, second = messages[:2]
        return _find_overlap(first.sent, second.sent, first.wanted) or _find_overlap(
            first.wanted, second.wanted, first.sent
        )


def _find_overlap(
    first: Arrival | None, second: Arrival | None, taker: Arrival | None
) -> tuple[Arrival, Arrival] | None:
    """Two arrivals at one end of a channel, if the second came before the other end took the first."""
    if first is None or second is None:
        return None
    return (first, second) if taker is None or taker.tick > second.tick else None


@dataclass(frozen=True)
class HostQueue:
    """A channel of the host between the processes of a team: what nobody has received yet, and who waits."""

    sent: tuple[Message, ...] = ()
    wanted: tuple[Message, ...] = ()
    """Receives that wait. A negative number says that it is not known yet which message they take."""

    def item(self, reader: Arrival) -> Message | None:
        """The first message that `reader` can take: of another process, or of any if the reader does not wait."""
        return next((each for each in self.sent if each.sent and _may_take(reader, each.sent.process)), None)

    def reader(self, sender: int) -> Message | None:
        """The first waiting receive that can take what `sender` sends."""
        return next((each for each in self.wanted if each.wanted and _may_take(each.wanted, sender)), None)

    def remove(self, message: Message) -> HostQueue:
        """The queue without `message`, whose transfer is done."""
        sent = tuple(found for found in self.sent if found is not message)
        return HostQueue(sent, tuple(found for found in self.wanted if found is not message))


def _may_take(reader: Arrival, sender: int) -> bool:
    return reader.future is not None or reader.process != sender


@dataclass(frozen=True)
class Future:
    """The outcome of something that was started and has not been awaited yet."""

    arrival: Arrival
    outcome: Met | Arrays | None = None
    """What came of the rendezvous (`Met`) or the channel (arrays); `None` before it came."""
    tick: int = 0
    """The tick at which the outcome came."""
    waiter: int | None = None
    """The process that waits for it now, if one does."""
    waiter_tick: int = 0


@dataclass
class Traffic:
    """Every rendezvous, channel, queue and future that is under way."""

    rendezvous: dict[RendezvousKey, RendezvousSeries] = field(default_factory=dict)
    channels: dict[ChannelKey, Channel] = field(default_factory=dict)
    host_queues: dict[tuple[int, int], HostQueue] = field(default_factory=dict)
    """Channels of the host that are queues of a team, by team and channel."""
    futures: dict[int, Future] = field(default_factory=dict)
    future_count: int = 0
    placeholders: dict[int, tuple[Array, int]] = field(default_factory=dict)
    """Arrays that stand for what will come, by identity, and the numbers of their futures."""
    taken: dict[QueueKey, int] = field(default_factory=dict)
    """How many items have been taken out of each of the user's queues."""
    reserved: dict[int, tuple[QueueKey, int, tuple[Type, ...]]] = field(default_factory=dict)
    """Items that are not there yet, by the futures that stand for them: queue, number and types."""
    meetings: int = 0
    """How many rendezvous and messages there have been."""

    def copy(self) -> Traffic:
        """A copy that later events do not change."""
        rendezvous = {key: series.copy() for key, series in self.rendezvous.items()}
        return replace(
            self,
            rendezvous=rendezvous,
            channels=dict(self.channels),
            host_queues=dict(self.host_queues),
            futures=dict(self.futures),
            placeholders=dict(self.placeholders),
            taken=dict(self.taken),
            reserved=dict(self.reserved),
        )

    def next_number(self) -> int:
        """The number of a new meeting."""
        self.meetings += 1
        return self.meetings - 1

    def open_future(self, arrival: Arrival, placeholders: Arrays) -> Arrival:
        """Makes a future for `arrival`, which any of `placeholders` stands for; gives the arrival with its number."""
        number = self.future_count
        self.future_count += 1
        found = replace(arrival, future=number)
        self.futures[number] = Future(found)
        for array in placeholders:
            self.placeholders[id(array)] = (array, number)
        return found

    def future_of(self, placeholder: Array) -> int | None:
        """The number of the future that an array stands for; `None` for any other array."""
        array, number = self.placeholders.get(id(placeholder), (None, None))
        return number if array is placeholder else None

    def close_future(self, number: int) -> Future:
        """Removes a future that is awaited now, and gives it."""
        self.placeholders = {
            identity: held for identity, held in self.placeholders.items() if held[1] != number
        }
        return self.futures.pop(number)
