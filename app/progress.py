"""Positions and step counts on their way to the store: the latest of each, written together."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from sqlalchemy.exc import SQLAlchemyError

from .errors import ApiError
from .store import Position, Store, StoreError

P = ParamSpec("P")
R = TypeVar("R")
log = logging.getLogger("hloscope")

FLUSH_SECONDS = 0.2
PAUSE_AFTER_FAILURE = 5.0


class StoreThread:
    """The store, off the event loop: one thread, so that writes never wait for each other."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="store")

    async def call(self, method: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> R:
        """Call a method of the store; what keeps it from answering becomes a typed error."""
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._thread, lambda: method(*arguments, **named))
        except (SQLAlchemyError, StoreError) as error:
            log.error("the store cannot be used: %s", getattr(error, "orig", None) or error)
            raise ApiError(
                503, "store", "The store cannot be written or read just now.",
                hint="The disk may be full, or the data folder gone; the log says more.",
            ) from error  # fmt: skip

    def close(self) -> None:
        """Finish what was begun, then close the store."""
        self._thread.shutdown(wait=True)
        self.store.close()


class Progress:
    """Coalesces writes: at most one transaction in `FLUSH_SECONDS`, whatever happens."""

    def __init__(self, thread: StoreThread) -> None:
        self._thread = thread
        self._positions: dict[str, Position] = {}
        self._steps: dict[tuple[str, int], int] = {}
        self._timer: asyncio.Task[None] | None = None
        self._pause = FLUSH_SECONDS

    def position(self, session: str) -> Position | None:
        """A position that is not written yet."""
        return self._positions.get(session)

    def move(self, session: str, position: Position) -> None:
        """The session is here now."""
        self._positions[session] = position
        self._schedule()

    def forget(self, session: str) -> None:
        """What was to be written is no longer true: the session shows another run now."""
        self._positions.pop(session, None)

    def recorded(self, session: str, run: int, steps: int) -> None:
        """The run has come so far."""
        self._steps[session, run] = steps
        self._schedule()

    def _schedule(self) -> None:
        if self._timer is None or self._timer.done():
            self._timer = asyncio.create_task(self._flush_later())

    async def _flush_later(self) -> None:
        # Until nothing is left: there may be news while the last ones are being written.
        while self._positions or self._steps:
            await asyncio.sleep(self._pause)
            await self.flush()

    async def flush(self) -> None:
        """Write what there is; what cannot be written is kept for the next time."""
        positions, steps = dict(self._positions), dict(self._steps)
        if not positions and not steps:
            return
        try:
            await self._thread.call(self._thread.store.write_progress, positions, steps)
        except ApiError:
            self._pause = PAUSE_AFTER_FAILURE
            return
        self._pause = FLUSH_SECONDS
        for session, position in positions.items():
            if self._positions.get(session) is position:
                del self._positions[session]
        for run, count in steps.items():
            if self._steps.get(run) == count:
                del self._steps[run]

    async def close(self) -> None:
        """Write everything now."""
        if self._timer is not None:
            self._timer.cancel()
        await self.flush()
