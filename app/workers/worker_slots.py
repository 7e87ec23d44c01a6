"""Slots for workers: a limited number of sessions has one, the others wait in a queue.

A slot is taken before the worker starts and released after it has ended, so there are never more workers than slots. A
session has one position in the queue, however many of its requests wait. It counts for the principal that made it wait
or take a slot, and slots are shared fairly between principals.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable

from ..base.errors import ApiError, over_limit
from ..base.fair_shares import FairQueue, Full, Principal, Shares, current_principal
from ..wire.sessions import Turn

AWAY_SECONDS = 5.0
"""Time for which an absent page keeps its position in the queue: it may be reloading."""
MOST_TURNS = 16
"""Maximum number of turns that an estimate of waiting times uses."""
OLD_SECONDS = 600.0
"""Maximum age of a turn that the estimate uses: later the programs are different ones."""


class LeftQueue(Exception):
    """The session has left the queue because no client waits for it."""


class WorkerSlots:
    """Worker slots and the queue of sessions for them; used from one event loop."""

    def __init__(self, count: int, most_waiting: int, wanted: Callable[[], None], follows: str = "") -> None:
        """`follows`: what decides the number of slots, at most `count`, as the subject of a sentence; empty: the setting."""
        self.follows = follows
        self.most, self._most_waiting, self._wanted = max(1, count), most_waiting, wanted
        self.count = self.most
        """The slots that there are: fewer than `most` where memory or other machines have no room for more."""
        self._held = Shares[str](self.count)
        self._queue = FairQueue[str](self._held, most_waiting)
        self._turns: dict[str, asyncio.Future[None]] = {}
        self._times = TurnTimes()
        self._seen: dict[str, float] = {}

    @property
    def full(self) -> bool:
        """Whether a new session would have to wait."""
        return len(self._held) >= self.count or bool(self._queue)

    @property
    def waiting(self) -> list[str]:
        """The queued sessions, the next one first."""
        return self._queue.order()

    def holders(self) -> frozenset[str]:
        """The sessions that have a slot."""
        return frozenset(self._held)

    def principal(self, session: str) -> Principal:
        """Whom the slot of a session counts for; without a slot, whom the running task acts for."""
        return self._held.principal(session) if session in self._held else current_principal()

    def in_excess(self) -> list[str]:
        """The sessions of principals with too many slots beside the next one in the queue; strangers displace only strangers."""
        if not self._queue:
            return []
        waits = self._queue.principal(self.waiting[0])
        return [
            session
            for session in self._held.in_excess(waits)
            if waits.is_trusted or not self._held.principal(session).is_trusted
        ]

    def yields(self, session: str) -> bool:
        """Whether the holder of a slot has more of them than the next one in the queue, or is the same principal."""
        if not self._queue or session not in self._held:
            return True
        waits, holds = self._queue.principal(self.waiting[0]), self._held.principal(session)
        level = 0 if waits.group != holds.group else 1
        return waits == holds or self._held.counts(holds)[level] > self._held.counts(waits)[level]

    def before(self, session: str) -> int | None:
        """The number of sessions before this one in the queue; None if it is not queued."""
        return self.waiting.index(session) if session in self._queue else None

    def turn(self, session: str) -> Turn | None:
        """The queue position of a session; None if it is not queued."""
        return self._turn(before) if (before := self.before(session)) is not None else None

    def turns(self) -> dict[str, Turn]:
        """The queue positions of all queued sessions."""
        return {session: self._turn(before) for before, session in enumerate(self.waiting)}

    def _turn(self, before: int) -> Turn:
        return {"before": before, "of": len(self._queue), "seconds": self._times.estimate(before)}

    def reserve(self, session: str) -> bool:
        """Take a slot if one is free; returns whether the session has one."""
        if session not in self._held and self.full:
            return False
        self._held.add(session, current_principal())
        return True

    async def take(self, session: str) -> None:
        """Take a slot, after waiting in the queue; `LeftQueue` if the session is dropped from it."""
        if self.reserve(session):
            return
        if session not in self._queue:
            self._join(session)
        turn = self._turns[session]
        try:
            # A cancelled caller must not cancel the position that other callers share.
            await asyncio.shield(turn)
        except asyncio.CancelledError:
            if turn.cancelled():
                raise LeftQueue from None
            raise

    def _join(self, session: str) -> None:
        was_empty = not self._queue
        try:
            late = self._queue.join(session, current_principal())
        except Full:
            raise self._too_many() from None
        if late is not None:
            self._seen.pop(late, None)
            self._turns.pop(late).set_exception(self._too_many())
        if was_empty:
            self._times.begin()
        self._turns[session] = asyncio.get_running_loop().create_future()
        self._seen[session] = time.monotonic()
        self._wanted()

    def _too_many(self) -> ApiError:
        return over_limit(
            503, "max_waiting", self._most_waiting,
            "Too many sessions wait for a worker already; try again in a minute.",
        )  # fmt: skip

    def release(self, session: str) -> None:
        """Release the slot of a session; the next session in the queue gets it."""
        self._held.remove(session)
        self._serve_waiting()

    def resize(self, count: int) -> None:
        """Have `count` slots, at most `most`; sessions that hold more keep them."""
        self.count = min(count, self.most)
        self._serve_waiting()

    def _serve_waiting(self) -> None:
        while self._queue and len(self._held) < self.count:
            following = self.waiting[0]
            self._held.add(following, self._queue.serve(following))
            self._seen.pop(following, None)
            self._times.count()
            self._turns.pop(following).set_result(None)

    def leave(self, session: str) -> None:
        """Remove a session from the queue."""
        self._seen.pop(session, None)
        self._queue.leave(session)
        if (turn := self._turns.pop(session, None)) is not None:
            turn.cancel()

    def drop_absent(self, present: Callable[[str], bool]) -> None:
        """Remove sessions from the queue whose clients are absent for too long."""
        now = time.monotonic()
        for session in self.waiting:
            if present(session):
                self._seen[session] = now
            elif now - self._seen[session] > AWAY_SECONDS:
                self.leave(session)


class TurnTimes:
    """Intervals between turns while a session waited, independent of the number of workers."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._pauses: deque[tuple[float, float]] = deque(maxlen=MOST_TURNS)
        """The end and the length of each interval."""
        self._since = clock()

    def begin(self) -> None:
        """Note that the queue is no longer empty."""
        self._since = self._clock()

    def count(self) -> None:
        """Note that a waiting session got a worker."""
        now = self._clock()
        self._pauses.append((now, now - self._since))
        self._since = now

    def estimate(self, before: int) -> int | None:
        """Approximate seconds until the turn of a session with `before` sessions ahead; None without recent turns."""
        now = self._clock()
        pauses = [pause for at, pause in self._pauses if now - at < OLD_SECONDS]
        if not pauses:
            return None
        waited = now - self._since
        if waited > sum(pauses) / len(pauses):  # the next turn is late, and later ones may be too
            pauses.append(waited)
        typical = sum(pauses) / len(pauses)
        left = typical - waited if waited < typical else typical
        return _rough(before * typical + left)


def _rough(seconds: float) -> int:
    """Round to the precision of the estimate: to 1 up to 10 seconds, then to 5, from a minute on to 30."""
    unit = 1 if seconds <= 10 else 5 if seconds <= 60 else 30
    return max(1, unit * math.ceil(seconds / unit))
