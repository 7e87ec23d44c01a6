"""A place on a node of a Ray cluster: an actor that forks workers of sessions, which speak to the server directly, or starts
child processes, which speak to a command that compares many programs.

Ray only starts, counts and restarts the actor. The server opens a TCP connection for each worker, sends its secret, and the
place hands the connection to the worker that it forks: from then on it serves as a local worker's socket does. Another
connection, the line, stays open as long as the server has the place: when it ends, so do the workers.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO

from ..base.keys import computing_versions, engine_build
from ..processes.child_process import Child, passed_on
from ..processes.framing import Channel, FrameError
from .fork_server import PID, SESSIONS, fork_request, start_fork_server

SECRET_BYTES = 32
HELLO_SECONDS = 5.0
"""Timeout for the next bytes of a connection that has not sent the secret yet."""
MOST_STRANGERS = 32
"""Maximum connections that have not sent the secret yet."""
SILENT_SECONDS = 4
"""Time after which the other end of the line counts as lost, if its machine does not even acknowledge."""
PIECE_BYTES = 1 << 20
FOLDER = "hloscope-place-"
"""Start of the name of a place's temporary folder; its process id and random characters follow."""
_FILE = re.compile(r"[0-9a-f]{64}")


class Place:
    """The actor; each of its connections has a thread. The fork server ends with the thread that makes the actor, which lasts."""

    def __init__(self, secret: str, blas_threads: int, address_space: int) -> None:
        """`secret`: what each connection begins with, in hexadecimal; `address_space` of a worker in bytes, 0: no limit.

        `blas_threads`: 0 for a place that forks no workers.
        """
        from ray.util import get_node_ip_address

        self._secret, self._address_space = bytes.fromhex(secret), address_space
        self._numbers, self._strangers = count(1), threading.BoundedSemaphore(MOST_STRANGERS)
        self._lock, self._workers = threading.Lock(), dict[int, int]()
        """The file descriptor of each worker's process: unlike its id, it never names another process."""
        _remove_left_folders()
        self._folder = Path(tempfile.mkdtemp(prefix=f"{FOLDER}{os.getpid()}-"))
        self._child = start_fork_server(blas_threads) if blas_threads else None
        host = get_node_ip_address()
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listening = socket.create_server((host, 0), family=family)
        threading.Thread(target=self._accept, daemon=True).start()
        if self._child is not None:
            threading.Thread(target=self._end_with, args=(self._child,), daemon=True).start()

    def address(self) -> tuple[str, int]:
        """Host and port on which the place listens."""
        host, port = self._listening.getsockname()[:2]
        return str(host), int(port)

    def _end_with(self, child: Child) -> None:
        """Have Ray restart the place when the fork server, and thus every worker, has ended."""
        child.process.wait()
        os._exit(1)

    def _accept(self) -> None:
        while True:
            connection, _ = self._listening.accept()
            self._strangers.acquire()
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError, EOFError, FrameError):
            channel = Channel(connection)
            try:
                hello = self._hello(channel)
            finally:
                self._strangers.release()
            match hello.get("kind"):
                case "line":
                    self._hold_line(channel)
                case "worker":
                    self._host_worker(channel, self._fork)
                case "child":
                    self._host_child(channel, hello)
                case "versions":
                    channel.send(computing_versions())
                case "file":
                    self._take_file(channel, hello)

    def _hello(self, channel: Channel) -> dict[str, Any]:
        """The purpose of the connection; of one that does not send the secret, nothing more is read."""
        connection = channel.connection
        connection.settimeout(HELLO_SECONDS)
        said = b""
        while len(said) < SECRET_BYTES:
            if not (piece := connection.recv(SECRET_BYTES - len(said))):
                raise EOFError
            said += piece
        if not secrets.compare_digest(said, self._secret):
            raise EOFError
        frame = channel.receive()
        connection.settimeout(None)
        return frame.message if frame else {}

    def _hold_line(self, channel: Channel) -> None:
        """Signal the workers that the server names, and end all of them with the line."""
        keep_line_alive(channel.connection)
        channel.send({"build": engine_build()})
        try:
            while (frame := channel.receive()) is not None:
                self._signal(frame.message["worker"], frame.message["signal"])
        finally:
            for number in list(self._workers):
                self._signal(number, signal.SIGKILL)

    def _signal(self, number: int, which: int) -> None:
        with self._lock, contextlib.suppress(ProcessLookupError):
            if (handle := self._workers.get(number)) is not None:
                signal.pidfd_send_signal(handle, which)

    def _host_child(self, channel: Channel, hello: Mapping[str, Any]) -> None:
        """Start a child that has the connection; the processes that it has started end with it."""
        with contextlib.ExitStack() as ending:

            def start(connection: socket.socket, folder: Path) -> tuple[int, int]:
                environment = {**os.environ, **passed_on(), **hello["environment"], "TMPDIR": str(folder)}
                errors = subprocess.DEVNULL
                child = Child(
                    hello["module"], environment, errors=errors, leads_group=True, connection=connection
                )
                ending.callback(child.close)
                return child.process.pid, os.pidfd_open(child.process.pid)

            self._host_worker(channel, start)

    def _host_worker(self, channel: Channel, start: Callable[[socket.socket, Path], tuple[int, int]]) -> None:
        """Start a worker that has the connection; wait for its end, and delete its files."""
        number = next(self._numbers)
        folder = self._folder / str(number)
        folder.mkdir(mode=0o700)
        try:
            pid, handle = start(channel.connection, folder)
            with self._lock:
                self._workers[number] = handle
            channel.send({"worker": number, "pid": pid, "folder": str(folder)})
            channel.connection.close()
            end = select.poll()
            end.register(handle, select.POLLIN)
            end.poll()
        finally:
            with self._lock:
                if (ended := self._workers.pop(number, None)) is not None:
                    os.close(ended)
            shutil.rmtree(folder, ignore_errors=True)

    def _fork(self, connection: socket.socket, folder: Path) -> tuple[int, int]:
        """The id of a new worker's process, and its descriptor."""
        assert self._child is not None
        request = fork_request(SESSIONS, self._address_space, str(folder))
        control = self._child.connection
        with self._lock:  # each reply belongs to the latest request
            socket.send_fds(control, [request], [connection.fileno()])
            answer = control.recv(PID.size)
        if len(answer) != PID.size:
            raise EOFError
        pid: int = PID.unpack(answer)[0]
        return pid, os.pidfd_open(pid)

    def _take_file(self, channel: Channel, hello: Mapping[str, Any]) -> None:
        """Write a file for a worker into its folder, and answer with the reason if that fails."""
        name, size, number = str(hello["name"]), int(hello["size"]), int(hello["worker"])
        if not _FILE.fullmatch(name) or number not in self._workers:
            return
        try:
            with (self._folder / str(number) / name).open("wb") as file:
                _receive_into(file, channel.connection, size)
        except OSError as error:
            channel.send({"trouble": error.strerror or str(error)})
        else:
            channel.send({"trouble": None})


def _receive_into(file: BinaryIO, connection: socket.socket, size: int) -> None:
    left, trouble = size, None
    while left:
        if not (piece := connection.recv(min(left, PIECE_BYTES))):
            raise EOFError
        left -= len(piece)
        try:
            if trouble is None:
                file.write(piece)
        except OSError as error:  # the rest is read, so that the sender reads the answer
            trouble = error
    if trouble is not None:
        raise trouble


def _remove_left_folders() -> None:
    """Delete the folders of places that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{FOLDER}*"):
        owner = folder.name.removeprefix(FOLDER).partition("-")[0]
        if not Path("/proc", owner).exists():
            shutil.rmtree(folder, ignore_errors=True)


def keep_line_alive(connection: socket.socket) -> None:
    """Have the system end the connection soon after the machine at its other end is lost."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    options = {
        "TCP_KEEPIDLE": 1,
        "TCP_KEEPINTVL": 1,
        "TCP_KEEPCNT": SILENT_SECONDS - 1,
        "TCP_USER_TIMEOUT": 1000 * SILENT_SECONDS,
    }
    for name, value in options.items():
        if hasattr(socket, name):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
