"""A session's place at the workers: its worker, while it has one, and what is known of its runs."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from ..base.errors import ApiError
from ..base.settings import Settings
from ..store.input_files import files_in, with_paths
from ..wire.events import RunReport, StuckEvent, WorkerEvent
from ..wire.program import GridSize
from ..wire.sessions import Argument, Feeds, InputSpec, LaterStart, Progress, RunState, RunStatus
from ..wire.tasks import MOST_RUNS, GoalInfo, OpenedRun, StopInfo
from .process import Listener, Worker

log = logging.getLogger("hloscope")

UNKNOWN_STATE: RunState = {"kind": "recording", "reason": "", "diagnostic": None}


@dataclass
class OpenRequest:
    """What a worker needs to open a run."""

    text: str = field(repr=False)
    name: str
    entry: str | None
    inputs: list[InputSpec | None]
    """Specifications; those of kind `file` with the path of the file."""
    previous: list[Argument] = field(default_factory=list)
    """Arguments of the run before, which new ones take their inputs from."""
    steps: int = 0
    """Steps that were recorded before."""
    grid: GridSize | None = None
    """The grid that the user chose."""
    feeds: Feeds | None = None
    """What is put into queues: `RunRecord.feeds`, files with their paths."""
    start: LaterStart | None = None
    """Where it begins, if not at its beginning; files with their paths."""


@dataclass
class Status:
    """What the server knows of a run without asking its worker."""

    state: RunState
    steps: int
    frames: int
    goal: GoalInfo | None
    """How far it was asked to go, while it goes."""
    fault: StopInfo | None = None
    """The op that was killed and why: never started again by itself."""
    deaths: int = 0
    """How often a worker died while it recorded this without coming further."""
    reached: int = 0
    """Steps at the last death."""
    prints: int = 0
    """How often the program has printed something."""
    findings: int = 0
    """How often an op did something wrong."""
    progress: Progress = field(
        default_factory=lambda: Progress(processes=1, ticks=0, meetings=0, queues=0, awaiting_item=False)
    )
    """How far the grid is: its processes, ticks, meetings, and a number that grows when a queue changes."""
    asked: bool = False
    """Whether more of it is asked for, and a worker has not heard of that yet: it is at rest, but not for long."""
    end: RunState | None = None
    """Its state at its end, once it has come there: it is that again when its replay is given up."""
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

    def take(self, message: RunReport) -> None:
        """Takes over the worker's report, unless it has sent a newer one: events overtake answers."""
        if message["at"] < self.at:
            return
        self.at = message["at"]
        self.state, self.steps = message["state"], message["steps"]
        if self.state["kind"] == "done":
            self.end = self.state
        elif message["replaying"] and not self.active:
            self.state = self.end or self.state
        before = (self.frames, self.prints, self.findings) if message["replaying"] else (0, 0, 0)
        counts = (message["frames"], message["prints"], message["findings"])
        self.frames, self.prints, self.findings = map(max, before, counts)
        known, progress = self.progress, message["progress"]
        self.progress = _furthest_progress(known, progress) if message["replaying"] else progress
        if self.steps > self.reached:
            self.deaths = 0
        if not self.active:
            self.goal = None

    def to_json(self) -> RunStatus:
        """The status as the API states it."""
        return {
            "state": self.state,
            "steps": self.steps,
            "frames": self.frames,
            "prints": self.prints,
            "findings": self.findings,
            **self.progress,
        }


def _furthest_progress(known: Progress, told: Progress) -> Progress:
    """While a run is replayed it is as far as it has ever been."""
    return {
        "processes": max(known["processes"], told["processes"]),
        "ticks": max(known["ticks"], told["ticks"]),
        "meetings": max(known["meetings"], told["meetings"]),
        "queues": max(known["queues"], told["queues"]),
        "awaiting_item": max(known["awaiting_item"], told["awaiting_item"]),
    }


