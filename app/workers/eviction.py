"""Eviction of idle workers while sessions wait; the longest idle worker goes first.

The shorter the queue, the longer a session keeps an idle worker, so that a user who inspects a value and steps on does
not lose it each time. Frequent requests do not keep a worker for long either. A session that loses its worker loses no
data: its run is recorded again on the next request.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Coroutine, MutableMapping
from typing import Any

from ..base.errors import ApiError
from ..base.fair_shares import act_for
from ..processes.worker import RunClosed, WorkerDied
from ..wire.sessions import Turn
from .known_answers import KnownAnswers
from .session_worker import SessionWorker
from .worker_slots import WorkerSlots

LOOK_SECONDS = 0.02
"""Interval between searches for idle workers."""
NOTIFY_SECONDS = 0.5
"""Interval between notifications of waiting sessions."""
ROUND_SECONDS = 0.25
"""Target time in which every waiting session gets a worker once."""
LONGEST_HOLD_SECONDS = 0.5
"""Maximum idle time before eviction while sessions wait."""
TURN_SECONDS = 5.0
"""Age from which a worker is evicted as soon as it is idle."""
SHARE_SECONDS = 1.0
"""Time after which a recording is paused for a waiting principal that has fewer workers."""
KEPT_SECONDS = 30.0
"""Idle time up to which a worker is not evicted for a principal that already has as many."""
VIEW_SECONDS = 1.0
"""Timeout for fetching the first view of a run before eviction."""


class Eviction:
    """Evicts workers for the supervisor; used from one event loop."""

    def __init__(
        self,
        slots: WorkerSlots,
        answers: KnownAnswers,
        owners: MutableMapping[str, SessionWorker],
        notify: Callable[[str, Turn | None], None],
        spawn: Callable[[Coroutine[Any, Any, None]], object],
        pause: Callable[[SessionWorker], Coroutine[Any, Any, None]],
    ) -> None:
        """`pause` stops what a session records."""
        self._pause = pause
        self._slots, self._answers, self._owners = slots, answers, owners
        self._notify, self._spawn = notify, spawn
        self._known_turns: dict[str, Turn] = {}
        self._leaving: set[SessionWorker] = set()
        self._making = False

    def start(self) -> None:
        """Start evicting workers for waiting sessions, unless that is in progress."""
        if not self._making:
            self._making = True
            self._spawn(self._make())

    async def _make(self) -> None:
        notified = 0.0
        try:
            while self._slots.waiting:
                candidates = self._candidates()
                for owner in candidates:
                    self._leaving.add(owner)
                    self._spawn(self._give_up(owner))
                if not candidates and not self._leaving:
                    await self._pause_in_excess()
                if time.monotonic() - notified >= NOTIFY_SECONDS:
                    notified = time.monotonic()
                    self.notify()
                await asyncio.sleep(LOOK_SECONDS)
        finally:
            self._making = False
            self.notify()

    def notify(self) -> None:
        """Notify waiting sessions whose queue position has changed."""
        turns = self._slots.turns()
        for session in [session for session in self._known_turns if session not in turns]:
            del self._known_turns[session]
            self._notify(session, None)
        for session, turn in turns.items():
            if self._known_turns.get(session) != turn:
                self._known_turns[session] = turn
                self._notify(session, turn)

    def _candidates(self) -> list[SessionWorker]:
        """The workers to evict now, at most one for each waiting session."""
        now, waiting = time.monotonic(), len(self._slots.waiting)
        hold = min(LONGEST_HOLD_SECONDS, ROUND_SECONDS * self._slots.count / max(waiting, 1))
        held = [self._owners[session] for session in self._slots.holders() if session in self._owners]
        idle = [owner for owner in held if owner.idle and owner not in self._leaving]
        ready = [
            owner for owner in idle if now - owner.quiet_since >= hold or now - owner.started >= TURN_SECONDS
        ]
        ready = [
            owner
            for owner in ready
            if self._slots.yields(owner.session) or now - owner.quiet_since >= KEPT_SECONDS
        ]
        ready.sort(key=lambda owner: owner.quiet_since)
        return ready[: max(0, waiting - len(self._leaving))]

    async def _pause_in_excess(self) -> None:
        """Pause a run that has had its turn, if its principal has more slots than one that waits; its worker is idle then."""
        now = time.monotonic()
        for owner in filter(None, map(self._owners.get, self._slots.in_excess())):
            if owner.recording and now - owner.started >= SHARE_SECONDS:
                await self._pause(owner)
                return

    async def _give_up(self, owner: SessionWorker) -> None:
        act_for(
            self._slots.principal(owner.session)
        )  # what it leaves behind counts for it, not for who waits
        try:
            await self._keep_first_views(owner)
            await self.release(owner)
        finally:
            self._leaving.discard(owner)

    async def _keep_first_views(self, owner: SessionWorker) -> None:
        worker = owner.worker
        if worker is None:
            return
        with contextlib.suppress(WorkerDied, RunClosed, ApiError, TimeoutError):
            for key in list(owner.opened):
                await asyncio.wait_for(self._answers.keep_first_view(worker, key), VIEW_SECONDS)

    async def release(self, owner: SessionWorker) -> None:
        """End an idle worker; the next session in the queue gets its slot."""
        if not owner.idle:
            return
        async with owner.lock:  # a new request of the session waits until this worker has ended
            worker = owner.leave()
            if worker is not None:
                await worker.stop()
            self._slots.release(owner.session)

    async def forget(self, session: str) -> None:
        """Drop a deleted session; its worker ends, even during an op."""
        owner = self._owners.pop(session, None)
        if owner is not None and (worker := owner.leave()) is not None:
            await worker.stop()
        self._slots.leave(session)
        self._slots.release(session)
