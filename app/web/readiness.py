"""Whether the server can serve: its store answers, its disk has room, and a worker can be started."""

import asyncio
import shutil
import time
from pathlib import Path

from ..base.errors import ApiError
from ..base.settings import Settings
from ..base.shared_work import SharedWork
from ..sessions.sessions import Sessions
from ..store.pending_writes import StoreThread

KEPT_SECONDS = 2.0
"""Maximum age of a cached answer: requests need no token, and a check starts a process."""
PATIENCE_SECONDS = 10.0
"""Timeout of each check."""


class Readiness:
    """The checks, each made once for all who ask at the same time."""

    def __init__(self, settings: Settings, thread: StoreThread, sessions: Sessions, folder: Path) -> None:
        """`folder`: the data folder."""
        self._settings, self._thread, self._sessions, self._folder = settings, thread, sessions, folder
        self._checks = SharedWork[ApiError | None]()
        self._known: tuple[float, ApiError | None] | None = None

    async def check(self) -> None:
        """Raise `ApiError` 503 with the reason if the server is not ready."""
        if self._known is None or time.monotonic() - self._known[0] > KEPT_SECONDS:
            self._known = None
            found = await self._checks.join("", self._find)
            self._known = (time.monotonic(), found)
        if (error := self._known[1]) is not None:
            raise error

    async def _find(self) -> ApiError | None:
        try:
            await self._check_store()
            await asyncio.to_thread(self._check_disk)
            await self._check_workers()
        except ApiError as error:
            return error
        return None

    async def _check_store(self) -> None:
        try:
            reading = self._thread.call(self._thread.store.session, "")
            await asyncio.wait_for(reading, PATIENCE_SECONDS)
        except TimeoutError:
            raise ApiError(503, "store", "The store does not answer.") from None

    def _check_disk(self) -> None:
        least = self._settings.min_free_bytes
        try:
            free = shutil.disk_usage(self._folder).free
        except OSError:
            raise ApiError(503, "disk", "The data folder cannot be read.") from None
        if free < least:
            message = (
                f"The disk of the data folder has {free:,} free bytes, less than min_free_bytes, {least:,}."
            )
            raise ApiError(503, "disk", message)

    async def _check_workers(self) -> None:
        try:
            await asyncio.wait_for(self._sessions.supervisor.try_worker(), PATIENCE_SECONDS)
        except (OSError, EOFError):
            raise ApiError(503, "workers", "No worker process can be started.") from None
