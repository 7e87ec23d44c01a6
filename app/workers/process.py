"""Handles of the fork server and of workers: start, request, stop."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
import struct
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar, cast

from ..base.errors import ApiError
from ..processes import framing
from ..processes.child_process import passed_on, start_child
from ..processes.framing import Buffer, Frame, FrameError
from ..processes.worker_errors import RunClosed, WorkerDied, api_error
from ..wire.events import WorkerEvent
from ..wire.messages import ReplyMessage, RequestMessage
from ..wire.questions import Answer, Question
from ..wire.tasks import Task

log = logging.getLogger("hloscope")

TERMINATE_SECONDS = 0.1
"""Timeout after SIGTERM, before SIGKILL."""
START_SECONDS = 60.0
"""Timeout for the fork server's first reply."""
HUGE_PAGES = "glibc.malloc.hugetlb=1"
"""Huge pages for new memory, with which whole models are recorded a third faster."""

PID = struct.Struct("<q")
"""The fork server's reply to a request: the process id of the new worker."""


@dataclass(frozen=True)
class Purpose:
    """The module whose `serve(connection)` a forked worker runs, and what the worker may do."""

    MAX_BYTES: ClassVar[int] = 256
    module: str
    writes_files: bool = False

    def encode(self) -> bytes:
        """The request to the fork server; it fits into `MAX_BYTES`."""
        return f"{int(self.writes_files)}{self.module}".encode()

    @classmethod
    def decode(cls, data: bytes) -> Purpose:
        """The purpose that `encode` wrote."""
        return cls(data[1:].decode(), data[:1] == b"1")


SESSIONS = Purpose("hloscope.app.workers.worker")
"""The purpose of workers for sessions and of checkers."""

Listener = Callable[[WorkerEvent], None]
A = TypeVar("A")
R = TypeVar("R")


class ForkServer:
    """Forks workers; starts with the first one, and again if it has ended."""

    def __init__(self, blas_threads: int, address_space: int) -> None:
        self._blas_threads, self._address_space = blas_threads, address_space
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._lock = asyncio.Lock()

    async def fork(self, on_event: Listener, purpose: Purpose = SESSIONS) -> Worker:
        """A new worker for `purpose`.

        A cancelled caller waits for its worker and ends it: the next caller would read the reply as its own.
        """
        forking = asyncio.create_task(self._fork_in_turn(on_event, purpose))
        try:
            return await asyncio.shield(forking)
        except asyncio.CancelledError:
            with contextlib.suppress(OSError, EOFError):
                await (await forking).stop()
            raise

    async def _fork_in_turn(self, on_event: Listener, purpose: Purpose) -> Worker:
        async with self._lock:
            try:
                return await self._fork(on_event, purpose)
            except (OSError, EOFError):
                self.close()
                return await self._fork(on_event, purpose)

    async def _fork(self, on_event: Listener, purpose: Purpose) -> Worker:
        control = self._start()
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                socket.send_fds(control, [purpose.encode()], [theirs.fileno()])
            loop = asyncio.get_running_loop()
            answer = await asyncio.wait_for(loop.sock_recv(control, PID.size), START_SECONDS)
            if len(answer) != PID.size:
                raise EOFError("the fork server has ended")
            reader, writer = await asyncio.open_connection(sock=ours)
        except BaseException:
            ours.close()
            raise
        return Worker(PID.unpack(answer)[0], reader, writer, on_event)

    def _start(self) -> socket.socket:
        # In the event loop's thread: `die_with_parent` ends a child when the thread that started it ends.
        if self._control is None:
            ours, theirs = socket.socketpair()
            with theirs:
                self._process = start_child(
                    "hloscope.app.workers.fork_server", theirs, self._address_space, self._environment()
                )
            ours.setblocking(False)
            self._control = ours
        return self._control

    def _environment(self) -> dict[str, str]:
        # Workers use more threads for large products; Apple's library reads their number only from here.
        threads = {"VECLIB_MAXIMUM_THREADS": str(self._blas_threads)}
        return {"GLIBC_TUNABLES": HUGE_PAGES} | passed_on() | threads

    def close(self) -> None:
        """End the fork server, and with it every worker."""
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


