"""What is on its way to the store and, from there, onto the disk: written together, acknowledged once it is there."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar, cast

from sqlalchemy.exc import SQLAlchemyError

from ..base.batched_action import BatchedAction
from ..base.errors import ApiError
from . import Position, Store, StoreError
from .failures import cause_of, kind_of
from .recalled_reads import RecalledReads

P = ParamSpec("P")
R = TypeVar("R")
log = logging.getLogger("hloscope")

COUNT_SECONDS = 0.2
PAUSE_AFTER_FAILURE = 5.0


def storage_error(error: Exception) -> ApiError:
    """The error for a request that the store could not serve."""
    match kind_of(error):
        case "full":
            return ApiError(
                507, "storage", f"There is no room to keep this: {cause_of(error)}.",
                hint="Free some space on the disk of the data folder, then do it again.",
            )  # fmt: skip
        case "gone":
            return ApiError(
                503, "store", "The data folder is not there any more: nothing can be kept or read.",
                hint="Put it back, or start hloscope again; what is open in this page goes on meanwhile.",
            )  # fmt: skip
        case _:
            return ApiError(
                503, "store", f"The store cannot be written or read just now: {cause_of(error)}.",
                hint="See to the disk of the data folder and to its rights; the log says more.",
            )  # fmt: skip


class StoreThread:
    """The store, off the event loop: one thread, so that writes never wait for each other."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="store")
        # Another thread, for the disk takes a thousand times as long as a transaction that it has not seen yet.
        self._disk = ThreadPoolExecutor(1, thread_name_prefix="disk")
        self._sync = BatchedAction(self._sync_now)
        self._recalled = RecalledReads(lambda: store.writes)

    async def call(self, method: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> R:
        """Call a method of the store; what it wrote is on the disk when this returns.

        What keeps the store from answering becomes a typed error.
        """

        def call() -> tuple[R, bool]:
            before = self.store.writes
            result = method(*arguments, **named)
            return result, self.store.writes != before

        result, wrote = await self._run_on(self._thread, call)
        if wrote:
            await self._sync()
        return result

    async def recall(self, method: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> R:
        """As `call`, for what reads: without asking the store where it said so lately and nothing was written since.

        The result belongs to all who ask, and nobody changes it.
        """
        asked = (method, arguments, tuple(named.items()))
        looked = self._recalled.look()
        if asked not in looked:
            found = await self.call(method, *arguments, **named)
            self._recalled.keep(asked, found, looked)
            return found
        return cast(R, looked[asked])

    async def _sync_now(self) -> None:
        await self._run_on(self._disk, self.store.sync)

    async def _run_on(self, thread: ThreadPoolExecutor, work: Callable[[], R]) -> R:
        try:
            return await asyncio.get_running_loop().run_in_executor(thread, work)
        except (SQLAlchemyError, StoreError, OSError) as error:
            log.error("the store cannot be used: %s", cause_of(error))
            raise storage_error(error) from error

    def close(self) -> None:
        """Finish what was begun, then close the store."""
        self._thread.shutdown(wait=True)
        self._disk.shutdown(wait=True)
        self.store.close()


class Progress:
    """Positions and step counts, the latest of each.

    Whoever moves waits until that is kept, together with all who have moved meanwhile; counts of steps, which come
    many times a second and are found out again, are written at most once in `COUNT_SECONDS`.
    """

    def __init__(self, thread: StoreThread) -> None:
        self._thread = thread
        self._positions: dict[str, Position] = {}
        self._steps: dict[tuple[str, int], int] = {}
        self._timer: asyncio.Task[None] | None = None
        self._pause = COUNT_SECONDS
        self.flush = BatchedAction(self._flush)
        """Writes what there is; what cannot be written is kept for the next time, and tried again."""

    def position(self, session: str) -> Position | None:
        """A position that is not written yet."""
        return self._positions.get(session)

    async def move(self, session: str, position: Position) -> None:
        """The session is here now; returns when that is kept, or raises and tries it again later."""
        self._positions[session] = position
        await self.flush()

    def forget(self, session: str) -> None:
        """What was to be written is no longer true: the session shows another run now."""
        self._positions.pop(session, None)

    def note_steps(self, session: str, run: int, steps: int) -> None:
        """Notes how many steps a run has recorded, to be written with the next batch."""
        self._steps[session, run] = steps
        self._write_later()

    def _write_later(self) -> None:
        if self._timer is None or self._timer.done():
            self._timer = asyncio.create_task(self._until_written())

    async def _until_written(self) -> None:
        # Until nothing is left: there may be news while the last ones are being written.
        while self._positions or self._steps:
            await asyncio.sleep(self._pause)
            with contextlib.suppress(ApiError):
                await self.flush()

    async def _flush(self) -> None:
        positions, steps = dict(self._positions), dict(self._steps)
        if not positions and not steps:
            return
        try:
            await self._thread.call(self._thread.store.write_progress, positions, steps)
        except ApiError:
            self._pause = PAUSE_AFTER_FAILURE
            self._write_later()
            raise
        self._pause = COUNT_SECONDS
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
        with contextlib.suppress(ApiError):  # it stands in the log
            await self.flush()
