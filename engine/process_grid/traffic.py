"""What is under way between processes: who has come to which rendezvous, with what, and what waits in channels.

All of it is data that can be copied; the arrays are shared with the processes, which never write to them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from ..ir.types import Type
from ..ops.exchanges import Array, Arrays, Met
from ..program import BoundOperation
from .launch import QueueKey

RoomKey = tuple[int, int, tuple[int, ...]]
"""Team, channel, and the processes of a group in the order of their numbers."""


@dataclass(frozen=True, slots=True)
class Post:
    """A process that has come to a rendezvous or a channel, and what it brings."""

    process: int
    bound: BoundOperation
    step: int
    tick: int
    values: Arrays
    awaited: tuple[int, ...]
    """The processes without whom it does not go on, itself among them, in the group's order."""
    ticket: int | None = None
    """By what it comes back for the outcome, if it does not wait."""


@dataclass(frozen=True, slots=True)
class Brought:
    """What those have brought who wait for each other, and the tick after the last has come."""

    values: tuple[Arrays, ...]
    tick: int
    shared: dict[str, Any] = field(default_factory=dict)
    """What has been made of it already."""

    def copy(self) -> Brought:
        """As it is now."""
        return replace(self, shared=dict(self.shared))


@dataclass
class Rendezvous:
    """One meeting of a group on a channel."""

    number: int
    """Which meeting of the run it is; messages of channels are counted with them."""
    room: RoomKey
    visit: int
    """How often the group has met there before."""
    group: tuple[int, ...]
    posts: dict[int, Post] = field(default_factory=dict)
    released: set[int] = field(default_factory=set)
    brought: dict[tuple[int, ...], Brought] = field(default_factory=dict)
    """What some have brought, by who they are."""
    partial: bool = False
    """Whether somebody does not wait for the whole group."""

    def add(self, post: Post) -> Iterator[Post]:
        """A process has come; gives those that can go on now."""
        self.posts[post.process] = post
        self.partial = self.partial or len(post.awaited) < len(self.group)
        everybody = len(self.posts) == len(self.group)
        if not self.partial and not everybody:
            return
        for number in post.awaited:
            found = self.posts.get(number)
            if found is None or number in self.released:
                continue
            if everybody or all(other in self.posts for other in found.awaited):
                self.released.add(number)
                yield found

    def outcome(self, post: Post) -> tuple[Met, int]:
        """What `post` gets, and the tick after the arrival of the last of those that it waits for."""
        found = self.brought.get(post.awaited)
        if found is None:
            posts = [self.posts[number] for number in post.awaited]
            found = Brought(tuple(each.values for each in posts), 1 + max(each.tick for each in posts))
            self.brought[post.awaited] = found
        return Met(found.values, post.awaited.index(post.process), found.shared), found.tick

    @property
    def channel(self) -> int:
        """The channel's id; 0 for none."""
        return self.room[1]

    @property
    def is_over(self) -> bool:
        """Whether all have come and gone."""
        return len(self.released) == len(self.group)

    def copy(self) -> Rendezvous:
        """As it is now."""
        brought = {awaited: found.copy() for awaited, found in self.brought.items()}
        return replace(self, posts=dict(self.posts), released=set(self.released), brought=brought)


@dataclass
class Room:
    """Where one group meets on one channel, again and again."""

    visits: dict[int, int] = field(default_factory=dict)
    """How often each process has come."""
    meetings: dict[int, Rendezvous] = field(default_factory=dict)
    """Those that are not over, by how often somebody had come before."""

    def copy(self) -> Room:
        """As it is now."""
        meetings = {round: found.copy() for round, found in self.meetings.items()}
        return Room(dict(self.visits), meetings)


ChannelKey = tuple[int, int, int | None, int | None]
"""Team, channel, and the processes at both ends, where the program names them."""


@dataclass(frozen=True)
class Message:
    """One transfer over a channel, as far as its ends have come."""

    number: int
    sent: Post | None = None
    wanted: Post | None = None


@dataclass(frozen=True)
class Line:
    """A channel between two processes: what waits at either end, and what went through it last."""

    waiting: tuple[Message, ...] = ()
    last: Message | None = None

    def place(self, *, sends: bool) -> int:
        """Which of the messages the next send, or receive, is of; it may be a new one."""
        ends = [found.sent if sends else found.wanted for found in self.waiting]
        return ends.index(None) if None in ends else len(ends)

    @property
    def doubled(self) -> tuple[Post, Post] | None:
        """Two sends, or two receives, that are or were pending at once."""
        messages = self.waiting if self.last is None else (self.last, *self.waiting)
        if len(messages) < 2:
            return None
        first, second = messages[:2]
        return _pending(first.sent, second.sent, first.wanted) or _pending(
            first.wanted, second.wanted, first.sent
        )


