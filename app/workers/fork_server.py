"""The process from which workers are forked, and the server's handle of it.

It loads NumPy and the engine once, opens only hloscope's own examples and keeps one thread, so a fork is safe and takes
milliseconds. A request is a `Purpose` and the worker's end of a socket pair; the reply is the process id of the worker.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import json
import signal
import socket
import struct
from dataclasses import asdict, dataclass
from typing import Any

from ..base.loading import loading
from ..processes.child_process import Child, passed_on
from ..processes.confine import fork, freeze
from ..processes.file_access import own_folders
from ..processes.shared_pages import fill_pools, make_immortal
from ..processes.worker import Listener, Worker

MODULE = "hloscope.app.workers.fork_server"
START_SECONDS = 60.0
"""Timeout for the fork server's first reply."""
HUGE_PAGES = "glibc.malloc.hugetlb=1"
"""Huge pages for new memory, with which whole models are recorded a third faster; see `use_huge_pages`."""
PID = struct.Struct("<q")
"""The fork server's reply to a request: the process id of the new worker."""
MOST_REQUEST_BYTES = 1 << 13


@dataclass(frozen=True)
class Purpose:
    """The module whose `serve(connection)` a forked worker runs, and what the worker may do."""

    module: str
    writes_files: bool = False
    starts_programs: bool = False
    """Whether it starts processes, which run programs and are confined themselves."""


SESSIONS = Purpose("hloscope.app.workers.worker")
"""The purpose of workers for sessions and of checkers."""


def start_fork_server(blas_threads: int) -> Child:
    """The process from which workers are forked; it ends with the thread that starts it."""
    # Workers use more threads for large products; Apple's library reads their number only from here.
    threads = {"VECLIB_MAXIMUM_THREADS": str(blas_threads)}
    return Child(MODULE, {"GLIBC_TUNABLES": HUGE_PAGES} | passed_on() | threads)


def fork_request(purpose: Purpose, address_space: int, uploads: str) -> bytes:
    """The request for a new worker, sent with the worker's end of a socket; the reply is a `PID`."""
    request = {**asdict(purpose), "address_space": address_space, "uploads": [uploads]}
    return json.dumps(request).encode()


class ForkServer:
    """Forks workers; starts with the first one, and again if it has ended."""

    def __init__(self, blas_threads: int, address_space: int, uploads: str) -> None:
        """`address_space` of a worker in bytes, 0: no limit; `uploads`: the folder of files that workers read."""
        self._blas_threads, self._address_space, self._uploads = blas_threads, address_space, uploads
        self._child: Child | None = None
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
        control = self._started().connection
        request = fork_request(purpose, self._address_space, self._uploads)
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                socket.send_fds(control, [request], [theirs.fileno()])
            loop = asyncio.get_running_loop()
            answer = await asyncio.wait_for(loop.sock_recv(control, PID.size), START_SECONDS)
            if len(answer) != PID.size:
                raise EOFError("the fork server has ended")
            return await Worker.connect(PID.unpack(answer)[0], ours, on_event)
        except BaseException:
            ours.close()
            raise

    def _started(self) -> Child:
        # In the event loop's thread: `die_with_parent` ends a child when the thread that started it ends.
        if self._child is None:
            self._child = start_fork_server(self._blas_threads)
            self._child.connection.setblocking(False)
        return self._child

    def close(self) -> None:
        """End the fork server, and with it every worker."""
        if self._child is not None:
            self._child.close()
            self._child = None


# In the fork server


def serve(control: socket.socket) -> None:
    """Fork workers until the socket closes."""
    with loading():
        from . import worker

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    worker.preload()
    own_folders()
    freeze()
    # Before the first fork: a worker that exists already would not share what they write.
    make_immortal()
    fill_pools()
    while True:
        data, handles, _, _ = socket.recv_fds(control, MOST_REQUEST_BYTES, 1)
        if not data or not handles:
            return
        with socket.socket(fileno=handles[0]) as connection:
            control.sendall(PID.pack(_fork(control, json.loads(data), connection)))


def _fork(control: socket.socket, request: dict[str, Any], connection: socket.socket) -> int:
    def work() -> None:
        control.close()
        importlib.import_module(request["module"]).serve(connection)

    allowed = {name: request[name] for name in ("writes_files", "starts_programs", "uploads")}
    return fork(work, request["address_space"], "a worker ended", **allowed)
