"""Writes of a room to the store, immediate or deferred."""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any, cast

from ..base.errors import ApiError
from ..store.pending_writes import StoreThread
from ..wire.rooms import PastPoll, PollValue

LATER_SECONDS = 0.25
"""Delay of deferred writes."""
PAUSE_AFTER_FAILURE = 5.0
"""Seconds until a failed write is retried."""


class Displaced(Exception):
    """Another server has taken the room over, or it was deleted; writes fail."""


class KeptRoom:
    """Writer of one room, valid while the stored epoch is this server's.

    The store has one thread, so writes keep their order.
    """

    def __init__(
        self, thread: StoreThread, id_hash: str, epoch: int, fixed: dict[str, Any],
        now: Callable[[], tuple[int, dict[str, Any]]], displaced: Callable[[], None],
        failed: Callable[[ApiError], None],
    ) -> None:  # fmt: skip
        """`fixed`: constant fields; `now`: version and state; `displaced`, `failed`: called when a deferred write is refused or fails."""
        self._thread, self._store = thread, thread.store.rooms
        self._id, self._epoch, self._fixed = id_hash, epoch, fixed
        self._now, self._displaced, self._failed = now, displaced, failed
        self._writing = asyncio.Lock()
        """Held until the room has adopted the written state: a deferred write of the old one would undo it."""
        self._later: asyncio.Task[None] | None = None
        self._is_stale = False
        self._said: dict[str, dict[str, Any]] = {}
        """Unwritten states of members, by their hashes."""

    async def write(self, version: int, state: dict[str, Any]) -> None:
        """Write this state immediately; raises `ApiError` or `Displaced`."""
        async with self._writing:
            await self._write(version, state)

    def write_later(self) -> None:
        """Schedule a write of the state."""
        self._is_stale = True
        if self._later is None or self._later.done():
            self._later = asyncio.create_task(self._write_soon())

    def note_said(self, member: str, said: dict[str, Any]) -> None:
        """Schedule a write of a member's state."""
        self._said[member] = said
        self.write_later()

    async def close(self) -> None:
        """Write everything pending."""
        if self._later is not None and not self._later.done():
            self._later.cancel()
            self._is_stale = True  # its write may have begun, and is cancelled with it
        if self._is_stale:
            with contextlib.suppress(ApiError, Displaced):
                await self._write_now()

    async def _write_soon(self) -> None:
        pause = LATER_SECONDS
        while self._is_stale:
            await asyncio.sleep(pause)
            self._is_stale = False
            try:
                await self._write_now()
                pause = LATER_SECONDS
            except ApiError as error:  # logged, and retried
                self._is_stale, pause = True, PAUSE_AFTER_FAILURE
                self._failed(error)
            except Displaced:
                self._displaced()
                return

    async def _write_now(self) -> None:
        async with self._writing:
            await self._write(*self._now())

    async def _write(self, version: int, state: dict[str, Any]) -> None:
        said, whole = dict(self._said), {**state, **self._fixed}
        if not await self._thread.call(self._store.write, self._id, self._epoch, version, whole, said):
            raise Displaced
        self._said = {member: words for member, words in self._said.items() if said.get(member) is not words}

    # Members and answers.

    async def add_member(self, member: str, number: int, said: dict[str, Any]) -> None:
        """Store a new member."""
        await self._thread.call(self._store.add_member, self._id, member, number, said)

    async def forget_members(self, members: list[str]) -> None:
        """Delete members with their answers."""
        await self._thread.call(self._store.forget_members, self._id, members)

    async def forget_answers(self, members: list[str]) -> None:
        """Delete the answers of members."""
        await self._thread.call(self._store.forget_answers, self._id, members)

    async def answer(self, poll: str, member: str, value: PollValue) -> None:
        """Store an answer; it is on disk when this returns."""
        await self._thread.call(self._store.answer, self._id, poll, member, value)

    async def answers(self, poll: str) -> dict[str, Any]:
        """All stored answers to a poll."""
        return await self._thread.call(self._store.answers, self._id, poll)

    async def forget_other_answers(self, poll: str | None) -> None:
        """Delete the answers to all other polls."""
        await self._thread.call(self._store.forget_other_answers, self._id, poll)

    # The history of polls.

    async def keep_poll(self, past: PastPoll) -> None:
        """Store a poll of the history."""
        store, poll = self._store, past["poll"]["id"]
        await self._thread.call(store.keep_poll, self._id, poll, past["number"], past)

    async def forget_poll(self, poll: str) -> None:
        """Delete a discarded poll."""
        await self._thread.call(self._store.forget_poll, self._id, poll)

    async def polls(self) -> list[PastPoll]:
        """The history, without damaged polls."""
        kept = await self._thread.call(self._store.polls, self._id)
        keys = PastPoll.__required_keys__
        return [cast(PastPoll, poll) for poll in kept if isinstance(poll, dict) and poll.keys() == keys]

    async def see_teacher(self) -> None:
        """Record the teacher's presence, which keeps the code valid."""
        with contextlib.suppress(ApiError):
            await self._thread.call(self._store.see_teacher, self._id)
