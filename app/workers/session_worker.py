"""State of one session in the supervisor: its worker, if any, and its runs."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from ..base.cache import Cache
from ..base.errors import ApiError, over_limit
from ..base.fair_shares import Turns
from ..base.settings import Settings
from ..processes.worker import Listener, Worker
from ..wire.events import LoopLink, RunReport, StateEvent, StuckEvent, WorkerEvent
from ..wire.input_files import files_in, with_paths
from ..wire.program import GridSize
from ..wire.sessions import (
    Argument,
    Feeds,
    InputSpec,
    LaterStart,
    Progress,
    RunState,
    RunStatus,
    Verifying,
)
from ..wire.tasks import MOST_RUNS, GoalInfo, OpenedRun, StopInfo

log = logging.getLogger("hloscope")

AT_ONCE = 8
"""Maximum questions that a worker has at the same time; the others wait, so that visitors take turns."""
MOST_LINKS = 20_000
"""Approximate maximum number of links between starts of loops kept of a run; each saves 16,384 steps of a replay."""
UNKNOWN_STATE: RunState = {"kind": "recording", "reason": "", "diagnostic": None}


@dataclass
class OpenRequest:
    """The data with which a worker opens a run."""

    text: str = field(repr=False)
    name: str
    entry: str | None
    inputs: list[InputSpec | None]
    """Input specifications; those of kind `file` have the path of the file."""
    previous: list[Argument] = field(default_factory=list)
    """Arguments of the previous run, whose inputs the new run inherits."""
    steps: int = 0
    """Number of steps recorded before, to be replayed."""
    grid: GridSize | None = None
    """The grid that the user chose."""
    feeds: Feeds | None = None
    """Queue items: `RunRecord.feeds`, with the paths of files."""
    start: LaterStart | None = None
    """The op where the run starts, if not at its beginning; with the paths of files."""


@dataclass
class Status:
    """The state of a run that the server knows without its worker."""

    state: RunState
    steps: int
    frames: int
    goal: GoalInfo | None
    """The requested end of the recording, while it is recorded."""
    fault: StopInfo | None = None
    """The op that was killed, and why; it is never restarted automatically."""
    deaths: int = 0
    """Number of workers that died while recording this run, without progress."""
    reached: int = 0
    """Recorded steps at the last death of a worker."""
    prints: int = 0
    """Number of outputs printed by the program."""
    findings: int = 0
    """Number of findings: ops with faulty behavior."""
    progress: Progress = field(
        default_factory=lambda: Progress(
            processes=1, ticks=0, collective_executions=0, queues=0, awaiting_item=False
        )
    )
    """Progress of the grid: processes, ticks, rendezvous, and a version of its queues."""
    is_requested: bool = False
    """Whether a request to continue has not reached a worker yet; the run pauses only briefly."""
    end: RunState | None = None
    """The final state, restored if a replay is abandoned."""
    replaying: bool = False
    """Whether a new worker still records again what an earlier one had recorded."""
    at: int = 0
    """Time of the latest report of the present worker, by the clock of its machine."""

    @property
    def active(self) -> bool:
        """Whether the run is being recorded."""
        return bool(self.state["kind"] == "recording")

    @property
    def resting(self) -> str:
        """The reason why the run stays paused when it is opened again."""
        return str(self.state["reason"]) if self.state["kind"] == "paused" else ""

    def take(self, message: RunReport) -> None:
        """Apply a worker's report unless a newer one was applied: events overtake answers."""
        if message["at"] < self.at:
            return
        self.at, self.replaying = message["at"], message["replaying"]
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
        """The status in the form of the API."""
        return {
            "state": self.state,
            "steps": self.steps,
            "frames": self.frames,
            "prints": self.prints,
            "findings": self.findings,
            **self.progress,
        }


def _furthest_progress(known: Progress, reported: Progress) -> Progress:
    """The maximum of both; a replay does not reduce the reported progress."""
    return {
        "processes": max(known["processes"], reported["processes"]),
        "ticks": max(known["ticks"], reported["ticks"]),
        "collective_executions": max(known["collective_executions"], reported["collective_executions"]),
        "queues": max(known["queues"], reported["queues"]),
        "awaiting_item": max(known["awaiting_item"], reported["awaiting_item"]),
    }