def _pending(first: Post | None, second: Post | None, taker: Post | None) -> tuple[Post, Post] | None:
    """Two at one end of a channel, if the second came before the first was taken."""
    if first is None or second is None:
        return None
    return (first, second) if taker is None or taker.tick > second.tick else None


@dataclass(frozen=True)
class HostQueue:
    """A channel of the host between the processes of a team: what nobody has received yet, and who waits."""

    sent: tuple[Message, ...] = ()
    wanted: tuple[Message, ...] = ()
    """Of those that wait. A number below 0 is none: which message one comes for is not known yet."""

    def item(self, reader: Post) -> Message | None:
        """The first that a reader can have: another's, or anybody's if it does not wait for it."""
        return next((each for each in self.sent if each.sent and _may_take(reader, each.sent.process)), None)

    def reader(self, sender: int) -> Message | None:
        """The first that can have what `sender` sends."""
        return next((each for each in self.wanted if each.wanted and _may_take(each.wanted, sender)), None)

    def without(self, message: Message) -> HostQueue:
        """Once it has gone through, or its reader has been served."""
        sent = tuple(found for found in self.sent if found is not message)
        return HostQueue(sent, tuple(found for found in self.wanted if found is not message))


def _may_take(reader: Post, sender: int) -> bool:
    return reader.ticket is not None or reader.process != sender


@dataclass(frozen=True)
class Ticket:
    """Something that was started and not yet waited for."""

    post: Post
    outcome: Met | Arrays | None = None
    """What has come: of a rendezvous, or of a channel."""
    tick: int = 0
    """When it came."""
    waiter: int | None = None
    """The process that waits for it now."""
    waiter_tick: int = 0


@dataclass
class Traffic:
    """All of it."""

    rooms: dict[RoomKey, Room] = field(default_factory=dict)
    lines: dict[ChannelKey, Line] = field(default_factory=dict)
    hosts: dict[tuple[int, int], HostQueue] = field(default_factory=dict)
    """Channels of the host that are queues of a team, by team and channel."""
    tickets: dict[int, Ticket] = field(default_factory=dict)
    ticket_count: int = 0
    placeholders: dict[int, tuple[Array, int]] = field(default_factory=dict)
    """Arrays that stand for what will come, by identity, and their tickets."""
    taken: dict[QueueKey, int] = field(default_factory=dict)
    """How many items have been taken out of each of the user's queues."""
    reserved: dict[int, tuple[QueueKey, int, tuple[Type, ...]]] = field(default_factory=dict)
    """Items that are not there yet, by the tickets of those who come back for them: queue, number and types."""
    meetings: int = 0
    """How many rendezvous and messages there have been."""

    def copy(self) -> Traffic:
        """As it is now."""
        rooms = {key: room.copy() for key, room in self.rooms.items()}
        return replace(
            self,
            rooms=rooms,
            lines=dict(self.lines),
            hosts=dict(self.hosts),
            tickets=dict(self.tickets),
            placeholders=dict(self.placeholders),
            taken=dict(self.taken),
            reserved=dict(self.reserved),
        )

    def next_number(self) -> int:
        """The number of a new meeting."""
        self.meetings += 1
        return self.meetings - 1

    def open_ticket(self, post: Post, placeholders: Arrays) -> Post:
        """`post` as one that comes back later, with any of `placeholders`."""
        number = self.ticket_count
        self.ticket_count += 1
        found = replace(post, ticket=number)
        self.tickets[number] = Ticket(found)
        for array in placeholders:
            self.placeholders[id(array)] = (array, number)
        return found

    def ticket_of(self, placeholder: Array) -> int | None:
        """The ticket that an array stands for."""
        array, number = self.placeholders.get(id(placeholder), (None, None))
        return number if array is placeholder else None

    def close_ticket(self, number: int) -> Ticket:
        """Takes the ticket, whose outcome somebody has come for."""
        self.placeholders = {
            identity: held for identity, held in self.placeholders.items() if held[1] != number
        }
        return self.tickets.pop(number)
