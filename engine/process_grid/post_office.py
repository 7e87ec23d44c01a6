"""Answers what ops ask of other processes: rendezvous, channels, and what was started before and is waited for now."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from ..errors import ProgramError
from ..frames import Pending
from ..ops.collective_rules import Meeting
from ..ops.exchanges import Arrays, Arrived, Await, Meet, Met, Peers, Place, Receive, Route, Send
from ..ops.point_to_point import PointToPoint
from ..refusals import blamed
from .events import MESSAGE, Arrival, GridListener, Team
from .story import Teller, differing, doubled
from .traffic import Line, Message, Post, Rendezvous, Room, RoomKey, Traffic


@dataclass(frozen=True)
class Caller:
    """A process that asks for something, and when."""

    number: int
    team: Team
    tick: int
    pending: Pending

    @property
    def name(self) -> str:
        """What its op is called, without the dialect."""
        return self.pending.bound.operation.name.rpartition(".")[2]


_MOST_KNOWN = 10_000
Numbers = tuple[int, ...]
"""Processes by their numbers."""
Release = Callable[[int, Any, int], None]
"""Hands a process its answer, and says at which tick it goes on."""


class PostOffice:
    """Keeps what is under way, and releases those that have got what they wait for."""

    def __init__(self, teller: Teller, listener: GridListener, release: Release) -> None:
        self.traffic = Traffic()
        self._teller = teller
        self._listener = listener
        self._release = release
        self._known: dict[tuple[int, int], tuple[Peers, Numbers, Numbers, Numbers]] = {}

    # Rendezvous

    def meet(self, caller: Caller, request: Meet) -> None:
        """A process has come to a collective op."""
        op, team = caller.pending.bound.op, caller.team
        assert isinstance(op, Meeting)
        peers = op.peers(_place(caller))
        if peers is None:
            self._release(caller.number, None, caller.tick + 1)
            return
        group, awaited, members = self._numbers(team, peers)
        bound, step = caller.pending.bound, caller.pending.step
        post = Post(caller.number, bound, step, caller.tick, request.values, awaited)
        found = self._rendezvous((team.number, op.channel, members), caller.number, group)
        self._tell(caller, found.number, op.channel, group, awaited)
        first = next(iter(found.posts.values()), None)
        wrong = _mismatch(first, post, found.group, group) if first else None
        if first and wrong:
            raise differing(self._teller, first, post, op.channel, wrong)
        # Who waits for nobody has what comes out at once, also of what is only started.
        placeholders = request.placeholders if len(awaited) > 1 else ()
        self._come(found, self.started(post, placeholders))

    def _numbers(self, team: Team, peers: Peers) -> tuple[Numbers, Numbers, Numbers]:
        """Group, awaited processes, and the group in the order of its numbers; its members mostly share `peers`."""
        key = (team.number, id(peers))
        if key not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            group = tuple(map(team.number_of, peers.group))
            same = peers.awaited == peers.group
            awaited = group if same else tuple(map(team.number_of, peers.awaited))
            self._known[key] = (peers, group, awaited, tuple(sorted(group)))
        return self._known[key][1:]

    def _rendezvous(self, key: RoomKey, process: int, group: Numbers) -> Rendezvous:
        room = self.traffic.rooms.setdefault(key, Room())
        visit = room.visits.get(process, 0)
        room.visits[process] = visit + 1
        if visit not in room.meetings:
            room.meetings[visit] = Rendezvous(self.traffic.next_number(), key, visit, group)
        return room.meetings[visit]

    def started(self, post: Post, placeholders: Arrays) -> Post:
        """The post; where its process does not wait, it goes on at once and can come back."""
        if not placeholders:
            return post
        self._release(post.process, (), post.tick + 1)
        return self.traffic.open_ticket(post, placeholders)

    def _come(self, meeting: Rendezvous, post: Post) -> None:
        for each in meeting.add(post):
            self.bring(meeting.number, each, *meeting.outcome(each))
        if meeting.is_over:
            del self.traffic.rooms[meeting.room].meetings[meeting.visit]

    def bring(self, meeting: int, post: Post, outcome: Met | Arrays, tick: int) -> None:
        """What a post was for is there."""
        self._listener.released(meeting, post.process, tick)
        if post.ticket is None:
            self._release(post.process, outcome, tick)
            return
        ticket = replace(self.traffic.tickets[post.ticket], outcome=outcome, tick=tick)
        self.traffic.tickets[post.ticket] = ticket
        if ticket.waiter is not None:
            self._hand_over(post.ticket, ticket.waiter, ticket.waiter_tick)

    # What was started

    def collect(self, caller: Caller, request: Await) -> None:
        """A process comes back for what it has started."""
        number = self.traffic.ticket_of(request.placeholder)
        if number is None:
            self._release(caller.number, Arrived(None), caller.tick + 1)
            return
        ticket = replace(self.traffic.tickets[number], waiter=caller.number, waiter_tick=caller.tick)
        self.traffic.tickets[number] = ticket
        if ticket.outcome is not None:
            self._hand_over(number, caller.number, caller.tick)

    def _hand_over(self, number: int, process: int, tick: int) -> None:
        ticket = self.traffic.close_ticket(number)
        outcome, bound = ticket.outcome, ticket.post.bound
        if isinstance(outcome, Met):
            assert isinstance(bound.op, Meeting)
            try:
                outcome = bound.op.outputs(outcome)
            except ProgramError as error:
                raise blamed(error, bound) from None
        self._release(process, Arrived(outcome), max(tick + 1, ticket.tick))

    # Channels

    def settle(self, caller: Caller, placeholders: Arrays, outcome: Arrays | None) -> int | None:
        """What a process asks for is there at once, a queue has it or takes it; `None` if it is not there yet.

        Gives the ticket of what the process comes back for.
        """
        if not placeholders:
            self._release(caller.number, outcome, caller.tick + 1)
            return None
        bound, step = caller.pending.bound, caller.pending.step
        post = Post(caller.number, bound, step, caller.tick, (), (caller.number,))
        ticket = self.started(post, placeholders).ticket
        assert ticket is not None
        if outcome is not None:
            self.fill(ticket, outcome, caller.tick + 1)
        return ticket

    def fill(self, ticket: int, outcome: Arrays, tick: int) -> None:
        """What somebody comes back for is there."""
        found = self.traffic.tickets[ticket]
        self.traffic.tickets[ticket] = replace(found, outcome=outcome, tick=tick)

    def transfer(self, caller: Caller, request: Send | Receive, route: Route) -> None:
        """A process sends or receives over a channel."""
        team = caller.team
        ends = tuple(None if end is None else team.number_of(end) for end in (route.source, route.target))
        is_send = isinstance(request, Send)
        key = (team.number, route.channel, *_named(ends, caller.number))
        line = self.traffic.lines.get(key, Line())
        place = line.place(sends=is_send)
        new = place == len(line.waiting)
        message = Message(self.traffic.next_number()) if new else line.waiting[place]
        values = request.values if isinstance(request, Send) else ()
        bound, step = caller.pending.bound, caller.pending.step
        awaited = tuple(end for end in ends if end is not None)
        post = Post(caller.number, bound, step, caller.tick, values, awaited)
        self._tell(caller, message.number, route.channel, awaited, awaited, MESSAGE)
        post = self.started(post, request.placeholders)
        message = replace(message, sent=post) if is_send else replace(message, wanted=post)
        line = replace(line, waiting=(*line.waiting[:place], message, *line.waiting[place + 1 :]))
        self.traffic.lines[key] = self._delivered(line, route.channel)

    def _delivered(self, line: Line, channel: int) -> Line:
        """The channel once its first message is through, if both of its ends have come."""
        message = line.waiting[0]
        sent, wanted = message.sent, message.wanted
        if sent is None or wanted is None:
            return line
        if line.last and (both := line.doubled):
            raise doubled(self._teller, *both, channel, sends=both[1] is sent)
        sender, receiver = sent.bound.op, wanted.bound.op
        assert isinstance(sender, PointToPoint)
        assert isinstance(receiver, PointToPoint)
        if wrong := sender.mismatch(receiver):
            raise differing(self._teller, sent, wanted, channel, wrong)
        tick = 1 + max(sent.tick, wanted.tick)
        self.bring(message.number, sent, (), tick)
        self.bring(message.number, wanted, sent.values, tick)
        return Line(line.waiting[1:], replace(message, sent=replace(sent, values=())))

    def _tell(
        self,
        caller: Caller,
        meeting: int,
        channel: int,
        group: tuple[int, ...],
        awaited: tuple[int, ...],
        kind: str = "",
    ) -> None:
        pending = caller.pending
        arrival = Arrival(
            *(meeting, kind or caller.name, pending.bound.id, caller.team.number, channel, group, awaited),
            *(caller.number, pending.step, caller.tick),
        )
        self._listener.arrived(arrival)


def _place(caller: Caller) -> Place:
    return Place(caller.team.process_of(caller.number), caller.team.grid)


def _named(ends: tuple[int | None, ...], caller: int) -> tuple[int | None, int | None]:
    """The ends of a channel as both sides know them: without pairs neither knows the other."""
    source, target = ends
    return (None, None) if source is None or target is None else (source, target)


def _mismatch(first: Post, second: Post, group: tuple[int, ...], other: tuple[int, ...]) -> str | None:
    """What differs between what two processes have come for."""
    one, two = first.bound.op, second.bound.op
    assert isinstance(one, Meeting)
    assert isinstance(two, Meeting)
    if one is not two and (wrong := one.mismatch(two)):
        return wrong
    if group != other:
        return f"the order of the group is {list(group)} here and {list(other)} there"
    return None
