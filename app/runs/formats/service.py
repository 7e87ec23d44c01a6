"""Read program files for the server, each in a separate process; their number and time are limited."""

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from ...base.errors import ApiError, over_limit
from ...base.fair_shares import Turns
from ...base.settings import Settings
from ...processes.child_process import passed_on
from ...processes.worker import WorkerDied, perform_in_child
from .job import ARRAYS, TEXT, NeedsEngine, ReadFile, ReadProgramFile
from .program_file import Choices

MODULE = "hloscope.app.runs.formats.job"
GRACE_SECONDS = 15.0
"""Grace period after the time limit in which a process may report its results."""


@dataclass(frozen=True)
class ConvertedFile:
    """The contents of a program file; its arrays exist until the block of `Conversions.read` ends."""

    text: str
    name: str
    kind: str
    notes: tuple[str, ...]
    choices: Choices
    arguments: tuple[int, ...]
    """The number of arrays of each partition of a recorded execution."""
    arrays: Path
    """The path of their `.npz`, if there are any."""


class Conversions:
    """The files that a server reads; used from one event loop. `converts`: whether XLA may be started for its visitors."""

    def __init__(self, settings: Settings, *, converts: bool) -> None:
        self._settings, self._converts = settings, converts
        self._turns = Turns(range(max(1, settings.check_workers)), settings.max_waiting)
        self._engines = Turns(range(max(1, settings.max_second_engines)), settings.max_waiting)
        """Turns at reading files with XLA, which takes seconds and much memory."""

    @contextlib.asynccontextmanager
    async def read(
        self, path: Path, name: str, sizes: Mapping[str, int], platform: str | None
    ) -> AsyncIterator[ConvertedFile]:
        """The program in a file that its user calls `name`. Raises `ApiError` with the reason if there is none."""
        with tempfile.TemporaryDirectory(prefix="hloscope-file-") as folder:
            settings = self._settings
            task = ReadProgramFile(
                str(path),
                name,
                dict(sizes),
                platform,
                folder,
                False,
                asdict(settings.limits()),
                settings.second_engine_time_limit_ms / 1000,
                settings.second_engine_rlimit_as_bytes,
            )
            yield await _converted(await self._read(task), Path(folder))

    async def _read(self, task: ReadProgramFile) -> ReadFile:
        """The file, read without XLA if that is possible: such files do not wait for those that need it."""
        try:
            async with self._turns.turn():
                return await self._perform(task)
        except ApiError as error:
            if error.kind != NeedsEngine.kind:
                raise
            if not self._converts:
                raise ApiError(error.status, "format", error.message, hint=error.hint) from None
        async with self._engines.turn():
            return await self._perform(replace(task, converts=True))

    async def _perform(self, task: ReadProgramFile) -> ReadFile:
        try:
            return await perform_in_child(
                MODULE, task, seconds=task.seconds + GRACE_SECONDS, environment=passed_on()
            )
        except TimeoutError:
            raise over_limit(
                422, "second_engine_time_limit_ms", self._settings.second_engine_time_limit_ms,
                "The file took too long to read.",
            ) from None  # fmt: skip
        except WorkerDied:
            message = "The process that reads the file has ended: it may need more memory than there is."
            raise ApiError(422, "format", message) from None


async def _converted(found: ReadFile, folder: Path) -> ConvertedFile:
    text = await asyncio.to_thread((folder / TEXT).read_bytes)
    return ConvertedFile(
        await asyncio.to_thread(text.decode),
        found["name"],
        found["kind"],
        tuple(found["notes"]),
        Choices(found["sizes"], tuple(found["platforms"]), found["platform"]),
        tuple(found["arguments"]),
        folder / ARRAYS,
    )
