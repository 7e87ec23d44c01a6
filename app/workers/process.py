"""The nursery and the workers as the server sees them: start one, talk to it, end it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import hloscope

from . import framing
from .framing import Buffer, Frame, FrameError
from .nursery import PID

log = logging.getLogger("hloscope")

TERMINATE_SECONDS = 0.1
START_SECONDS = 60.0
# `-P` and not `-m` alone: the folder that the user is in may hold a `hloscope` of its own.
START = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); "
    "from hloscope.app.workers.nursery import main; main(sys.argv[1:])"
)
PASSED_ON = (
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "LD_LIBRARY_PATH",
    "PYTHONPATH",
    "SYSTEMROOT",
    "TMPDIR",
    "VIRTUAL_ENV",
    "GLIBC_TUNABLES",
)
HUGE_PAGES = "glibc.malloc.hugetlb=1"
"""A recording touches much new memory, and Linux hands small pages out slowly: whole models run a third faster."""

INSTALLED = Path(hloscope.__file__).parents[1]
"""The folder that workers import hloscope from: the same as the server's."""

Event = Callable[[dict[str, Any]], None]


class WorkerDied(Exception):
    """The worker ended before it answered."""


class Nursery:
    """Forks workers; is started with the first one, and again if it has ended."""

    def __init__(self, blas_threads: int, address_space: int) -> None:
        self._blas_threads, self._address_space = blas_threads, address_space
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._lock = asyncio.Lock()

    async def fork(self, on_event: Event) -> Worker:
        """A new worker."""
        async with self._lock:
            try:
                return await self._fork(on_event)
            except (OSError, EOFError):
                self.close()
                return await self._fork(on_event)

    async def _fork(self, on_event: Event) -> Worker:
        control = self._started()
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                socket.send_fds(control, [b"f"], [theirs.fileno()])
            loop = asyncio.get_running_loop()
            answer = await asyncio.wait_for(loop.sock_recv(control, PID.size), START_SECONDS)
            if len(answer) != PID.size:
                raise EOFError("the nursery has ended")
            reader, writer = await asyncio.open_connection(sock=ours)
        except BaseException:
            ours.close()
            raise
        return Worker(PID.unpack(answer)[0], reader, writer, on_event)

    def _started(self) -> socket.socket:
        # In the event loop's own thread: a child that dies with its parent dies with the thread that made it.
        if self._control is None:
            ours, theirs = socket.socketpair()
            with theirs:
                self._process = subprocess.Popen(
                    [
                        sys.executable, "-P", "-c", START, str(INSTALLED),
                        str(theirs.fileno()), str(os.getpid()), str(self._address_space),
                    ],
                    pass_fds=[theirs.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    env=self._environment(),
                )  # fmt: skip
            ours.setblocking(False)
            self._control = ours
        return self._control

    def _environment(self) -> dict[str, str]:
        # A worker has threads join in once a product is large; Apple's library takes their number from here alone.
        threads = {f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "OMP", "MKL")}
        threads["VECLIB_MAXIMUM_THREADS"] = str(self._blas_threads)
        given = {"GLIBC_TUNABLES": HUGE_PAGES}
        given |= {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        return given | threads | {"PYTHONUTF8": "1"}

    def close(self) -> None:
        """End the nursery, and with it every worker."""
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


class Worker:
    """One worker process; requests are numbered, answers come in any order, events in between."""

    def __init__(
        self, pid: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, on_event: Event
    ) -> None:
        self.pid, self.alive = pid, True
        self.last_heard = time.monotonic()
        """When it last answered or said that it went on; what it says while it is stuck does not count."""
        self._reader, self._writer, self._on_event = reader, writer, on_event
        self._waiting: dict[int, asyncio.Future[Frame]] = {}
        self._unanswered: set[int] = set()
        """Also those that nobody waits for any more: the worker is busy with them all the same."""
        self._number = 0
        self._listener = asyncio.create_task(self._listen())

    @property
    def waiting(self) -> int:
        """How many requests it has not answered."""
        return len(self._unanswered)

    async def request(self, method: str, parameters: dict[str, Any], buffers: Sequence[Buffer] = ()) -> Frame:
        """Its answer; `WorkerDied` if it ends first."""
        if not self.alive:
            raise WorkerDied(method)
        if not self._unanswered:
            self.last_heard = time.monotonic()
        self._number += 1
        number = self._number
        pieces = framing.encode({"id": number, "method": method, "parameters": parameters}, buffers)
        future: asyncio.Future[Frame] = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        self._unanswered.add(number)
        try:
            self._writer.writelines(pieces)
            await self._writer.drain()
            return await future
        except ConnectionError as error:
            future.cancel()
            await asyncio.wait([self._listener])  # or whoever tries again may get this worker again
            raise WorkerDied(method) from error
        finally:
            self._waiting.pop(number, None)

    async def _listen(self) -> None:
        try:
            while (frame := await framing.read(self._reader)) is not None:
                self._take(frame)
        except ConnectionError:
            pass  # it was killed with something to read left
        except FrameError as error:
            log.warning("worker %d sent what cannot be read: %s", self.pid, error)
            self._signal(signal.SIGKILL)
        finally:
            self._end()

    def _take(self, frame: Frame) -> None:
        number = frame.message.get("id")
        if frame.message.get("event") != "stuck":
            self.last_heard = time.monotonic()
        if not isinstance(number, int):
            self._on_event(frame.message)
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
        """SIGTERM, then SIGKILL."""
        if self.alive:
            self._signal(signal.SIGTERM)
            await asyncio.wait([self._listener], timeout=TERMINATE_SECONDS)
        if self.alive:
            self._signal(signal.SIGKILL)
            await asyncio.wait([self._listener], timeout=1.0)
        if self.alive:
            self._listener.cancel()
            await asyncio.wait([self._listener])
