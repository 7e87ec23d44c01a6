"""One fork server for all servers that a process of the tests starts: each would load NumPy and the engine anew."""

from __future__ import annotations

import atexit
import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from threading import Lock
from unittest.mock import patch

from hloscope.app.processes.child_process import Child
from hloscope.app.processes.worker import Listener, Worker
from hloscope.app.workers import supervisor
from hloscope.app.workers.fork_server import SESSIONS, ForkServer, Purpose

_STARTER = ThreadPoolExecutor(1, "fork-servers")
"""Starts the processes: a child dies with the thread that started it, and this thread ends last."""
_RUNNING: dict[tuple[int, int], Child] = {}
_ONE_REQUEST = Lock()


@atexit.register
def _end_all() -> None:
    for child in _RUNNING.values():
        child.close()


class SharedForkServer(ForkServer):
    """Forks workers from a process that outlives it; `close` ends its own workers alone."""

    def __init__(self, blas_threads: int, address_space: int, uploads: str) -> None:
        super().__init__(blas_threads, address_space, uploads)
        self._key = blas_threads, address_space
        self._workers: set[int] = set()

    async def _fork(self, on_event: Listener, purpose: Purpose = SESSIONS) -> Worker:
        with _ONE_REQUEST:  # or another server would read the reply
            worker = await super()._fork(on_event, purpose)
        self._workers.add(worker.pid)
        return worker

    def _started(self) -> Child:
        child = _RUNNING.get(self._key)
        if child is None or child.process.poll() is not None:
            child = _RUNNING[self._key] = _STARTER.submit(
                ForkServer(*self._key, self._uploads)._started
            ).result()
        return child

    def close(self) -> None:
        """End the workers that this server has forked."""
        for pid in self._workers:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._workers.clear()


@contextmanager
def shared() -> Iterator[None]:
    """Servers that start within use the shared fork server."""
    with patch.object(supervisor, "ForkServer", SharedForkServer):
        yield
