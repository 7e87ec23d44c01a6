"""Child processes that fork from one that has imported what they run: to import it takes most of the time of a short test.

`python -m tests.app.forked_children MODULE HANDLE` is that process, which ends when its socket closes. There is one for each
module, and for each choice of JAX's settings, which are read with the import. A process of XLA reads XLA_FLAGS and the like after
the fork, when it first compiles.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, cast
from unittest.mock import patch

from hloscope.app.base.loading import loading
from hloscope.app.passes import pool, task_server, tasks
from hloscope.app.processes import worker
from hloscope.app.processes.child_process import Child
from hloscope.app.processes.confine import die_with_parent, limit_memory
from hloscope.app.xla import engine

ROOT = Path(__file__).parents[2]
STARTERS = (engine, pool, worker)
"""Modules that start children."""
MOST = 1 << 20
"""Bytes of a request; most of it is the environment."""
OF_RAY, OF_XLA = "hloscope.app.workers.", ("hloscope.app.xla.", "hloscope.app.comparing.")
_ORIGINS: dict[tuple[object, ...], Origin] = {}


class Origin:
    """The process that has imported a module."""

    def __init__(self, module: str, environment: Mapping[str, str]) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            # NumPy's BLAS may have threads by then, and makes them anew in a process that forks.
            quiet = "-Wignore:This process:DeprecationWarning"
            command = [sys.executable, quiet, "-m", __name__, module, str(theirs.fileno())]
            self._process = subprocess.Popen(
                command,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                cwd=ROOT,
                env=dict(environment),
            )

    def fork(self, request: Mapping[str, Any], handles: list[int]) -> None:
        """Fork a process that takes over these file descriptors."""
        socket.send_fds(self._socket, [json.dumps(request).encode()], handles)

    def close(self) -> None:
        """End the process."""
        self._socket.close()
        self._process.kill()
        self._process.wait()


class Forked:
    """What those who start children need of a `Popen`: the process is no child of ours, another one tells of its end."""

    def __init__(self, told: IO[bytes]) -> None:
        self.pid = int(told.readline())
        self.returncode: int | None = None
        self._told = told

    def wait(self, timeout: float | None = None) -> int:
        """The exit code; negative for a signal."""
        if self.returncode is None:
            if not select.select([self._told], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("a forked process", timeout or 0)
            with self._told:
                self.returncode = int(self._told.readline() or -signal.SIGKILL)
        return self.returncode

    def poll(self) -> int | None:
        """The exit code once the process has ended."""
        with suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def kill(self) -> None:
        """End the process, if it has not ended, even since the look at it."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)


class ForkedChild(Child):
    """A child that forks, where another one would import its module."""

    def __init__(self, module: str, environment: Mapping[str, str], **options: Any) -> None:
        is_elsewhere = options.get("python", sys.executable) != sys.executable or "connection" in options
        without_jax = (
            module.startswith(OF_XLA) and find_spec("jax") is None
        )  # its own process says what is missing
        if is_elsewhere or without_jax or module.startswith(OF_RAY):
            super().__init__(module, environment, **options)
            return
        self._leads_group, errors = options.get("leads_group", False), options.get("errors")
        self.connection, theirs = socket.socketpair()
        ours, told = os.pipe()
        with theirs, open(os.devnull, "wb") as nowhere:
            stream = nowhere if errors == subprocess.DEVNULL else errors
            request = {
                "environment": {**environment, "PYTHONUTF8": "1"},
                "address_space": options.get("address_space", 0),
                "leads_group": self._leads_group,
                "folder": os.getcwd(),
            }
            handles = [theirs.fileno(), 2 if stream is None else cast(IO[bytes], stream).fileno(), told]
            _origin(module, environment).fork(request, handles)
        os.close(told)
        self.process = cast(Any, Forked(os.fdopen(ours, "rb")))


def _origin(module: str, environment: Mapping[str, str]) -> Origin:
    key = (module, *sorted(item for item in environment.items() if item[0].startswith("JAX_")))
    if key not in _ORIGINS:
        _ORIGINS[key] = Origin(module, {**environment, "XLA_FLAGS": ""})
    return _ORIGINS[key]


@atexit.register
def _end_all() -> None:
    for origin in _ORIGINS.values():
        origin.close()


@contextmanager
def forked() -> Iterator[None]:
    """Children that start within are forked, where the system has sockets for whole messages: on Linux."""
    with ExitStack() as stack:
        for starter in STARTERS if sys.platform == "linux" else ():
            stack.enter_context(patch.object(starter, "Child", ForkedChild))
        yield


def serve(module: str, connection: socket.socket) -> None:
    """Fork until the socket closes."""
    with loading():
        answer = import_module(module).serve
        if module == task_server.__name__:
            tasks.preload()
    for number in (signal.SIGCHLD, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    while True:
        message, handles, _, _ = socket.recv_fds(connection, MOST, 3)
        if not message:
            return
        if os.fork() == 0:
            _watch(answer, json.loads(message), *handles)
        for handle in handles:
            os.close(handle)


def _watch(answer: Any, request: dict[str, Any], handle: int, errors: int, told: int) -> None:
    """Fork once more: the process tells its pid, and this one how it ends."""
    die_with_parent(os.getppid())
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    pid = os.fork()
    if pid == 0:
        if request["leads_group"]:
            os.setsid()
        os.write(told, f"{os.getpid()}\n".encode())
        os.close(told)
        os.dup2(errors, 2)
        try:
            _answer(answer, request, handle)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    os.close(handle)
    _, status = os.waitpid(pid, 0)
    with suppress(BrokenPipeError):  # nobody waits any more
        os.write(told, f"{os.waitstatus_to_exitcode(status)}\n".encode())
    os._exit(0)


def _answer(answer: Any, request: dict[str, Any], handle: int) -> None:
    die_with_parent(os.getppid())
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    limit_memory(request["address_space"])
    with socket.socket(fileno=handle) as connection:
        answer(connection)


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[2])) as given:
        serve(sys.argv[1], given)
