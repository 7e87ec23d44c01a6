"""Makes room while sessions wait for a worker: of those that have one, who has been idle the longest gives it up.

The fewer wait, the longer an idle worker is left to its session: somebody who looks at a value and steps on
should not lose it each time. Nobody keeps one for long, though, by asking again and again. A session that loses
its worker loses nothing: it is recorded again when it is asked for.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Coroutine, MutableMapping
from typing import Any

from ..base.errors import ApiError
from ..processes.worker_errors import RunClosed, WorkerDied
from ..wire.sessions import Turn
from .session_worker import SessionWorker
from .view_cache import ViewCache, fetch_view
from .worker_slots import WorkerSlots

LOOK_SECONDS = 0.02
TELL_SECONDS = 0.5
ROUND_SECONDS = 0.25
"""In about this time everybody who waits shall have had a turn, where the processor allows it."""
LONGEST_HOLD_SECONDS = 0.5
TURN_SECONDS = 5.0
"""After so long a worker is given up at the first moment in which it has nothing to do."""
VIEW_SECONDS = 1.0


class Eviction:
    """Used from one event loop, by the supervisor."""

    def __init__(
        self,
        slots: WorkerSlots,
        views: ViewCache,
        owners: MutableMapping[str, SessionWorker],
        tell: Callable[[str, Turn | None], None],
        spawn: Callable[[Coroutine[Any, Any, None]], object],
    ) -> None:
        self._slots, self._views, self._owners, self._tell, self._spawn = slots, views, owners, tell, spawn
        self._told: dict[str, Turn] = {}
        self._leaving: set[SessionWorker] = set()
        self._making = False

    def start(self) -> None:
        """Begins to make room for a session that waits, unless that is under way."""
        if not self._making:
            self._making = True
            self._spawn(self._make())

    async def _make(self) -> None:
        told = 0.0
        try:
            while self._slots.waiting:
                for owner in self._candidates():
                    self._leaving.add(owner)
                    self._spawn(self._give_up(owner))
                if time.monotonic() - told >= TELL_SECONDS:
                    told = time.monotonic()
                    self.tell()
                await asyncio.sleep(LOOK_SECONDS)
        finally:
            self._making = False
            self.tell()

    def tell(self) -> None:
        """Tell those who wait where they are, where that has changed."""
        places = self._slots.turns()
        for session in [session for session in self._told if session not in places]:
            del self._told[session]
            self._tell(session, None)
        for session, turn in places.items():
            if self._told.get(session) != turn:
                self._told[session] = turn
                self._tell(session, turn)

    def _candidates(self) -> list[SessionWorker]:
        """The workers to give up now, not more than there are sessions that wait."""
        now, waiting = time.monotonic(), len(self._slots.waiting)
        hold = min(LONGEST_HOLD_SECONDS, ROUND_SECONDS * self._slots.count / max(waiting, 1))
        held = [self._owners[session] for session in self._slots.holders() if session in self._owners]
        idle = [owner for owner in held if owner.idle and owner not in self._leaving]
        ready = [
            owner for owner in idle if now - owner.quiet_since >= hold or now - owner.started >= TURN_SECONDS
        ]
        ready.sort(key=lambda owner: owner.quiet_since)
        return ready[: max(0, waiting - len(self._leaving))]

    async def _give_up(self, owner: SessionWorker) -> None:
        try:
            await self._keep_views(owner)
            await self.release(owner)
        finally:
            self._leaving.discard(owner)

    async def _keep_views(self, owner: SessionWorker) -> None:
        worker = owner.worker
        if worker is None:
            return
        with contextlib.suppress(WorkerDied, RunClosed, ApiError, TimeoutError):
            for key in [key for key in owner.opened if key not in self._views]:
                if (view := await asyncio.wait_for(fetch_view(worker, key), VIEW_SECONDS)) is not None:
                    self._views.keep(key, view)

    async def release(self, owner: SessionWorker) -> None:
        """End the worker, unless it has something to do again; the next session in the queue gets its slot."""
        if not owner.idle:
            return
        async with owner.lock:  # who wants it back gets a worker once this one has ended
            worker = owner.leave()
            if worker is not None:
                await worker.stop()
            self._slots.release(owner.session)

    async def forget(self, session: str) -> None:
        """Forget a session that is deleted; its worker ends, also in the middle of an op."""
        owner = self._owners.pop(session, None)
        if owner is not None and (worker := owner.leave()) is not None:
            await worker.stop()
        self._slots.leave(session)
        self._slots.release(session)