class SessionWorker:
    """One session; `lock` is held while its worker is started or a run is opened."""

    def __init__(self, session: str) -> None:
        self.session = session
        self.lock = asyncio.Lock()
        self.worker: Worker | None = None
        self.opened: set[str] = set()
        self.runs: dict[str, Status] = {}
        self.openers: dict[str, OpenRequest] = {}
        self.opening: dict[str, asyncio.Task[Worker]] = {}
        self.early: dict[str, RunReport] = {}
        """States of runs that came before the answer that they are open was looked at."""
        self.stuck: StuckEvent | None = None
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
    def hold_place(self) -> Iterator[None]:
        """A context in which a request waits for the worker."""
        self._asking += 1
        self.last_used = time.monotonic()
        try:
            yield
        finally:
            self._asking -= 1

    def listener(
        self,
        changed: Callable[[SessionWorker, str], None],
        died: Callable[[SessionWorker], None],
        verifying: Callable[[str, int, int], None],
    ) -> Listener:
        """What to do with the events of the worker that is started now."""
        self._generation += 1
        generation = self._generation

        def hear(event: WorkerEvent) -> None:
            if event["event"] == "state":
                self.stuck = None
                self.hear_state(event, changed)
            elif event["event"] == "stuck":
                self.stuck = event
            elif event["event"] == "verifying":
                verifying(self.session, event["line"], event["lines"])
            elif event["event"] == "fault":
                log.error("a run failed\n%s", event["trace"])
            elif generation == self._generation:
                self.opened.clear()
                died(self)

        return hear

    @property
    def stuck_line(self) -> int | None:
        """The line of the op that takes so long, if one does."""
        return self.stuck.get("line") if self.stuck and self.stuck["doing"] == "slice" else None

    def stuck_at(self, steps: int) -> tuple[int, int | None]:
        """The step and the op that take so long; the step is `steps` where that is not known."""
        stuck = self.stuck
        return (stuck.get("step", steps), stuck.get("op")) if stuck else (steps, None)

    def fail(self, key: str) -> Status:
        """A run that ends its worker each time is not recorded again."""
        reason = "The worker process ended each time that this was recorded."
        self.runs[key].state = {"kind": "failed", "reason": reason, "diagnostic": None}
        return self.runs[key]

    def count_death(self, status: Status, most: int) -> None:
        """Its worker has died while it recorded a run; the op that it was at for the `most`-th time is not tried again."""
        status.deaths += 1
        status.reached = max(status.reached, status.steps)
        if status.deaths >= most and status.fault is None:
            status.steps, op = self.stuck_at(status.steps)
            message = "The worker process ended twice at this op: it may need more memory than there is."
            status.fault = {"op": op, "message": message, "limit": None}

    def keep_opener(self, key: str, request: OpenRequest) -> None:
        """What opens a run again, of as many as a worker keeps open: it holds the whole text."""
        self.openers.pop(key, None)
        self.openers[key] = request
        while len(self.openers) > MOST_RUNS:
            del self.openers[next(iter(self.openers))]

    async def stop(self) -> None:
        """End the worker; its listener hears of it, and what was being recorded begins again."""
        if self.worker is not None:
            await self.worker.stop()

    async def give_up_opening(self, reason: ApiError) -> None:
        """End the worker where it opens a run; who waits for that is told the reason."""
        if self.lock.locked():
            self.killed = reason
            await self.stop()

    def leave(self) -> Worker | None:
        """Give the worker up; the text of its runs is in the store."""
        worker, self.worker = self.worker, None
        self._generation += 1
        self.opened.clear()
        self.openers.clear()
        self.early.clear()
        return worker

    def hear_state(self, message: RunReport, changed: Callable[[SessionWorker, str], None]) -> None:
        """Notes how far a run has come, as the worker reports it."""
        key = message["key"]
        if key in self.runs:
            self.runs[key].take(message)
            changed(self, key)
        else:
            self.early[key] = message

    def activity(self) -> str:
        """What its worker is busy with, as the start of a sentence."""
        if (line := self.stuck_line) is not None:
            return f"The op at line {line} is still running"
        if any(status.active for status in self.runs.values()):
            return "The run is still being recorded"
        return "The worker is still busy"


def first_goal(settings: Settings) -> GoalInfo:
    """How far a run is recorded before anybody asks for more."""
    return {"steps": settings.record_first_steps, "seconds": settings.record_first_ms / 1000}


def reopen_request(result: OpenedRun, request: OpenRequest) -> OpenRequest:
    """What opens a run again that was opened: what the worker settled on, with the paths of files."""
    given = [request.inputs, [old["input"] for old in request.previous], request.feeds, request.start]
    paths = {spec["file"]: spec["path"] for spec in files_in(given) if spec.get("path")}
    inputs: list[InputSpec | None] = [argument["input"] for argument in result["arguments"]]
    return OpenRequest(
        request.text, request.name, result["entry"], with_paths(inputs, paths.get), grid=request.grid,
        feeds=with_paths(result["feeds"], paths.get), start=with_paths(result["start"], paths.get),
    )  # fmt: skip
