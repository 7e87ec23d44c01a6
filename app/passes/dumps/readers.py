"""The processes that read dumps: one per open dump, up to the limit in the settings."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

from ...base.errors import ApiError, over_limit
from ...base.settings import Settings
from ...processes.child_process import passed_on
from ...processes.worker import Listener, Worker, WorkerDied, perform_in_child
from ...wire.dump_questions import CountProtocolBuffers, OpenDump, PackDump, WriteTexts
from ...wire.dumps import DumpContents
from ...wire.questions import Answer, Question
from ...workers.fork_server import ForkServer, Purpose

A = TypeVar("A")
DUMPS = Purpose("hloscope.app.passes.dump_worker", starts_programs=True)
TEXTS = "hloscope.app.passes.proto_texts"
PACKING = Purpose("hloscope.app.passes.packing", writes_files=True)
LOOK_SECONDS = 10.0
READERS_PER_DUMP = 2
"""Processes that read dumps, for each dump that may be examined at the same time."""


class DumpReaders:
    """Start processes for dumps, query them, and end the idle ones."""

    def __init__(self, settings: Settings, fork_server: ForkServer) -> None:
        self.settings, self._fork_server = settings, fork_server
        self._readers: OrderedDict[str, _Reader] = OrderedDict()
        self._conversion = asyncio.Semaphore(max(1, settings.max_second_engines))

    async def pack(self, source: Path, called: str, target: Path) -> None:
        """Convert a folder or tar archive to a zip archive; `ApiError` if this is impossible."""
        task = PackDump(str(source), called, str(target), self.settings.max_dump_bytes)
        worker = await self._fork_server.fork(lambda event: None, PACKING)
        try:
            await self._in_time(worker.do(task))
        except WorkerDied:
            raise _died(called) from None
        finally:
            await worker.stop()

    async def read(self, path: Path, called: str) -> DumpContents:
        """The contents of an archive; `ApiError` if it is not a dump."""
        async with self.process(path, called) as (_, contents):
            return contents

    async def count_protocol_buffers(self, path: Path, called: str) -> int:
        """The number of protocol buffers in an archive that have no text; `ApiError` if it cannot be read."""
        settings = self.settings
        task = CountProtocolBuffers(str(path), called, asdict(settings.limits()), settings.max_dump_bytes)
        worker = await self._fork_server.fork(lambda event: None, DUMPS)
        try:
            return await self._in_time(worker.do(task))
        except WorkerDied:
            raise _died(called) from None
        finally:
            await worker.stop()

    async def write_texts(self, source: Path, called: str, target: Path) -> None:
        """Write an archive with the texts of its protocol buffers; `ApiError` if one cannot be read."""
        settings = self.settings
        limit = settings.second_engine_time_limit_ms
        task = WriteTexts(
            *(str(source), called, str(target), asdict(settings.limits()), settings.max_dump_bytes),
            *(limit / 1000, settings.second_engine_rlimit_as_bytes),
        )
        try:
            async with self._conversion:
                await perform_in_child(TEXTS, task, seconds=limit / 1000, environment=passed_on())
        except TimeoutError:
            message = f"The protocol buffers of {called} took too long to read."
            raise over_limit(422, "second_engine_time_limit_ms", limit, message) from None
        except WorkerDied:
            raise _died(called) from None

    @asynccontextmanager
    async def process(
        self, path: Path, called: str, on_event: Listener = lambda event: None
    ) -> AsyncIterator[tuple[Worker, DumpContents]]:
        """A separate process that has read the dump; it ends with the block."""
        worker = await self._fork_server.fork(on_event, DUMPS)
        try:
            yield worker, await self._open(worker, path, called)
        except WorkerDied:
            raise _died(called) from None
        finally:
            await worker.stop()

    async def ask(self, dump: str, path: Path, called: str, question: Question[A]) -> Answer[A]:
        """The answer of the process that reads a dump."""
        reader = self._readers.setdefault(dump, _Reader())
        self._readers.move_to_end(dump)
        async with reader.lock:
            reader.asked = time.monotonic()
            try:
                if reader.worker is None or not reader.worker.alive:
                    await self._make_room()
                    reader.worker = await self._fork_server.fork(lambda event: None, DUMPS)
                    await self._open(reader.worker, path, called)
                return await self._in_time(reader.worker.ask("", question))
            except WorkerDied:
                raise _died(called) from None
            except ApiError as error:
                if error.limit == "check_time_limit_ms" and reader.worker is not None:
                    await reader.worker.stop()
                raise

    async def forget(self, dump: str) -> None:
        """End the process of a dump."""
        reader = self._readers.get(dump)
        if reader is None:
            return
        if not reader.lock.locked():  # another request waits, and starts another process
            del self._readers[dump]
        if reader.worker is not None:
            await reader.worker.stop()

    async def watch(self) -> None:
        """End processes after a period without requests; runs forever."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            limit = time.monotonic() - self.settings.session_idle_release_s
            for dump in [dump for dump, reader in self._readers.items() if reader.is_idle(limit)]:
                await self.forget(dump)

    async def stop(self) -> None:
        """End all processes."""
        for dump in list(self._readers):
            await self.forget(dump)

    async def _make_room(self) -> None:
        """End the least recently used idle processes above the limit."""
        running = [reader for reader in self._readers.values() if reader.worker and reader.worker.alive]
        over = max(0, len(running) + 1 - READERS_PER_DUMP * max(1, self.settings.max_active_dumps))
        idle = [
            dump for dump, reader in self._readers.items() if reader in running and not reader.lock.locked()
        ]
        for dump in idle[:over]:
            await self.forget(dump)

    async def _open(self, worker: Worker, path: Path, called: str) -> DumpContents:
        settings = self.settings
        task = OpenDump(str(path), called, asdict(settings.limits()), settings.max_dump_bytes)
        return await self._in_time(worker.do(task))

    async def _in_time(self, answer: Awaitable[A]) -> A:
        limit = self.settings.check_time_limit_ms
        try:
            return await asyncio.wait_for(answer, limit / 1000)
        except TimeoutError:
            message = f"This took longer than {limit:,} ms and was stopped."
            raise over_limit(503, "check_time_limit_ms", limit, message) from None


class _Reader:
    """The process of a dump, while there is one."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.worker: Worker | None = None
        self.asked = time.monotonic()

    def is_idle(self, limit: float) -> bool:
        """Whether there was no request since then, and none is waiting."""
        return self.asked < limit and not self.lock.locked()


def _died(called: str) -> ApiError:
    return ApiError(
        503, "crashed", f"The process that read {called} has ended.",
        hint="It may need more memory than this machine has.",
    )  # fmt: skip
