"""What is done by itself as time goes by: the clock of the store is kept, sessions are forgotten, files swept away."""

from __future__ import annotations

import asyncio
import logging

from ..base.errors import ApiError
from ..base.settings import Settings
from ..store.files import InputFiles
from ..store.pending_writes import StoreThread
from ..store.retention import DAY

BEAT_SECONDS = 60.0
"""What the clock may lose when the server is killed."""
log = logging.getLogger("hloscope")


class Housekeeping:
    """Cleans up the store and the files of one server every day; what fails is logged and tried again a day later."""

    def __init__(self, settings: Settings, thread: StoreThread, files: InputFiles) -> None:
        self._settings, self._files = settings, files
        self._thread, self._store = thread, thread.store
        self._task: asyncio.Task[None] | None = None
        self._next = 0.0

    async def start(self) -> None:
        """Clean up once, and then every day."""
        await self._clean_up()
        self._task = asyncio.create_task(self._go_on())

    async def stop(self) -> None:
        """Stores the clock and stops."""
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
        except ApiError:
            return  # it stands in the log

    async def _clean_up(self) -> None:
        self._next = self._store.now() + DAY
        try:
            await self._thread.call(self._prune)
        except ApiError:
            return

    def _prune(self) -> None:
        """Deletes in the store's thread, so that no upload comes between finding what is needed and deleting the
        rest.
        """
        settings = self._settings
        pruned = self._store.prune(settings.session_retention_d, settings.session_grace_d)
        swept = self._files.sweep(self._store.needed_inputs())
        if any((pruned.set_aside, pruned.brought_back, pruned.deleted, swept)):
            log.info(
                "%d sessions set aside, which nobody has visited for %d days (opening their address within %d days "
                "brings them back), %d brought back, %d deleted; %d files that no session has deleted",
                pruned.set_aside, settings.session_retention_d, settings.session_grace_d, pruned.brought_back,
                pruned.deleted, swept,
            )  # fmt: skip
