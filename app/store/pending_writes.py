"""Batched writes to the store, acknowledged once they are on disk."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from time import monotonic
from typing import Any, ParamSpec, TypeVar, cast

from sqlalchemy.exc import SQLAlchemyError

from ..base.cache import Cache
from ..base.errors import ApiError
from ..base.shared_work import SharedWork
from . import Position, Store, StoreError
from .failures import Elsewhere, Kind, cause_of, is_of_postgresql, kind_of

P = ParamSpec("P")
R = TypeVar("R")
log = logging.getLogger("hloscope")

FULL = 507
"""Status of an answer where the disk is full."""
COUNT_SECONDS = 0.2
"""Interval between writes of step counts."""
PAUSE_AFTER_FAILURE = 5.0
"""Seconds until a failed write is retried."""

RECALL_SECONDS = 1.0
"""Maximum age of cached reads: another server may write to the same store."""
RECALLED_CHARACTERS = 1 << 22
"""Maximum characters of all cached reads together."""
ENTRY_CHARACTERS = 1 << 16
"""Characters that a cached read counts for besides its text."""


def storage_error(error: Exception) -> ApiError:
    """The error for a request that the store could not serve."""
    if isinstance(error, Elsewhere):
        return ApiError(
            409, "moved", str(error),
            hint="Use it there, or try again here some seconds after its pages there were closed.",
        )  # fmt: skip
    match kind_of(error):
        case "full":
            disk = "the disk of the database" if is_of_postgresql(error) else "the disk of the data folder"
            return ApiError(
                FULL, "storage", f"There is no space to store this: {cause_of(error)}.",
                hint=f"Free some space on {disk}, then try again.",
            )  # fmt: skip
        case "gone":
            return ApiError(
                503, "store", "The data folder no longer exists: nothing can be stored or read.",
                hint="Put it back, or restart hloscope; this page keeps working until then.",
            )  # fmt: skip
        case "down":
            return ApiError(
                503, "store", "The database does not answer: nothing can be stored at the moment.",
                hint="Open sessions continue; your position is stored once the database is back.",
            )  # fmt: skip
        case _:
            return ApiError(
                503, "store", f"The store cannot be written or read at the moment: {cause_of(error)}.",
                hint="Check the disk of the data folder and its permissions; the log has details.",
            )  # fmt: skip


class StoreThread:
    """The store in its own thread, so that writes never wait for each other."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="store")
        # A second thread, because a sync to disk takes a thousand times as long as a transaction.
        self._disk = ThreadPoolExecutor(1, thread_name_prefix="disk")
        self._syncs = SharedWork[None](outlives_callers=True)
        self._recalled = Cache[Hashable, Any](RECALLED_CHARACTERS, _characters)
        self.trouble: Kind | None = None
        """Why the last write or the last request failed; None after a write that did not."""

    async def call(self, method: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> R:
        """Call a method of the store; its writes are on disk when this returns.

        Failures of the store become an `ApiError`.
        """

        def call() -> tuple[R, bool]:
            before = self.store.writes
            result = method(*arguments, **named)
            return result, self.store.writes != before

        result, wrote = await self._run_on(self._thread, call)
        if wrote:
            await self._syncs.join_next("", self._sync)
            self.trouble = None
        return result

    async def free(self, method: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> R:
        """As `call`, for deletions, which a full disk does not prevent."""
        try:
            return await self.call(method, *arguments, **named)
        except ApiError as error:
            if error.status != FULL:
                raise
        await self._run_on(self._thread, self.store.make_room)
        found = await self.call(method, *arguments, **named)
        await self._run_on(self._thread, self.store.reserve.keep)
        return found

    async def recall(self, method: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> R:
        """As `call`, for reads, whose results are cached until the next write.

        Callers share the result and must not change it.
        """
        state = self.store.writes, monotonic() // RECALL_SECONDS
        query = (state, method, arguments, tuple(named.items()))
        if query in self._recalled:
            return cast(R, self._recalled[query])
        result = await self.call(method, *arguments, **named)
        self._recalled[query] = result
        return result

    async def _sync(self) -> None:
        await self._run_on(self._disk, self.store.sync)

    async def _run_on(self, thread: ThreadPoolExecutor, work: Callable[[], R]) -> R:
        try:
            return await asyncio.get_running_loop().run_in_executor(thread, work)
        except (SQLAlchemyError, StoreError, OSError) as error:
            if not isinstance(error, Elsewhere):
                log.error("the store cannot be used: %s", cause_of(error))
                self.trouble = kind_of(error)
            raise storage_error(error) from error

    def close(self) -> None:
        """Finish the pending calls, then close the store."""
        self._thread.shutdown(wait=True)
        self._disk.shutdown(wait=True)
        self.store.close()


def _characters(result: Any) -> int:
    """The number of characters for which a cached read counts."""
    return ENTRY_CHARACTERS + (len(result) if isinstance(result, str) else 0)


class Progress:
    """The latest unwritten positions and step counts.

    Moves return once they are on disk, written in batches. Step counts change many times a second and can be recovered,
    so they are written at most once in `COUNT_SECONDS`.
    """

    def __init__(self, thread: StoreThread) -> None:
        self._thread = thread
        self._positions: dict[str, Position] = {}
        self._steps: dict[tuple[str, int], int] = {}
        self._refused: set[str] = set()
        """The sessions whose last position was not written, because another server has them."""
        self._timer: asyncio.Task[None] | None = None
        self._pause = COUNT_SECONDS
        self._is_closed = False
        self._flushes = SharedWork[None](outlives_callers=True)

    async def flush(self) -> None:
        """Write everything pending; after a failure it stays pending and is retried."""
        await self._flushes.join_next("", self._flush)

    def position(self, session: str) -> Position | None:
        """The unwritten position of a session, or None."""
        return self._positions.get(session)

    async def move(self, session: str, position: Position) -> None:
        """Store a position; returns once it is on disk, or raises and retries later.

        It is not retried if another server has the session.
        """
        self._positions[session] = position
        await self.flush()
        if session in self._refused:
            raise storage_error(Elsewhere())

    def note(self, session: str, position: Position) -> None:
        """Note a position, for the next batch."""
        self._positions[session] = position
        self._write_later()

    def forget(self, session: str) -> None:
        """Drop the unwritten position, because the session now shows another run."""
        self._positions.pop(session, None)

    def note_steps(self, session: str, run: int, steps: int) -> None:
        """Note the number of recorded steps of a run, for the next batch."""
        self._steps[session, run] = steps
        self._write_later()

    def _write_later(self) -> None:
        if not self._is_closed and (self._timer is None or self._timer.done()):
            self._timer = asyncio.create_task(self._until_written())

    async def _until_written(self) -> None:
        # Repeat until nothing is pending: more may arrive during a write.
        while self._positions or self._steps:
            await asyncio.sleep(self._pause)
            with contextlib.suppress(ApiError):
                await self.flush()

    async def _flush(self) -> None:
        positions, steps = dict(self._positions), dict(self._steps)
        if not positions and not steps:
            return
        try:
            written = await self._thread.call(self._thread.store.write_progress, positions, steps)
        except ApiError:
            self._pause = PAUSE_AFTER_FAILURE
            self._write_later()
            raise
        self._pause = COUNT_SECONDS
        self._refused = self._refused - written | (positions.keys() - written)
        for session, position in positions.items():
            if self._positions.get(session) is position:
                del self._positions[session]
        for run, count in steps.items():
            if self._steps.get(run) == count:
                del self._steps[run]

    async def close(self) -> None:
        """Write everything pending. What is noted later is lost: the store closes next."""
        self._is_closed = True
        if self._timer is not None:
            self._timer.cancel()
            await asyncio.wait({self._timer})
        with contextlib.suppress(ApiError):  # the error is in the log
            await self.flush()
