"""Workers: processes that answer requests of the server, each from its own socket."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import secrets
import signal
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

from ..base.errors import ApiError
from ..wire.events import WorkerError, WorkerEvent
from ..wire.questions import Answer, Question, ReplyMessage, RequestMessage
from ..wire.tasks import Task
from . import framing
from .child_process import Child
from .framing import Buffer, Frame, FrameError

log = logging.getLogger("hloscope")

TERMINATE_SECONDS = 0.1
"""Timeout after SIGTERM, before SIGKILL."""

Listener = Callable[[WorkerEvent], None]
A = TypeVar("A")
R = TypeVar("R")


class WorkerDied(Exception):
    """The worker ended before it answered."""


class RunClosed(Exception):
    """The worker has not opened the run that a question is about, or has closed it."""


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

    @classmethod
    async def connect(cls, pid: int, connection: socket.socket, on_event: Listener) -> Worker:
        """The worker at the other end of a socket."""
        reader, writer = await asyncio.open_connection(sock=connection)
        return cls(pid, reader, writer, on_event)

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
        return (await self.perform(task, buffers))[0]

    async def perform(self, task: Task[R], buffers: Sequence[Buffer] = ()) -> tuple[R, Sequence[Buffer]]:
        """As `do`, and the buffers that come with the result."""
        frame = await self._request(type(task).__name__, "", vars(task), buffers)
        if "result" not in frame.message:
            raise ApiError(500, "internal", "The worker sent an answer that the server cannot read.")
        return cast(R, frame.message["result"]), frame.buffers

    async def _request(
        self, kind: str, key: str, fields: dict[str, Any], buffers: Sequence[Buffer] = ()
    ) -> Frame:
        frame = await self._reply(kind, key, fields, buffers)
        message = cast(ReplyMessage, frame.message)
        if message.get("closed"):
            raise RunClosed(kind)
        if (error := message.get("error")) is not None:
            raise _api_error(error)
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

    async def ended(self) -> None:
        """Wait until it has ended."""
        await asyncio.wait([self._listener])

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


def _api_error(error: WorkerError) -> ApiError:
    """The server's error; an internal error of the worker is logged."""
    if error.get("trace"):
        number = secrets.token_hex(4)
        log.error("request %s failed in a worker\n%s", number, error["trace"])
    return ApiError(
        error["status"], error["kind"], error["message"], hint=error.get("hint"), limit=error.get("limit")
    )


@contextlib.asynccontextmanager
async def start_in_child(
    module: str, environment: Mapping[str, str], on_event: Listener = lambda event: None
) -> AsyncIterator[Worker]:
    """A worker in a child process; the child and the processes that it has started end with the `with` block."""
    child = Child(module, environment, errors=subprocess.DEVNULL, leads_group=True)
    try:
        worker = await Worker.connect(child.process.pid, child.connection, on_event)
    except BaseException:
        child.close()
        raise
    try:
        yield worker
    finally:
        child.kill()
        try:
            await worker.stop()
        finally:  # also if this task is cancelled here
            await asyncio.to_thread(child.process.wait)


async def perform_in_child(
    module: str,
    task: Task[R],
    buffers: Sequence[Buffer] = (),
    *,
    seconds: float,
    environment: Mapping[str, str],
    on_event: Listener = lambda event: None,
) -> R:
    """Start a child process for one task, and return the result.

    The child and the processes that it has started end with the task. Raises `TimeoutError` after `seconds`, `WorkerDied`
    or the child's `ApiError`.
    """
    async with start_in_child(module, environment, on_event) as worker, asyncio.timeout(seconds):
        return await worker.do(task, buffers)
