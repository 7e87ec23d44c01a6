"""Makes room while sessions wait for a worker: of those that have one, who has been idle the longest gives it up.

The fewer wait, the longer an idle worker is left to its session: somebody who looks at a value and steps on
should not lose it each time. Nobody keeps one for long, though, by asking again and again. A session that loses
its worker loses nothing: it is recorded again when it is asked for.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from .first_views import FirstViews, first_view
from .places import Places
from .process import WorkerDied
from .seat import Seat

LOOK_SECONDS = 0.02
TELL_SECONDS = 0.5
ROUND_SECONDS = 0.25
"""In about this time everybody who waits shall have had a turn, where the processor allows it."""
LONGEST_HOLD_SECONDS = 0.5
TURN_SECONDS = 5.0
"""After so long a worker is given up at the first moment in which it has nothing to do."""
VIEW_SECONDS = 1.0


class Room:
    """Used from one event loop, by the supervisor."""

    def __init__(
        self,
        places: Places,
        views: FirstViews,
        seats: Mapping[str, Seat],
        tell: Callable[[str, int | None], None],
        spawn: Callable[[Coroutine[Any, Any, None]], object],
    ) -> None:
        self._places, self._views, self._seats, self._tell, self._spawn = places, views, seats, tell, spawn
        self._told: dict[str, int] = {}
        self._leaving: set[Seat] = set()
        self._making = False

    def wanted(self) -> None:
        """Somebody has begun to wait."""
        if not self._making:
            self._making = True
            self._spawn(self._make())

    async def _make(self) -> None:
        told = 0.0
        try:
            while self._places.waiting:
                for seat in self._candidates():
                    self._leaving.add(seat)
                    self._spawn(self._give_up(seat))
                if time.monotonic() - told >= TELL_SECONDS:
                    told = time.monotonic()
                    self.tell()
                await asyncio.sleep(LOOK_SECONDS)
        finally:
            self._making = False
            self.tell()

    def tell(self) -> None:
        """Tell those who wait how many are before them, where that has changed."""
        places = {session: before for before, session in enumerate(self._places.waiting)}
        for session in [session for session in self._told if session not in places]:
            del self._told[session]
            self._tell(session, None)
        for session, before in places.items():
            if self._told.get(session) != before:
                self._told[session] = before
                self._tell(session, before)

    def _candidates(self) -> list[Seat]:
        """Who gives up its worker now: not more than there are others to take one."""
        now, waiting = time.monotonic(), len(self._places.waiting)
        hold = min(LONGEST_HOLD_SECONDS, ROUND_SECONDS * self._places.count / max(waiting, 1))
        held = [self._seats[session] for session in self._places.held() if session in self._seats]
        idle = [seat for seat in held if seat.idle and seat not in self._leaving]
        ready = [
            seat for seat in idle if now - seat.quiet_since >= hold or now - seat.started >= TURN_SECONDS
        ]
        ready.sort(key=lambda seat: seat.quiet_since)
        return ready[: max(0, waiting - len(self._leaving))]

    async def _give_up(self, seat: Seat) -> None:
        try:
            await self._keep_views(seat)
            await self.release(seat)
        finally:
            self._leaving.discard(seat)

    async def _keep_views(self, seat: Seat) -> None:
        worker = seat.worker
        if worker is None:
            return
        with contextlib.suppress(WorkerDied, TimeoutError):
            for key in [key for key in seat.opened if key not in self._views]:
                if (view := await asyncio.wait_for(first_view(worker, key), VIEW_SECONDS)) is not None:
                    self._views.keep(key, view)

    async def release(self, seat: Seat) -> None:
        """End the seat's worker, unless it has got something to do again; its place is the next one's."""
        if not seat.idle:
            return
        async with seat.lock:  # who wants it back gets a worker once this one has ended
            worker = seat.leave()
            if worker is not None:
                await worker.stop()
            self._places.give_back(seat.session)