class Worker:
    """A worker process; its answers come in any order, with events in between."""

    def __init__(
        self, pid: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, on_event: Listener
    ) -> None:
        self.pid, self.alive = pid, True
        self.last_heard = time.monotonic()
        """Time of the last answer or event, `stuck` events excepted."""
        self._reader, self._writer, self._on_event = reader, writer, on_event
        self._waiting: dict[int, asyncio.Future[Frame]] = {}
        self._unanswered: set[int] = set()
        """Includes abandoned requests, which still keep the worker busy."""
        self._number = 0
        self._listener = asyncio.create_task(self._listen())

    @property
    def waiting(self) -> int:
        """The number of unanswered requests."""
        return len(self._unanswered)

    async def ask(self, key: str, question: Question[A]) -> Answer[A]:
        """The answer about a recording. Raises `RunClosed`, `WorkerDied` or the worker's `ApiError`."""
        frame = await self._request(type(question).__name__, key, vars(question))
        head = cast(ReplyMessage, frame.message).get("answer")
        if head is None or not frame.buffers:
            raise ApiError(500, "internal", "The worker sent an answer that the server cannot read.")
        return Answer(frame.buffers[0], head["type"], head["final"], head["headers"])

    async def do(self, task: Task[R], buffers: Sequence[Buffer] = ()) -> R:
        """The result of a task. Raises `RunClosed`, `WorkerDied` or the worker's `ApiError`."""
        frame = await self._request(type(task).__name__, "", vars(task), buffers)
        if "result" not in frame.message:
            raise ApiError(500, "internal", "The worker sent an answer that the server cannot read.")
        return cast(R, frame.message["result"])

    async def _request(
        self, kind: str, key: str, fields: dict[str, Any], buffers: Sequence[Buffer] = ()
    ) -> Frame:
        frame = await self._reply(kind, key, fields, buffers)
        message = cast(ReplyMessage, frame.message)
        if message.get("closed"):
            raise RunClosed(kind)
        if (error := message.get("error")) is not None:
            raise api_error(error)
        return frame

    async def _reply(self, kind: str, key: str, fields: dict[str, Any], buffers: Sequence[Buffer]) -> Frame:
        """The worker's reply; `WorkerDied` if it ends first."""
        if not self.alive:
            raise WorkerDied(kind)
        if not self._unanswered:
            self.last_heard = time.monotonic()
        self._number += 1
        number = self._number
        message: RequestMessage = {"id": number, "kind": kind, "key": key, "fields": fields}
        pieces = framing.encode(message, buffers)
        future: asyncio.Future[Frame] = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        self._unanswered.add(number)
        try:
            self._writer.writelines(pieces)
            await self._writer.drain()
            return await future
        except ConnectionError as error:
            future.cancel()
            await asyncio.wait([self._listener])  # otherwise a retry may get this worker again
            raise WorkerDied(kind) from error
        finally:
            self._waiting.pop(number, None)

    async def _listen(self) -> None:
        try:
            while (frame := await framing.read(self._reader)) is not None:
                self._take(frame)
        except ConnectionError:
            pass  # it was killed with unread data
        except FrameError as error:
            log.warning("worker %d sent an unreadable frame: %s", self.pid, error)
            self._signal(signal.SIGKILL)
        finally:
            self._end()

    def _take(self, frame: Frame) -> None:
        number = frame.message.get("id")
        if frame.message.get("event") != "stuck":
            self.last_heard = time.monotonic()
        if not isinstance(number, int):
            self._on_event(cast(WorkerEvent, frame.message))
            return
        self._unanswered.discard(number)
        if (future := self._waiting.get(number)) is not None and not future.done():
            future.set_result(frame)

    def _end(self) -> None:
        self.alive = False
        self._writer.close()
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(WorkerDied())
        self._on_event({"event": "end"})

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(self.pid, number)

    async def stop(self) -> None:
        """End the process with SIGTERM, then SIGKILL."""
        if self.alive:
            self._signal(signal.SIGTERM)
            await asyncio.wait([self._listener], timeout=TERMINATE_SECONDS)
        if self.alive:
            self._signal(signal.SIGKILL)
            await asyncio.wait([self._listener], timeout=1.0)
        if self.alive:
            self._listener.cancel()
            await asyncio.wait([self._listener])
