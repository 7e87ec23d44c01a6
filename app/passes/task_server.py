"""The process that runs stages: it loads the engine once, and forks for each task.

It receives arrays, which all tasks share, and batches of tasks; it answers each task with one frame, in order
of completion. It also answers for a task that dies or exceeds its time limit.
"""

import os
import selectors
import signal
import socket
import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from ..processes.confine import fork, freeze
from ..processes.file_access import own_folders
from ..processes.framing import Channel, Frame, encode
from . import tasks
from .pool import OUT_OF_MEMORY


@dataclass
class _Child:
    """A running task."""

    number: int
    pid: int
    pipe: int
    deadline: float
    said: list[bytes] = field(default_factory=list)
    timed_out: bool = False


def serve(connection: socket.socket) -> None:
    """Run tasks until the socket is closed."""
    tasks.preload()
    own_folders()
    freeze()
    server = _Server(Channel(connection))
    while (frame := server.channel.receive()) is not None:
        server.take(frame)


class _Server:
    """Fork a process for each task of a batch, up to the requested number at a time."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self._kept: dict[str, Frame] = {}
        self._seconds = 60.0
        self._address_space = 0

    def take(self, frame: Frame) -> None:
        """Keep arrays, or run a batch whose tasks follow."""
        if "keep" in frame.message:
            self._kept[frame.message["keep"]] = frame
            return
        count, jobs = int(frame.message["batch"]), int(frame.message["jobs"])
        self._seconds = float(frame.message["seconds"])
        self._address_space = int(frame.message["address_space"])
        waiting: deque[tuple[int, Frame]] = deque()
        for number in range(count):
            task = self.channel.receive()
            if task is None:
                return
            waiting.append((number, task))
        self._run(waiting, jobs)

    def _run(self, waiting: deque[tuple[int, Frame]], jobs: int) -> None:
        running: dict[int, _Child] = {}
        with selectors.DefaultSelector() as selector:
            while waiting or running:
                while waiting and len(running) < jobs:
                    child = self._start(*waiting.popleft())
                    running[child.pipe] = child
                    selector.register(child.pipe, selectors.EVENT_READ)
                for key, _ in selector.select(timeout=0.2):
                    child = running[key.fd]
                    if self._listen(child):
                        selector.unregister(key.fd)
                        del running[key.fd]
                        self._end(child)
                self._end_slow(running.values())

    def _start(self, number: int, task: Frame) -> _Child:
        reading, writing = os.pipe()

        def perform() -> None:
            self.channel.connection.close()
            os.close(reading)
            try:
                message, buffers = tasks.perform(task, self._kept)
                with os.fdopen(writing, "wb") as stream:
                    stream.writelines(encode({**message, "id": number}, buffers))
            except MemoryError:
                os._exit(OUT_OF_MEMORY)

        pid = fork(perform, self._address_space, "a stage could not be run")
        os.close(writing)
        return _Child(number, pid, reading, time.monotonic() + self._seconds)

    def _listen(self, child: _Child) -> bool:
        """Receive a task's answer; whether the task has ended."""
        piece = os.read(child.pipe, 1 << 20)
        if piece:
            child.said.append(piece)
        return not piece

    def _end(self, child: _Child) -> None:
        os.close(child.pipe)
        _, status = os.waitpid(child.pid, 0)
        code = os.waitstatus_to_exitcode(status)
        if code == 0 and child.said:
            for piece in child.said:
                self.channel.connection.sendall(piece)
        else:
            self.channel.send({"id": child.number, "died": code, "timed_out": child.timed_out})

    def _end_slow(self, children: Iterable[_Child]) -> None:
        now = time.monotonic()
        for child in children:
            if now > child.deadline and not child.timed_out:
                child.timed_out = True
                os.kill(child.pid, signal.SIGKILL)
