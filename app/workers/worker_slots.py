"""Which sessions may have a worker: so many at a time, the others in the order in which they came.

A place is taken before anything is started and given back when the worker has ended, so that there are never more
workers than places. A session has one place in the queue, however many of its requests wait.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable

from ..base.errors import over_limit
from ..processes.turn_times import TurnTimes
from ..wire.sessions import Turn

AWAY_SECONDS = 5.0
"""For how long a place in the queue is kept for somebody who is not there: a page may just be loaded again."""


class LeftQueue(Exception):
    """Nobody waits any more for what a session was in the queue for."""


class WorkerSlots:
    """Places for workers, and the queue of sessions that want one; used from one event loop."""

    def __init__(self, count: int, most_waiting: int, wanted: Callable[[], None]) -> None:
        self.count, self._most_waiting, self._wanted = max(1, count), most_waiting, wanted
        self._held: set[str] = set()
        self._queue: OrderedDict[str, asyncio.Future[None]] = OrderedDict()
        self._times = TurnTimes()
        self._seen: dict[str, float] = {}

    @property
    def full(self) -> bool:
        """Whether who comes now has to wait."""
        return len(self._held) >= self.count or bool(self._queue)

    @property
    def waiting(self) -> list[str]:
        """The sessions that wait, the next one first."""
        return list(self._queue)

    def holders(self) -> frozenset[str]:
        """The sessions that have a place."""
        return frozenset(self._held)

    def before(self, session: str) -> int | None:
        """How many are before a session in the queue; None if it does not wait."""
        return list(self._queue).index(session) if session in self._queue else None

    def turn(self, session: str) -> Turn | None:
        """The place of a session in the queue; None if it does not wait."""
        return self._turn(before) if (before := self.before(session)) is not None else None

    def turns(self) -> dict[str, Turn]:
        """The places of all that wait."""
        return {session: self._turn(before) for before, session in enumerate(self._queue)}

    def _turn(self, before: int) -> Turn:
        return {"before": before, "of": len(self._queue), "seconds": self._times.estimate(before)}

    def reserve(self, session: str) -> bool:
        """A place, if there is one now."""
        if session not in self._held and self.full:
            return False
        self._held.add(session)
        return True

    async def take(self, session: str) -> None:
        """A place, as soon as it is this session's turn; `Left` if its place in the queue is given up."""
        if self.reserve(session):
            return
        if session not in self._queue:
            self._join(session)
        turn = self._queue[session]
        try:
            # Who waits for another reason that ends does not end the place of the others.
            await asyncio.shield(turn)
        except asyncio.CancelledError:
            if turn.cancelled():
                raise LeftQueue from None
            raise

    def _join(self, session: str) -> None:
        if len(self._queue) >= self._most_waiting:
            raise over_limit(
                503, "max_waiting_sessions", self._most_waiting,
                "Too many sessions wait for a worker already; try again in a minute.",
            )  # fmt: skip
        if not self._queue:
            self._times.begin()
        self._queue[session] = asyncio.get_running_loop().create_future()
        self._seen[session] = time.monotonic()
        self._wanted()

    def release(self, session: str) -> None:
        """The session has no worker any more: it is the next one's turn."""
        self._held.discard(session)
        while self._queue and len(self._held) < self.count:
            following, turn = self._queue.popitem(last=False)
            self._seen.pop(following, None)
            self._held.add(following)
            self._times.count()
            turn.set_result(None)

    def leave(self, session: str) -> None:
        """Give up the session's place in the queue."""
        self._seen.pop(session, None)
        if (turn := self._queue.pop(session, None)) is not None:
            turn.cancel()

    def drop_absent(self, present: Callable[[str], bool]) -> None:
        """Removes sessions from the queue that have had no visitor for long."""
        now = time.monotonic()
        for session in self.waiting:
            if present(session):
                self._seen[session] = now
            elif now - self._seen[session] > AWAY_SECONDS:
                self.leave(session)
