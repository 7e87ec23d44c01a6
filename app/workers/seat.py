"""A session's place at the workers: its worker, while it has one, and what is known of its runs."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ..errors import ApiError
from ..input_files import files_in, with_paths
from .process import Worker

JSON = dict[str, Any]
log = logging.getLogger("hloscope")

MOST_RUNS = 2
"""Runs that a worker keeps open: the newest, and the one that it is compared with."""


@dataclass
class OpenRequest:
    """What a worker needs to open a run."""

    text: str = field(repr=False)
    name: str
    entry: str | None
    inputs: list[JSON | None]
    """Specifications; those of kind `file` with the path of the file."""
    previous: list[JSON] = field(default_factory=list)
    """Arguments of the run before, which new ones take their inputs from."""
    steps: int = 0
    """Steps that were recorded before."""
    grid: JSON | None = None
    """The grid that the user chose."""
    feeds: JSON | None = None
    """What is put into queues: `RunRecord.feeds`, files with their paths."""


@dataclass
class Status:
    """What the server knows of a run without asking its worker."""

    state: JSON
    steps: int
    frames: int
    goal: JSON | None
    """How far it was asked to go, while it goes."""
    fault: JSON | None = None
    """The op that was killed and why: never started again by itself."""
    deaths: int = 0
    """How often a worker died while it recorded this without coming further."""
    reached: int = 0
    """Steps at the last death."""
    prints: int = 0
    """How often the program has printed something."""
    progress: JSON = field(
        default_factory=lambda: {"processes": 1, "ticks": 0, "meetings": 0, "queues": 0, "hungry": False}
    )
    """How far the grid is: its processes, ticks, meetings, and a number that grows when a queue changes."""
    asked: bool = False
    """Whether more of it is asked for, and a worker has not heard of that yet: it is at rest, but not for long."""
    at: int = 0
    """When the worker said what is known, by the clock that all processes share."""

    @property
    def active(self) -> bool:
        """Whether it is being recorded."""
        return bool(self.state["kind"] == "recording")

    @property
    def resting(self) -> str:
        """Why it stays paused when it is opened again."""
        return str(self.state["reason"]) if self.state["kind"] == "paused" else ""

    def take(self, message: JSON) -> None:
        """What the worker says about it, unless it has said something newer: events overtake answers."""
        if message["at"] < self.at:
            return
        self.at = message["at"]
        self.state, self.steps = message["state"], message["steps"]
        before = (self.frames, self.prints) if message["replaying"] else (0, 0)
        self.frames, self.prints = max(before[0], message["frames"]), max(before[1], message["prints"])
        progress = self.progress if message["replaying"] else {}
        self.progress = {
            name: max(count, progress.get(name, 0)) for name, count in message["progress"].items()
        }
        if self.steps > self.reached:
            self.deaths = 0
        if not self.active:
            self.goal = None

    def described(self) -> JSON:
        """As the API says it."""
        counts = {"steps": self.steps, "frames": self.frames, "prints": self.prints}
        return {"state": self.state, **counts, **self.progress}


class Seat:
    """One session; `lock` is held while its worker is started or a run is opened."""

    def __init__(self, session: str) -> None:
        self.session = session
        self.lock = asyncio.Lock()
        self.worker: Worker | None = None
        self.opened: set[str] = set()
        self.runs: dict[str, Status] = {}
        self.openers: dict[str, OpenRequest] = {}
        self.opening: dict[str, asyncio.Task[Worker]] = {}
        self.early: dict[str, JSON] = {}
        """States of runs that came before the answer that they are open was looked at."""
        self.stuck: JSON | None = None
        self.killed: ApiError | None = None
        """Why the server ended the worker, if it did."""
        self.last_used = self.started = time.monotonic()
        self._asking = 0
        self._generation = 0

    @property
    def alive(self) -> bool:
        """Whether it has a worker."""
        return self.worker is not None and self.worker.alive

    @property
    def recording(self) -> bool:
        """Whether one of its runs is being recorded."""
        return any(status.active for status in self.runs.values())

    @property
    def busy(self) -> bool:
        """Whether its worker has something to do."""
        return self.alive and (self.recording or (self.worker is not None and self.worker.waiting > 0))

    @property
    def idle(self) -> bool:
        """Whether its worker has nothing to do, and nobody is about to ask it."""
        return self.alive and not self.busy and not self.opening and not self.lock.locked()

    @property
    def quiet_since(self) -> float:
        """Since when its worker has had nothing to do, by the monotonic clock."""
        return max(self.last_used, self.worker.last_heard if self.worker else 0.0)

    @property
    def asked(self) -> bool:
        """Whether a request waits for it."""
        return self._asking > 0

    @contextmanager
    def asking(self) -> Iterator[None]:
        """For as long as a request waits."""
        self._asking += 1
        self.last_used = time.monotonic()
        try:
            yield
        finally:
            self._asking -= 1

    def listener(self, changed: Callable[[Seat, str], None], died: Callable[[Seat], None]) -> Any:
        """What to do with the events of the worker that is started now."""
        self._generation += 1
        generation = self._generation

        def hear(message: JSON) -> None:
            match message.get("event"):
                case "state":
                    self.stuck = None
                    self.hear_state(message, changed)
                case "stuck":
                    self.stuck = message
                case "fault":
                    log.error("a run failed\n%s", message["trace"])
                case "end" if generation == self._generation:
                    self.opened.clear()
                    died(self)

        return hear

    def keep_opener(self, key: str, request: OpenRequest) -> None:
        """What opens a run again, of as many as a worker keeps open: it holds the whole text."""
        self.openers.pop(key, None)
        self.openers[key] = request
        while len(self.openers) > MOST_RUNS:
            del self.openers[next(iter(self.openers))]

    def leave(self) -> Worker | None:
        """Give the worker up; the text of its runs is in the store."""
        worker, self.worker = self.worker, None
        self._generation += 1
        self.opened.clear()
        self.openers.clear()
        self.early.clear()
        return worker

    def hear_state(self, message: JSON, changed: Callable[[Seat, str], None]) -> None:
        """A run has come further."""
        key = message["key"]
        if key in self.runs:
            self.runs[key].take(message)
            changed(self, key)
        else:
            self.early[key] = message

    def where(self) -> str:
        """What its worker is busy with, as the start of a sentence."""
        stuck = self.stuck or {}
        if stuck.get("doing") == "slice" and stuck.get("line"):
            return f"The op at line {stuck['line']} is still running"
        if any(status.active for status in self.runs.values()):
            return "The run is still being recorded"
        return "The worker is still busy"


def opened_again(result: JSON, request: OpenRequest) -> OpenRequest:
    """What opens a run again that was opened: what the worker settled on, with the paths of files."""
    given = [request.inputs, [old["input"] for old in request.previous], request.feeds]
    paths = {spec["file"]: spec["path"] for spec in files_in(given) if spec.get("path")}
    inputs = [argument["input"] for argument in result["arguments"]]
    return OpenRequest(
        request.text, request.name, result["entry"], with_paths(inputs, paths.get), grid=request.grid,
        feeds=with_paths(result["feeds"], paths.get),
    )  # fmt: skip
