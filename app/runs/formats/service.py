"""Files of programs in any form, read for the server: each in a process of its own, a few at a time, as long as they may take."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import hloscope

from ...base.errors import ApiError, over_limit
from ...base.settings import Settings
from ...processes.child_process import INSTALLED, START, passed_on
from .job import ARRAYS, TEXT
from .program_file import Choices

MODULE = "hloscope.app.runs.formats.job"
GRACE_SECONDS = 15.0
"""For how long beyond its time a process may say what it has found."""
LINE_BYTES = 1 << 20


@dataclass(frozen=True)
class ConvertedFile:
    """What a file comes to; its arrays are there as long as the block that it was given to."""

    text: str
    name: str
    kind: str
    notes: tuple[str, ...]
    choices: Choices
    arguments: tuple[int, ...]
    """Of a recorded execution, how many arrays each partition has."""
    arrays: Path
    """An `.npz` of them, where there are some."""


class Conversions:
    """The files that a server reads; used from one event loop. `converts`: whether XLA may be started for its visitors."""

    def __init__(self, settings: Settings, *, converts: bool) -> None:
        self._settings, self._converts = settings, converts
        self._turn = asyncio.Semaphore(max(1, settings.max_second_engines))

    @contextlib.asynccontextmanager
    async def read(
        self, path: Path, name: str, sizes: Mapping[str, int], platform: str | None
    ) -> AsyncIterator[ConvertedFile]:
        """The program in a file that its user calls `name`; `ApiError` says why there is none."""
        async with self._turn:
            with tempfile.TemporaryDirectory(prefix="hloscope-file-") as folder:
                request = self._request(path, name, sizes, platform, folder)
                yield await self._found(await self._answer(request), Path(folder))

    async def _answer(self, request: bytes) -> Mapping[str, Any]:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-c", START, str(hloscope.__file__), str(INSTALLED), MODULE, str(os.getpid()),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL, limit=LINE_BYTES, start_new_session=True,
            env={**passed_on(), "PYTHONUTF8": "1"},
        )  # fmt: skip
        try:
            async with asyncio.timeout(self._seconds + GRACE_SECONDS):
                said, _ = await process.communicate(request)
        except TimeoutError:
            raise over_limit(
                422, "second_engine_time_limit_ms", self._settings.second_engine_time_limit_ms,
                "The file took too long to read.",
            ) from None  # fmt: skip
        finally:
            with contextlib.suppress(ProcessLookupError):  # XLA's process goes with it
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
        if not said.strip():
            raise ApiError(
                422,
                "format",
                "The process that reads the file has ended: it may need more memory than there is.",
            )
        answer: Mapping[str, Any] = json.loads(said)
        return answer

    async def _found(self, answer: Mapping[str, Any], folder: Path) -> ConvertedFile:
        if "failed" in answer:
            limit = answer["limit"]
            kind, status = ("limit", 413) if limit else ("format", 422)
            raise ApiError(status, kind, f"{answer['failed'].rstrip('.')}.", hint=answer["hint"], limit=limit)
        done = answer["done"]
        text = await asyncio.to_thread((folder / TEXT).read_bytes)
        return ConvertedFile(
            await asyncio.to_thread(text.decode),
            done["name"],
            done["kind"],
            tuple(done["notes"]),
            Choices(done["sizes"], tuple(done["platforms"]), done["platform"]),
            tuple(done["arguments"]),
            folder / ARRAYS,
        )

    @property
    def _seconds(self) -> float:
        return self._settings.second_engine_time_limit_ms / 1000

    def _request(
        self, path: Path, name: str, sizes: Mapping[str, int], platform: str | None, folder: str
    ) -> bytes:
        stated = {
            "path": str(path),
            "name": name,
            "sizes": dict(sizes),
            "platform": platform,
            "folder": folder,
            "converts": self._converts,
            "limits": asdict(self._settings.limits()),
            "seconds": self._seconds,
            "address_space": self._settings.second_engine_rlimit_as_bytes,
        }
        return json.dumps(stated).encode()
