"""Periodic tasks: store the clock, delete old sessions, sweep unused files."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from ..base.errors import ApiError
from ..base.settings import Settings
from ..store.pending_writes import StoreThread
from ..store.retention import DAY

BEAT_SECONDS = 60.0
"""Interval between writes of the clock, which a killed server may lose."""
log = logging.getLogger("hloscope")


class Housekeeping:
    """Daily clean-up of store and files; a failure is logged and retried a day later."""

    def __init__(self, settings: Settings, thread: StoreThread, sweep: Callable[[], Awaitable[int]]) -> None:
        """`sweep`: delete unused files, and return their number."""
        self._settings, self._sweep = settings, sweep
        self._thread, self._store = thread, thread.store
        self._task: asyncio.Task[None] | None = None
        self._next = 0.0

    async def start(self) -> None:
        """Clean up now, and then every day."""
        await self._thread.call(self._store.reserve.keep)
        await self._clean_up()
        self._task = asyncio.create_task(self._go_on())

    async def stop(self) -> None:
        """Store the clock and stop."""
        if self._task is not None:
            self._task.cancel()
        await self._beat()

    async def _go_on(self) -> None:
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            await self._beat()
            if self._store.now() >= self._next:
                await self._clean_up()

    async def _beat(self) -> None:
        try:
            await self._thread.call(self._store.beat)
            await self._thread.call(self._store.reserve.keep)
        except ApiError:
            return  # the error is in the log

    async def _clean_up(self) -> None:
        self._next = self._store.now() + DAY
        settings = self._settings
        try:
            pruned = await self._thread.free(
                self._store.prune, settings.session_retention_d, settings.session_grace_d
            )
            swept = await self._sweep()
        except ApiError:
            return
        if any((pruned.set_aside, pruned.brought_back, pruned.deleted, swept)):
            log.info(
                "%d sessions set aside after %d days without a visit (opening their address within %d days "
                "restores them), %d restored, %d deleted; %d unused files deleted",
                pruned.set_aside, settings.session_retention_d, settings.session_grace_d, pruned.brought_back,
                pruned.deleted, swept,
            )  # fmt: skip
