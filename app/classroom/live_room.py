"""A room in use: the only writer of its state, which also notifies all listeners.

Changes of polls, the chalk and settings are stored before listeners are notified; the position of the class is stored
later. A snapshot is serialized once for all listeners, at most twenty times a second.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Any

from ..base.errors import ApiError, over_limit
from ..base.recent import Recent
from ..present.typed_answers import NumberKind
from ..store.rooms import MOST_POLLS
from ..wire import room_messages as said
from ..wire import rooms as wire
from . import state
from .door import Door, dispensable, yielding
from .kept_room import KeptRoom
from .members import Member, class_of
from .outbox import Listener, as_text
from .polls import is_right, read_answer, results, words_of_answer
from .state import Actor, RoomData

FAN_OUT_SECONDS = 0.05
"""Minimum interval between snapshots."""
TICK_SECONDS = 0.5
"""Interval of updates for the teacher."""
COUNT_SECONDS = 1.0
"""Minimum interval between notifications of the number of members."""
SEEN_SECONDS = 600.0
"""Interval between writes of the teacher's presence."""
IDLE_SECONDS = 60.0
"""Time for which an empty room stays in memory."""


class LiveRoom:
    """A room in use. Times are those of the loop's clock."""

    def __init__(
        self, title: str, session: str, lesson: str | None, code: str, data: RoomData, version: int,
        records: wire.RecordsKind = "none",
    ) -> None:  # fmt: skip
        self.title, self.session, self.lesson, self.code = title, session, lesson, code
        self.records = records
        self.language: str | None = None
        """The language of the lesson for members who choose none; None: the lesson's own."""
        self.data, self.version = data, version
        self.members: dict[str, Member] = {}
        self.names: dict[str, str] = {}
        """Members' hashes, by name."""
        self.answers: dict[str, wire.PollValue] = {}
        self.history: dict[str, wire.PastPoll] = {}
        """All polls of the room, by id."""
        self.listeners: set[Listener] = set()
        self.door = Door(Recent(self._now))
        self.kept: KeptRoom
        self.ended: ApiError | None = None
        self._lock = asyncio.Lock()
        self._pointer: tuple[str, Listener] | None = None
        """The unsent pointer message, and the listener that sent it."""
        self._is_stale = False
        """Whether a snapshot must be sent."""
        self._sending: asyncio.TimerHandle | None = None
        self._sent = float("-inf")
        self._counts, self._counted = (0, 0), float("-inf")
        self._last_sent = {"class": "", "results": ""}
        self._ticking: asyncio.Task[None] | None = None
        self._empty_since = self._now()
        self._teacher_seen = float("-inf")

    # Members and listeners.

    def add_member(self, member: Member) -> None:
        """Add a member, new or restored."""
        self.members[member.hash], self.names[member.name] = member, member.hash

    async def admit(self, hash: str, network: str, most: int, name_of: Callable[[int], str]) -> Member:
        """Add a member; a full room, of `most` members, drops those who have left. `ApiError` 429 if it is still full."""
        now, members = self._now(), self.members.values()
        has_polled = self.data.poll is not None or bool(self.history)
        is_counted = self.door.admit(members, network, now, has_polled=has_polled)
        if len(members) >= most:
            await self._forget(dispensable(members, [*self.answers, self.data.chalk or ""], now))
        if len(members) >= most:
            raise ApiError(429, "members", f"This room has {most:,} members, and needs all of them.")
        number = max((member.number for member in members), default=0) + 1
        member = Member(
            hash, number, name_of(number), now, joined=now, network=network, is_counted=is_counted
        )
        self.add_member(member)
        await self.kept.add_member(hash, number, member.kept())
        return member

    async def _forget(self, members: list[Member]) -> None:
        for member in members:
            del self.members[member.hash], self.names[member.name]
            self.answers.pop(member.hash, None)
        await self.kept.forget_members([member.hash for member in members])

    def take_place(self, listener: Listener, most: int) -> None:
        """Make room for a connection by closing one; `ApiError` 429 if the room has `most` and none yields to it."""
        present = [listener for listener in self.listeners if listener.outbox.closed is None]
        if len(present) < most:
            return
        last = yielding(present, listener)
        if last is None:
            raise over_limit(429, "max_room_members", most, "The room is full.")
        last.outbox.close(ApiError(429, "full", "The room is full, and somebody else has taken this place."))

    def join(self, listener: Listener) -> wire.RoomWelcomeMessage:
        """Add a listener; returns its welcome message."""
        self.listeners.add(listener)
        if listener.member is not None:
            listener.member.connections += 1
            listener.member.network = listener.network
            listener.member.heard = self._now()
        if self._ticking is None or self._ticking.done():
            self._ticking = asyncio.create_task(self._tick())
        if self._now() - self._counted >= COUNT_SECONDS:
            self._count(self._now())
        self._welcome_with_results(listener)
        listener.version = self.version
        return {
            "type": "welcome",
            "you": self._self_of(listener),
            "room": self.state(),
            "version": self.version,
        }

    def leave(self, listener: Listener) -> None:
        """Remove a listener."""
        self.listeners.discard(listener)
        if listener.member is not None:
            listener.member.connections -= 1
        self._empty_since = self._now()

    def is_idle(self) -> bool:
        """Whether the room has been empty for longer than the timeout."""
        return not self.listeners and self._now() - self._empty_since > IDLE_SECONDS

    def _self_of(self, listener: Listener) -> Any:
        member = listener.member
        answer = self.answers.get(member.hash) if member else None
        poll = self.data.poll
        return {
            "name": listener.name,
            "role": listener.actor.role,
            "member": listener.secret,
            "hand": member.hand if member else False,
            "lost": member.lost if member else False,
            "answer": {"poll": poll["id"], "value": answer} if poll and answer is not None else None,
        }

    def _welcome_with_results(self, listener: Listener) -> None:
        if self.data.poll is not None and (self.data.poll["revealed"] or listener.actor.role == "owner"):
            listener.outbox.put("results", self._results())

    # Messages.

    async def handle(self, listener: Listener, message: said.Message) -> None:
        """Handle a message; `ApiError` on refusal, `Displaced` if another server has the room."""
        actor = listener.actor
        if listener.member is not None:
            listener.member.heard = self._now()
        match message:
            case said.Ping():
                pass
            case said.Lead():
                await self._lead(actor, message)
            case said.Point():
                state.check_leads(self.data, actor)
                text = as_text({"type": "pointer", "at": _plain(message.at), "by": listener.name})
                self._pointer = text, listener
                self._send_soon()
            case said.Hand(member=str()):
                state.check_teacher(actor)
                self._lower_hand(message)
            case said.Where() | said.Hand() | said.Lost() | said.Progress():
                member = self.members[state.check_member(actor)]
                member.acted = self._now()
                if isinstance(message, said.Where):
                    member.records.arrive(message.lesson_step, self._now())
                if member.take(message):
                    self.kept.note_said(member.hash, member.kept())
            case said.CountAll():
                state.check_teacher(actor)
                for member in self.members.values():
                    if not member.is_counted:
                        member.is_counted = True
                        self.kept.note_said(member.hash, member.kept())
            case said.GiveAnswer():
                await self._answer(listener, message)
            case said.ClosePoll() | said.DiscardPoll() | said.Chalk() | said.SetRoom():
                poll = self.data.poll
                await self._change(lambda: state.change(self.data, actor, message, self.names))
                if isinstance(message, said.ClosePoll):
                    await self._read_answers()
                    await self._keep_poll()
                if isinstance(message, said.DiscardPoll):
                    await self._forget_poll(poll)
            case said.OpenPoll() | said.RevealPoll():
                raise TypeError("polls are opened and revealed by `Rooms`, which can read the recording")

    async def _lead(self, actor: Actor, message: said.Lead) -> None:
        async with self._lock:
            self._set(state.lead(self.data, actor, message))
        self.kept.write_later()

    async def _change(self, changed: Callable[[], RoomData]) -> None:
        """Store a change, then notify all listeners."""
        async with self._lock:
            data = changed()
            await self.kept.write(self.version + 1, state.to_json(data))
            self._set(data)

    def _set(self, data: RoomData) -> None:
        # Counting members may have made a version during the write, and clients ignore a version that they already have.
        self.data, self.version = data, self.version + 1
        self._is_stale = True
        self._send_soon()

    def _lower_hand(self, message: said.Hand) -> None:
        member = self.members.get(self.names.get(message.member or "", ""))
        if member is None:
            raise state.no_member(message.member or "")
        if member.take(message):
            self.kept.note_said(member.hash, member.kept())
            for listener in self.listeners:
                if listener.member is member:
                    listener.outbox.put("hand", as_text({"type": "hand", "up": member.hand}))

    # Polls.

    async def open_poll(
        self, actor: Actor, poll: wire.RoomPoll, shape: list[int] | None, kind: NumberKind | None = None
    ) -> None:
        """Open a poll with a recorded target; `shape` of the value and `kind` of the element."""
        await self._change(lambda: state.open_poll(self.data, actor, poll, shape, kind))
        self.answers = {}
        await self._keep_poll()  # first: the history has it before anybody hears of it
        await self.kept.forget_other_answers(poll["id"])

    async def close_to_reveal(self, actor: Actor) -> wire.RoomPoll:
        """Close the poll and read all its answers; returns the poll."""
        state.check_teacher(actor)
        poll = state.current_poll(self.data)
        if poll["revealed"]:
            raise ApiError(409, "poll_revealed", "This poll is already revealed.")
        if poll["open"]:
            closing = said.ClosePoll(type="close_poll")
            await self._change(lambda: state.change(self.data, actor, closing, self.names))
        await self._read_answers()
        # Revealed results never change, even if more members are counted later.
        uncounted = self.answers.keys() - self.counted_answers().keys()
        self.answers = self.counted_answers()
        await self.kept.forget_answers(list(uncounted))
        return poll

    async def reveal(self, actor: Actor, poll: str, truth: wire.PollTruth | None) -> None:
        """Send the answers and the truth to all listeners."""
        await self._change(lambda: state.reveal_poll(self.data, actor, poll, truth, self._class_size()))
        if truth is not None:
            self._judge_answers(truth)
        await self._keep_poll()
        text = self._results()
        for listener in self.listeners:
            listener.outbox.put("results", text)

    async def _answer(self, listener: Listener, message: said.GiveAnswer) -> None:
        member = state.check_member(listener.actor)
        poll = state.current_poll(self.data, open=True)
        if poll["id"] != message.poll:
            raise ApiError(409, "poll_over", "That poll has ended.")
        value = read_answer(poll, message.value, self.data.shape, self.data.number_kind)
        await self.kept.answer(poll["id"], member, value)
        if (
            self.data.poll is not None
            and self.data.poll["id"] == poll["id"]
            and not self.data.poll["revealed"]
        ):
            self.answers[member] = value
        self.note_answer(member, self._question(poll), words_of_answer(poll, value), None)
        answered = as_text({"type": "answered", "poll": poll["id"], "value": value})
        listener.outbox.put(f"answered {poll['id']}", answered)

    async def _read_answers(self) -> None:
        """Reload the answers from the store, because one may have been written at the close."""
        poll = self.data.poll
        self.answers = {} if poll is None else await self.kept.answers(poll["id"])

    def counted_answers(self) -> dict[str, wire.PollValue]:
        """The answers of members who are counted, by their hashes."""
        return {
            hash: value
            for hash, value in self.answers.items()
            if (member := self.members.get(hash)) is None or member.is_counted
        }

    def _results(self) -> str:
        poll = self.data.poll
        assert poll is not None
        return as_text(self._results_of(poll))

    def _results_of(self, poll: wire.RoomPoll) -> wire.PollResultsMessage:
        members = self.data.class_size if poll["revealed"] else self._class_size()
        return results(poll, self.counted_answers(), self.data.truth, members, self.data.number_kind)

    # Records.

    async def _keep_poll(self) -> None:
        """Store the current poll in the history, with its results once it is closed."""
        poll = self.data.poll
        if poll is None:
            return
        number = max((past["number"] for past in self.history.values()), default=0) + 1
        known = self.history.get(poll["id"])
        past: wire.PastPoll = {
            "number": known["number"] if known else number,
            "opened": known["opened"] if known else time.time(),
            "members": self.data.class_size if poll["revealed"] else self._class_size(),
            "poll": poll,
            "results": None if poll["open"] else self._results_of(poll),
        }
        self.history[poll["id"]] = past
        while len(self.history) > MOST_POLLS:
            del self.history[next(iter(self.history))]
        await self.kept.keep_poll(past)

    async def _forget_poll(self, poll: wire.RoomPoll | None) -> None:
        """Delete the answers to a poll that is over, and a discarded poll; one whose results were shown stays in the history."""
        discarded = None if poll is None or poll["revealed"] else poll
        if discarded is not None:
            for member in self.members.values():
                member.records.forget(self._question(discarded))
                self.kept.note_said(member.hash, member.kept())
            self.history.pop(discarded["id"], None)
        await self._read_answers()
        await self.kept.forget_other_answers(None)
        if discarded is not None:
            await self.kept.forget_poll(discarded["id"])

    def _question(self, poll: wire.RoomPoll) -> str:
        """The name of a poll's question in the members' records."""
        known = self.history.get(poll["id"])
        return poll["lesson_ask"] or f"poll {known['number'] if known else ''}".strip()

    def note_answer(self, hash: str, question: str, answer: str | None, right: bool | None) -> None:
        """Record a member's answer, in a room with records; see `MemberRecords.note`."""
        member = self.members.get(hash)
        if self.records != "none" and member is not None:
            member.records.note(question, answer, right, self._now(), time.time())
            self.kept.note_said(hash, member.kept())

    def _judge_answers(self, truth: wire.PollTruth) -> None:
        poll = self.data.poll
        if self.records == "none" or poll is None:
            return
        for hash, value in self.answers.items():
            if (member := self.members.get(hash)) is not None:
                member.records.judge(self._question(poll), is_right(value, truth))
                self.kept.note_said(hash, member.kept())

    def warn_teacher(self, error: ApiError) -> None:
        """Tell the teacher that the answers of the class could not be stored."""
        sentence = "What the class does is not being saved; the server tries again every few seconds."
        cause = " ".join(filter(None, (error.message, error.hint)))
        warning = ApiError(error.status, "unsaved", f"{sentence} {cause}", parts=[cause])
        for listener in self.listeners:
            if listener.actor.role == "owner":
                listener.outbox.put_error(warning)

    def _class_size(self) -> int:
        return sum(member.is_counted and not member.is_gone(self._now()) for member in self.members.values())

    # Notifications.

    def as_kept(self) -> tuple[int, dict[str, Any]]:
        """The version and the stored form of the state."""
        return self.version, state.to_json(self.data)

    def state(self) -> wire.RoomState:
        """The public state of the room."""
        members, following = self._counts
        chalk = self.members.get(self.data.chalk or "")
        return {
            "code": self.code,
            "title": self.title,
            "session": self.session,
            "lesson": self.lesson,
            "position": self.data.position,
            "lesson_step": self.data.lesson_step,
            "chalk": chalk.name if chalk else None,
            "records": self.records,
            "locked": self.data.locked,
            "paused": self.data.paused,
            "members": members,
            "following": following,
            "poll": self.data.poll,
        }

    def _send_soon(self) -> None:
        """Schedule the next snapshot."""
        if self._sending is None:
            delay = max(0.0, self._sent + FAN_OUT_SECONDS - self._now())
            self._sending = asyncio.get_running_loop().call_later(delay, self._send)

    def _send(self) -> None:
        self._sending, self._sent = None, self._now()
        if self._is_stale:
            self._is_stale = False
            text = as_text({"type": "room", "room": self.state(), "version": self.version})
            for listener in self.listeners:
                if listener.version < self.version:
                    listener.outbox.put("room", text)
        if self._pointer is not None:
            (text, leader), self._pointer = self._pointer, None
            for listener in self.listeners:
                if listener is not leader:
                    listener.outbox.put("pointer", text)

    async def _tick(self) -> None:
        """Send class updates to the teacher and member counts to all, while anyone listens."""
        while self.listeners:
            await asyncio.sleep(TICK_SECONDS)
            now = self._now()
            if now - self._counted >= COUNT_SECONDS:
                self._count(now)
            owners = [listener for listener in self.listeners if listener.actor.role == "owner"]
            if owners:
                self._notify_teacher(owners)
                await self._note_teacher(now)

    def _notify_teacher(self, owners: list[Listener]) -> None:
        poll = self.data.poll
        texts = {
            "class": as_text(self._class()),
            "results": self._results() if poll and not poll["revealed"] else "",
        }
        for about, text in texts.items():
            if text and text != self._last_sent[about]:
                for listener in owners:
                    listener.outbox.put(about, text)
        self._last_sent = texts

    async def _note_teacher(self, now: float) -> None:
        if now - self._teacher_seen > SEEN_SECONDS:
            self._teacher_seen = now
            await self.kept.see_teacher()

    def _count(self, now: float) -> None:
        """Count the present members; a change makes a new version, which is not stored."""
        here = [member for member in self.members.values() if member.is_counted and member.is_here(now)]
        counts = len(here), sum(member.following for member in here)
        if counts != self._counts:
            self._counts, self._counted = counts, now
            self._set(self.data)

    def _class(self) -> wire.ClassMessage:
        return class_of(self.members.values(), self._now())

    def send_class(self, listener: Listener) -> None:
        """Send the view of the class to a newly connected teacher."""
        if listener.actor.role == "owner":
            listener.outbox.put("class", as_text(self._class()))

    # The end.

    async def close(self, reason: ApiError, *, ended: bool = False) -> None:
        """Close all connections and store pending changes."""
        self.ended = reason
        for listener in self.listeners:
            if ended:
                listener.outbox.put("ended", as_text({"type": "ended"}))
            listener.outbox.close(reason)
        if self._ticking is not None:
            self._ticking.cancel()
        if self._sending is not None:
            self._sending.cancel()
        if not ended:
            await self.kept.close()

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()


def _plain(at: said.PointerPlace | None) -> dict[str, Any] | None:
    return None if at is None else at.model_dump(exclude_none=True)