class SessionWorker:
    """A session; `lock` is held while its worker is started or a run is opened."""

    def __init__(self, session: str, most_waiting: int = 1_000) -> None:
        self.session = session
        self.turns = Turns(range(AT_ONCE), most_waiting, "questions about this session wait")
        """Turns of principals at asking the worker, which answers one question at a time."""
        self.lock = asyncio.Lock()
        self.worker: Worker | None = None
        self.opened: set[str] = set()
        self.runs: dict[str, Status] = {}
        self.openers = Cache[str, OpenRequest](MOST_RUNS)
        """The request that reopens a run; it holds the text."""
        self.links = Cache[str, list[LoopLink]](MOST_RUNS)
        """Starts of loops of a run, from which a later worker need not iterate them again."""
        self.opening: dict[str, asyncio.Task[Worker]] = {}
        self.early: dict[str, RunReport] = {}
        """Reports of runs that came before the answer of their opening was processed."""
        self.stuck: StuckEvent | None = None
        self.killed: ApiError | None = None
        """The reason why the server ended the worker, if it did."""
        self.last_used = self.started = time.monotonic()
        self._waiting_requests = 0
        self._generation = 0

    @property
    def alive(self) -> bool:
        """Whether the session has a worker."""
        return self.worker is not None and self.worker.alive

    @property
    def recording(self) -> bool:
        """Whether one of its runs is being recorded."""
        return any(status.active for status in self.runs.values())

    @property
    def busy(self) -> bool:
        """Whether the worker is recording or has unanswered requests."""
        return self.alive and (self.recording or (self.worker is not None and self.worker.waiting > 0))

    @property
    def idle(self) -> bool:
        """Whether the worker is neither busy nor being started or opening a run."""
        return self.alive and not self.busy and not self.opening and not self.lock.locked()

    @property
    def quiet_since(self) -> float:
        """Time of the last activity, by the monotonic clock."""
        return max(self.last_used, self.worker.last_heard if self.worker else 0.0)

    @property
    def is_awaited(self) -> bool:
        """Whether a request waits for the worker."""
        return self._waiting_requests > 0

    @contextmanager
    def hold_position(self) -> Iterator[None]:
        """A context in which a request waits for the worker."""
        self._waiting_requests += 1
        self.last_used = time.monotonic()
        try:
            yield
        finally:
            self._waiting_requests -= 1

    def listener(
        self,
        changed: Callable[[SessionWorker, str], None],
        died: Callable[[SessionWorker], None],
        verifying: Callable[[str, Verifying], None],
    ) -> Listener:
        """The event handler of the worker that is being started."""
        self._generation += 1
        generation = self._generation
        for status in self.runs.values():
            status.at = 0  # the worker may be on another machine, whose clock is another one

        def handle(event: WorkerEvent) -> None:
            if event["event"] == "state":
                self.stuck = None
                self.hear_links(event)
                self.hear_state(event, changed)
            elif event["event"] == "stuck":
                self.stuck = event
            elif event["event"] == "verifying":
                verifying(
                    self.session, {"phase": event["phase"], "line": event["line"], "lines": event["lines"]}
                )
            elif event["event"] == "fault":
                log.error("a run failed\n%s", event["trace"])
            elif generation == self._generation:
                self.opened.clear()
                died(self)

        return handle

    @property
    def stuck_line(self) -> int | None:
        """The line of the op that is stuck, or None."""
        return self.stuck.get("line") if self.stuck and self.stuck["doing"] == "slice" else None

    def stuck_at(self, steps: int) -> tuple[int, int | None]:
        """The step and the op that are stuck; the step is `steps` if unknown."""
        stuck = self.stuck
        return (stuck.get("step", steps), stuck.get("op")) if stuck else (steps, None)

    def exceeds_time_limit(self, quiet: float, settings: Settings) -> bool:
        """Whether to end the worker, which was silent for `quiet` seconds.

        If so, sets the reason as `killed`, or as a fault of the run.
        """
        stuck = self.stuck
        status = self.runs.get(stuck.get("key", "")) if stuck else None
        if stuck and stuck["doing"] == "slice" and status is not None:
            limit = settings.op_time_limit_ms
            if not limit or quiet <= limit / 1000:
                return False
            message = f"it took longer than {limit:,} ms"
            status.fault = {"op": stuck.get("op"), "message": message, "limit": "op_time_limit_ms"}
            status.steps = stuck.get("step", status.steps)
            return True
        limit = settings.check_time_limit_ms
        if quiet <= max(limit, settings.op_time_limit_ms) / 1000:
            return False
        message = f"This took longer than {limit:,} ms and was stopped."
        self.killed = over_limit(503, "check_time_limit_ms", limit, message)
        return True

    def fail(self, key: str) -> Status:
        """Mark a run as failed because each recording of it ended the worker."""
        reason = "The worker process ended each time this run was recorded."
        self.runs[key].state = {"kind": "failed", "reason": reason, "diagnostic": None}
        return self.runs[key]

    def count_death(self, status: Status, most: int) -> None:
        """Count a death of the worker during a run; the `most`-th one marks the op as faulty."""
        status.deaths += 1
        status.reached = max(status.reached, status.steps)
        if status.deaths >= most and status.fault is None:
            status.steps, op = self.stuck_at(status.steps)
            message = (
                "The worker process ended twice at this op: it may need more memory than this machine has."
            )
            status.fault = {"op": op, "message": message, "limit": None}

    async def stop(self) -> None:
        """End the worker; active runs are recorded again by the next one."""
        if self.worker is not None:
            await self.worker.stop()

    async def give_up_opening(self, reason: ApiError) -> None:
        """End the worker if it is opening a run; waiting callers get the reason."""
        if self.lock.locked():
            self.killed = reason
            await self.stop()

    def leave(self) -> Worker | None:
        """Detach the worker and drop its open runs, whose texts are in the store."""
        worker, self.worker = self.worker, None
        self._generation += 1
        self.opened.clear()
        self.openers.clear()
        self.early.clear()
        return worker

    def hear_links(self, event: StateEvent) -> None:
        """Keep the links between starts of loops of a run, up to a maximum."""
        known = self.links.get(event["key"])
        if known is None:
            known = self.links[event["key"]] = []
        if len(known) < MOST_LINKS:
            known += event["links"]

    def hear_state(self, message: RunReport, changed: Callable[[SessionWorker, str], None]) -> None:
        """Apply a progress report of the worker."""
        key = message["key"]
        if key in self.runs:
            self.runs[key].take(message)
            changed(self, key)
        else:
            self.early[key] = message

    def activity(self) -> str:
        """The worker's activity, as the start of a sentence."""
        if (line := self.stuck_line) is not None:
            return f"The op at line {line} is still running"
        if any(status.active for status in self.runs.values()):
            return "The run is still being recorded"
        return "The worker is still busy"


def first_goal(settings: Settings) -> GoalInfo:
    """The extent to which a run is recorded before the user requests more."""
    return {"steps": settings.record_first_steps, "seconds": settings.record_first_ms / 1000}


def reopen_request(result: OpenedRun, request: OpenRequest) -> OpenRequest:
    """The request that reopens a run: the worker's resolved inputs, with the paths of files."""
    given = [request.inputs, [old["input"] for old in request.previous], request.feeds, request.start]
    paths = {spec["file"]: spec["path"] for spec in files_in(given) if spec.get("path")}
    inputs: list[InputSpec | None] = [argument["input"] for argument in result["arguments"]]
    return OpenRequest(
        request.text, request.name, result["entry"], with_paths(inputs, paths.get), grid=request.grid,
        feeds=with_paths(result["feeds"], paths.get), start=with_paths(result["start"], paths.get),
    )  # fmt: skip
