"""State between processes: arrivals at rendezvous, and messages waiting in channels.

It can be copied; the arrays are shared with the processes, which never modify them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ..ir.types import Type
from ..ops.core.exchanges import Array, Arrays, PeerValues
from ..program import BoundOperation
from .launch import QueueKey


class Numbers(tuple[int, ...]):
    """Numbers of processes, under which each of them looks something up: they are hashed once."""

    @cached_property
    def _hash(self) -> int:
        return super().__hash__()

    def __hash__(self) -> int:
        return self._hash


RendezvousKey = tuple[int, int, Numbers]
"""Launch group, channel, and the sorted processes of a group."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A process that has arrived at a rendezvous or a channel, with its values."""

    process: int
    bound: BoundOperation
    step: int
    tick: int
    values: Arrays
    awaited: tuple[int, ...]
    """The processes that it waits for, including itself, in the group's order."""
    future: int | None = None
    """Number of the future for the outcome, if the process does not wait."""


@dataclass(frozen=True, slots=True)
class Contributions:
    """Operands of the processes that wait for each other, and the tick after the last arrival."""

    values: tuple[Arrays, ...]
    tick: int
    places: dict[int, int]
    """Position of each process in the set."""
    shared: dict[str, Any] = field(default_factory=dict)
    """Results shared by all processes, by name, computed by the first one."""

    def copy(self) -> Contributions:
        """An independent copy."""
        return replace(self, shared=dict(self.shared))


@dataclass
class Rendezvous:
    """One rendezvous of a group on a channel."""

    number: int
    """Its number among all rendezvous and messages of the run."""
    key: RendezvousKey
    sequence: int
    """Number of earlier rendezvous of this group on this channel."""
    group: tuple[int, ...]
    arrivals: dict[int, Arrival] = field(default_factory=dict)
    released: set[int] = field(default_factory=set)
    contributions: dict[tuple[int, ...], Contributions] = field(default_factory=dict)
    """The operands of each set of processes that wait for each other."""
    partial: bool = False
    """Whether some process does not wait for the whole group."""

    def add(self, arrival: Arrival) -> Iterator[Arrival]:
        """Add an arrival; yields the arrivals that can continue."""
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

    def outcome(self, arrival: Arrival) -> tuple[PeerValues, int]:
        """The outcome for the process of `arrival`, and the tick after the last arrival it waited for."""
        found = self.contributions.get(arrival.awaited)
        if found is None:
            arrivals = [self.arrivals[number] for number in arrival.awaited]
            found = Contributions(
                tuple(each.values for each in arrivals),
                1 + max(each.tick for each in arrivals),
                {each.process: place for place, each in enumerate(arrivals)},
            )
            self.contributions[arrival.awaited] = found
        return PeerValues(found.values, found.places[arrival.process], found.shared), found.tick

    @property
    def channel(self) -> int:
        """The channel id; 0 for none."""
        return self.key[1]

    @property
    def is_over(self) -> bool:
        """Whether all processes have arrived and been released."""
        return len(self.released) == len(self.group)

    def copy(self) -> Rendezvous:
        """An independent copy."""
        contributions = {awaited: found.copy() for awaited, found in self.contributions.items()}
        return replace(
            self, arrivals=dict(self.arrivals), released=set(self.released), contributions=contributions
        )


@dataclass
class RendezvousSeries:
    """All rendezvous of one group on one channel, in order."""

    counts: dict[int, int] = field(default_factory=dict)
    """Number of arrivals of each process."""
    unfinished: dict[int, Rendezvous] = field(default_factory=dict)
    """Rendezvous in progress, by `sequence`."""

    def copy(self) -> RendezvousSeries:
        """An independent copy."""
        unfinished = {sequence: found.copy() for sequence, found in self.unfinished.items()}
        return RendezvousSeries(dict(self.counts), unfinished)


ChannelKey = tuple[int, int, int | None, int | None]
"""Launch group, channel, and the processes at both ends, if the program names them."""


@dataclass(frozen=True)
class Message:
    """One transfer over a channel: its send and its receive, once they have arrived."""

    number: int
    sent: Arrival | None = None
    wanted: Arrival | None = None


@dataclass(frozen=True)
class Channel:
    """A channel between two processes: waiting messages, and the last one delivered."""

    waiting: tuple[Message, ...] = ()
    last: Message | None = None

    def place(self, *, sends: bool) -> int:
        """Index in `waiting` of the message for the next send or receive; its length for a new one."""
        ends = [found.sent if sends else found.wanted for found in self.waiting]
        return ends.index(None) if None in ends else len(ends)

    @property
    def overlap(self) -> tuple[Arrival, Arrival] | None:
        """Two sends, or two receives, that are or were pending at the same time."""
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
    """Two arrivals at one end of a channel, if the second preceded the first one's delivery."""
    if first is None or second is None:
        return None
    return (first, second) if taker is None or taker.tick > second.tick else None


@dataclass(frozen=True)
class HostQueue:
    """A host channel between processes of a launch group: unreceived items and waiting receives."""

    sent: tuple[Message, ...] = ()
    wanted: tuple[Message, ...] = ()
    """Waiting receives; a negative number means that their message is not yet determined."""

    def item(self, reader: Arrival) -> Message | None:
        """The first message that `reader` can take: of another process, or any if it does not wait."""
        return next((each for each in self.sent if each.sent and _may_take(reader, each.sent.process)), None)

    def reader(self, sender: int) -> Message | None:
        """The first waiting receive that can take an item of `sender`."""
        return next((each for each in self.wanted if each.wanted and _may_take(each.wanted, sender)), None)

    def remove(self, message: Message) -> HostQueue:
        """The queue without `message`, which is delivered."""
        sent = tuple(found for found in self.sent if found is not message)
        return HostQueue(sent, tuple(found for found in self.wanted if found is not message))


def _may_take(reader: Arrival, sender: int) -> bool:
    return reader.future is not None or reader.process != sender


@dataclass(frozen=True)
class Future:
    """The outcome of an asynchronous op that has not been awaited yet."""

    arrival: Arrival
    outcome: PeerValues | Arrays | None = None
    """Outcome of the rendezvous (`PeerValues`) or of the channel (arrays); `None` while pending."""
    tick: int = 0
    """Tick of the outcome."""
    waiter: int | None = None
    """The process that waits for it, if any."""
    waiter_tick: int = 0


@dataclass
class Traffic:
    """All pending rendezvous, channels, queues and futures."""

    rendezvous: dict[RendezvousKey, RendezvousSeries] = field(default_factory=dict)
    channels: dict[ChannelKey, Channel] = field(default_factory=dict)
    host_queues: dict[tuple[int, int], HostQueue] = field(default_factory=dict)
    """Host channels that are queues of a launch group, by group and channel."""
    futures: dict[int, Future] = field(default_factory=dict)
    future_count: int = 0
    placeholders: dict[int, tuple[Array, int]] = field(default_factory=dict)
    """Arrays that stand for pending results, by identity, and the numbers of their futures."""
    taken: dict[QueueKey, int] = field(default_factory=dict)
    """Number of items taken from each of the user's queues."""
    reserved: dict[int, tuple[QueueKey, int, tuple[Type, ...]]] = field(default_factory=dict)
    """Missing items, by the futures that stand for them: queue, number and types."""
    execution_count: int = 0
    """Number of rendezvous and messages so far."""

    def copy(self) -> Traffic:
        """An independent copy."""
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
        """Allocate the number of a rendezvous or message."""
        self.execution_count += 1
        return self.execution_count - 1

    def open_future(self, arrival: Arrival, placeholders: Arrays) -> Arrival:
        """Create a future for `arrival`, represented by any of `placeholders`; returns the new arrival."""
        number = self.future_count
        self.future_count += 1
        found = replace(arrival, future=number)
        self.futures[number] = Future(found)
        for array in placeholders:
            self.placeholders[id(array)] = (array, number)
        return found

    def future_of(self, placeholder: Array) -> int | None:
        """The number of the future that an array stands for; `None` for other arrays."""
        array, number = self.placeholders.get(id(placeholder), (None, None))
        return number if array is placeholder else None

    def close_future(self, number: int) -> Future:
        """Remove and return a future that is awaited."""
        self.placeholders = {
            identity: held for identity, held in self.placeholders.items() if held[1] != number
        }
        return self.futures.pop(number)
