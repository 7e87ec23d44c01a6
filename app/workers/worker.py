"""A worker process: one thread answers requests and records slices of runs in between.

Each answer repeats the number of its request. The worker also sends events: `state` after slices, and `stuck` during a
long call, which a second thread detects.
"""

from __future__ import annotations

import gc
import os
import select
import socket
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, cast

from hloscope.engine.debugger.address import result
from hloscope.engine.limits import MEBIBYTE, Limits
from hloscope.engine.source import OnProgress, Phase, Source

from ..answers import AnyQuestion
from ..answers.program import OutlineQuestion, ProgramWindowQuestion
from ..answers.question import (
    NOT_RECORDED,
    OTHER_CLOSED,
    VALUES,
    BadQuestion,
    NotRecorded,
    Other,
    OtherClosed,
    PairQuestion,
    RecordingQuestion,
    answer,
)
from ..answers.values import SummaryQuestion, ThumbnailsQuestion, WindowQuestion
from ..base.blas import share_products
from ..base.loading import loading
from ..base.logs import describe_error
from ..base.memory import resident_bytes, trim, use_huge_pages
from ..lessons.tasks import change_task, resolve_task
from ..present.grid import queue_version
from ..present.source_offsets import diagnostic as wire_diagnostic
from ..processes.framing import Buffer, Channel, Frame
from ..processes.serving import error_answer
from ..processes.worker import RunClosed
from ..reference.examples import example
from ..reference.playground.evaluate import evaluate_task
from ..runs import opening
from ..runs.npz import naming_file
from ..runs.other_values import OtherValues
from ..runs.quick_run import quick_run
from ..runs.run import Goal, Run, memory_diagnostic
from ..runs.run_inputs import feeds_of, read_files
from ..wire.events import RunReport, StuckEvent, WorkerError, WorkerEvent
from ..wire.questions import ReplyMessage, RequestMessage, classes_by_name
from ..wire.sessions import FileMatches
from ..wire.tasks import (
    MOST_RUNS,
    Check,
    CheckChange,
    EvaluateForm,
    FeedRun,
    MatchFile,
    OpenedRun,
    OpenRun,
    PauseRun,
    RecordRun,
    RefusedRun,
    ResolveLesson,
    RunQuickly,
    Task,
    TaskResult,
)

QUESTIONS: Mapping[str, AnyQuestion] = {**classes_by_name(RecordingQuestion), **classes_by_name(PairQuestion)}
TASKS = classes_by_name(Task)
SLICE_SECONDS = 0.05
"""Duration of a recording slice."""
STATE_SECONDS = 0.1
"""Minimum interval between progress events."""
QUIET_SECONDS = 2.0
"""Time without a request after which freed memory is returned to the system: longer than between the steps of a user who
steps on, whom it would slow down."""
STUCK_SECONDS = 0.5
"""Interval of the check for a long call, and the duration from which one is reported."""
LARGE_BYTES = 192 * MEBIBYTE
"""Memory of a worker, shared pages included, from which on it takes huge pages: a small one would take a whole page for
the little that it needs."""
FROZEN_PROGRAM = 400_000
"""Minimum characters of a program that garbage collection skips: scanning it takes as long as binding it."""
OPENED = ("mlp", "mlp_hlo")
"""Examples opened before the fork, one in each language."""
RECORDED = "layer_norm"
"""The example recorded before the fork: it has no matrix product, which could start a thread."""


def preload() -> None:
    """Load and use what every worker needs, once before the fork.

    The first program that a process opens takes three times as long as the next: modules are loaded, types read from
    hints, patterns compiled, functions specialized by the interpreter. What is written here is memory that workers share.
    """
    share_products(1)
    for name in (*OPENED, RECORDED):
        if (found := example(name)) is not None:
            wanted = opening.OpenParameters(None, (), ())
            opened = opening.open_run(Source(found.text, found.file), wanted, Limits())
            if isinstance(opened, opening.Opening):
                answer(opened.run, ProgramWindowQuestion(0))
                if name == RECORDED:
                    _record(opened.run)


def _record(run: Run) -> None:
    """Record a run to its end, and answer the questions of a page about each value."""
    run.record(Goal(None))
    while run.active:
        run.slice(SLICE_SECONDS)
    answer(run, OutlineQuestion(0))
    steps = ",".join(str(result(step, 0)) for step in range(run.recording.step_count))
    values = [*answer(run, ThumbnailsQuestion(steps)).json()]
    for value in values:
        answer(run, SummaryQuestion(value))
    answer(run, WindowQuestion(values[-1], rows="0", columns="1", at="0,0", start="0,0", size="64,64"))


def serve(connection: socket.socket) -> None:
    """Answer requests until the other end closes."""
    _Worker(Channel(connection)).loop()


class _Worker:
    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.runs: OrderedDict[str, Run] = OrderedDict()
        self.postponed: list[Frame] = []
        self.sending = threading.Lock()
        self.last_state = 0.0
        self.doing, self.since = "", time.monotonic()
        self.current: Run | None = None
        self.other_values: OtherValues | None = None
        self.is_large = False
        use_huge_pages(on=False)
        threading.Thread(target=self.watch, daemon=True).start()

    def loop(self) -> None:
        """Answer requests first; record a slice if none waits; trim and sleep if no run is active."""
        trimmed = True
        while True:
            active = next((run for run in reversed(self.runs.values()) if run.active), None)
            while self.has_request(0 if active else None if trimmed else QUIET_SECONDS):
                frame = self.channel.receive()
                if frame is None:
                    return
                self.handle(frame)
                trimmed = False
                active = active or next((run for run in self.runs.values() if run.active), None)
            if active is None:
                trim()
                trimmed = True
            elif active.active:
                self.slice(active)

    def has_request(self, seconds: float | None) -> bool:
        """Whether a request waits, or comes within this time; `None`: wait for one."""
        return bool(select.select([self.channel.connection], [], [], seconds)[0])

    def begin(self, doing: str, run: Run | None) -> None:
        """Note the current activity for the watching thread."""
        self.current, self.doing, self.since = run, doing, time.monotonic()

    def watch(self) -> None:
        """Report long calls; NumPy releases the interpreter's lock during them."""
        while True:
            time.sleep(STUCK_SECONDS)
            doing, run, since = self.doing, self.current, self.since
            if doing and time.monotonic() - since >= STUCK_SECONDS:
                event: StuckEvent = {"event": "stuck", "doing": doing, "seconds": time.monotonic() - since}
                if run and doing == "slice":
                    event = {**event, **run.running_op(), "key": run.key}
                self.send_event(event)

    def send_event(self, event: WorkerEvent) -> None:
        """Send an event, which answers no request."""
        self.send(event)

    def send(self, message: Mapping[str, Any], buffers: Sequence[Buffer] = ()) -> None:
        with self.sending:
            self.channel.send(message, buffers)

    # Recording.

    def slice(self, run: Run) -> None:
        """Record one slice, report the progress and retry the postponed questions."""
        self.begin("slice", run)
        if not self.is_large and (resident_bytes(os.getpid()) or 0) > LARGE_BYTES:
            self.is_large = True
            use_huge_pages(on=True)
        try:
            run.slice(SLICE_SECONDS)
        except MemoryError:
            found = memory_diagnostic()
            run.stop_at(run.recording.step_count, None, found.message, found.label)
            run.pause("")
        except Exception as error:  # ends this run only
            step = run.recording.step_count
            run.stop_at(
                step,
                run.running_op()["op"],
                "hloscope failed here because of an internal error; see its log.",
                None,
            )
            run.pause("")
            self.send_event({"event": "fault", "trace": describe_error(error)})
        self.begin("", None)
        if not run.active or time.monotonic() - self.last_state >= STATE_SECONDS:
            self.last_state = time.monotonic()
            self.send_event({"event": "state", **self.report(run), "links": run.new_links()})
        self.retry_postponed()
        self.close_oldest()

    def retry_postponed(self) -> None:
        """Try the postponed questions again, as more is recorded, or no more will be."""
        postponed, self.postponed = self.postponed, []
        for frame in postponed:
            self.handle(frame)

    def report(self, run: Run) -> RunReport:
        """The progress report of a run."""
        state, recording = run.state, run.recording
        diagnostic = wire_diagnostic(state.diagnostic, run.source) if state.diagnostic else None
        return {
            "key": run.key,
            "at": time.monotonic_ns(),
            "state": {"kind": state.kind, "reason": state.reason, "diagnostic": diagnostic},
            "steps": run.step_count,
            "frames": recording.frame_count,
            "prints": recording.print_count,
            "findings": recording.finding_count,
            "progress": {
                "processes": len(recording.tracks),
                "ticks": recording.end_tick,
                "collective_executions": len(recording.collective_executions),
                "queues": queue_version(recording),
                "awaiting_item": bool(
                    recording.awaited_queues
                ),  # the last step has no results until the item comes
            },
            "replaying": run.replaying,
        }

    # Requests.

    def handle(self, frame: Frame) -> None:
        message = cast(RequestMessage, frame.message)
        number, kind, fields = message["id"], message["kind"], message["fields"]
        self.begin(kind, self.runs.get(message["key"]))
        try:
            if kind in QUESTIONS:
                self.answer(frame, number, message["key"], QUESTIONS[kind](**fields))
            else:
                self.reply({"id": number, "result": self.perform(TASKS[kind](**fields), frame.buffers).value})
        except RunClosed:
            self.reply({"id": number, "closed": True})
        except Exception as error:  # any error becomes an answer; the process continues
            self.reply({"id": number, "error": _error_json(error)})
        self.begin("", None)

    def reply(self, message: ReplyMessage, buffers: Sequence[Buffer] = ()) -> None:
        """Send the reply to a request."""
        self.send(message, buffers)

    def answer(
        self, frame: Frame, number: int, key: str, question: RecordingQuestion[Any] | PairQuestion[Any]
    ) -> None:
        run = self.open_run(key)
        other = self.open_other(run, question.other) if isinstance(question, PairQuestion) else None
        try:
            found = answer(run, question, other)
        except NotRecorded:
            if not run.catching_up and (other is None or not other.catching_up):
                raise
            self.postponed.append(frame)
        else:
            self.reply({"id": number, "answer": found.head}, [found.body])

    def open_run(self, key: str) -> Run:
        """An open run; `RunClosed` if it is not open."""
        if key not in self.runs:
            raise RunClosed(key)
        self.runs.move_to_end(key)  # the least recently used run is closed first
        return self.runs[key]

    def open_other(self, run: Run, key: str) -> Other:
        """The other run of a comparison, or a file's values; `OtherClosed` if it is not open."""
        if key.startswith(VALUES):
            return self.open_values(run, key.removeprefix(VALUES))
        if key not in self.runs:
            raise OtherClosed
        return self.runs[key]

    def open_values(self, run: Run, path: str) -> OtherValues:
        """The values of a file for a run; the latest ones are cached."""
        kept = self.other_values
        if kept is None or kept.key != path or kept.recording is not run.recording:
            with naming_file("the file of values", Path(path)):
                kept = OtherValues(run.recording, path, run.limits.session_memory_bytes)
            self.other_values = kept
        return kept

    def perform(self, task: Task[Any], buffers: Sequence[Buffer]) -> TaskResult[Any]:
        """Perform a task; returns its result."""
        match task:
            case Check():
                source = _source(task.name, buffers)
                limits = Limits(**task.limits)
                return task.result(opening.check(source, task.entry, limits, self.reporter(source)))
            case RunQuickly():
                limits = Limits(**task.limits)
                return task.result(
                    quick_run(_source(task.name, buffers), limits, task.steps, task.milliseconds)
                )
            case EvaluateForm():
                return task.result(evaluate_task(task))
            case ResolveLesson():
                return task.result(resolve_task(task))
            case CheckChange():
                return task.result(change_task(task, _source("", buffers).text))
            case MatchFile():
                return self.match_file(task, buffers)
            case OpenRun():
                return self.open(task, buffers)
            case RecordRun():
                return self.record(task)
            case FeedRun():
                return self.feed(task)
            case PauseRun():
                return self.pause(task)
        raise TypeError(f"no task: {task!r}")

    def match_file(self, task: MatchFile, buffers: Sequence[Buffer]) -> TaskResult[FileMatches]:
        source, path = _source(task.name, buffers) if buffers else None, Path(task.path)
        with naming_file(task.called, path):
            return task.result(opening.file_matches(path, source, task.entry, Limits(**task.limits)))

    def open(self, task: OpenRun, buffers: Sequence[Buffer]) -> TaskResult[OpenedRun | RefusedRun]:
        """Open a run unless it is open; replay its recorded steps, or record the first ones."""
        share_products(task.blas_threads)
        source = _source(task.name, buffers)
        # The collector would scan a large program again and again.
        with loading() if _is_frozen(source) else nullcontext():
            opened = opening.open_run(
                source,
                opening.OpenParameters(
                    task.entry, task.inputs, task.previous, task.grid, task.feeds, task.start
                ),
                Limits(**task.limits),
                task.build,
                task.blas_threads,
                self.reporter(source),
            )
        if isinstance(opened, opening.Refusal):
            return task.result(opened.result)
        run = self.runs.setdefault(opened.run.key, opened.run)
        self.runs.move_to_end(run.key)
        if run is opened.run:
            _begin(run, task)
        result: OpenedRun = {**opened.facts, **self.report(run)}
        self.close_oldest()
        return task.result(result)

    def close_oldest(self) -> None:
        """Close old runs beyond the maximum, except replaying ones while memory allows it."""
        for run in [*self.runs.values()][:-1]:
            if len(self.runs) > MOST_RUNS and not (run.replaying and self.has_room(run.limits)):
                self.close(run)

    def has_room(self, limits: Limits) -> bool:
        """Whether all recordings together fit the memory limit of `MOST_RUNS` recordings."""
        recordings = [run.recording for run in self.runs.values()]
        held = sum(recording.kept_bytes + recording.step_bytes for recording in recordings)
        return held <= MOST_RUNS * limits.recording_bytes

    def close(self, run: Run) -> None:
        """Close a run; during a replay, its reported progress stays as it was."""
        del self.runs[run.key]
        if _is_frozen(run.source):  # may be garbage now; collecting it would copy memory that forks share
            gc.unfreeze()
        reached = self.report(run)
        run.pause("Paused, since newer runs of this session were opened.")
        self.send_event(
            {"event": "state", **reached, "state": self.report(run)["state"], "links": run.new_links()}
        )

    def reporter(self, source: Source) -> OnProgress:
        """Reports the phase and the line that reading a program has reached."""

        def report(phase: Phase, offset: int) -> None:
            if phase == "preparing" or time.monotonic() - self.last_state >= STATE_SECONDS:
                self.last_state = time.monotonic()
                line, _ = source.line_and_column(offset)
                self.send_event(
                    {"event": "verifying", "phase": phase, "line": line, "lines": source.line_count}
                )

        return report

    def record(self, task: RecordRun) -> TaskResult[RunReport]:
        run = self.open_run(task.key)
        # `step_count` includes the steps that are still being replayed.
        run.record(Goal(None if task.steps is None else run.step_count + task.steps))
        return task.result(self.report(run))

    def feed(self, task: FeedRun) -> TaskResult[RunReport]:
        """Add items to a queue, once the run waits for the user, and continue recording."""
        run = self.open_run(task.key)
        feeds = feeds_of([task.feed], read_files(task.feed, run.limits))
        run.check(feeds)  # reject mismatching items before any is added
        if run.recording.state.kind in ("done", "failed"):
            raise BadQuestion("The run has ended: it no longer reads from its queues.")
        run.pending.append(feeds)
        run.record(Goal(None))
        return task.result(self.report(run))

    def pause(self, task: PauseRun) -> TaskResult[RunReport]:
        run = self.open_run(task.key)
        if run.active:
            run.pause(f"{task.reason} after {run.recording.step_count:,} steps.")
            self.retry_postponed()
        return task.result(self.report(run))


def _is_frozen(source: Source) -> bool:
    """Whether garbage collection skips a program."""
    return len(source.text) >= FROZEN_PROGRAM


def _begin(run: Run, task: OpenRun) -> None:
    replay, goal, fault = task.replay, task.goal, task.fault
    run.replay_to = replay
    run.know(task.links)
    if fault:
        run.stop_at(replay, fault["op"], fault["message"], fault["limit"])
    if goal:
        steps = None if goal["steps"] is None else max(replay, goal["steps"])
        run.record(Goal(steps, goal["seconds"], at_least=replay))
    elif replay:
        # What had ended is recorded to its end again: a deadlock is found after the last step.
        run.record(Goal(replay if task.resting else None, at_least=replay))
        run.resting = task.resting
    else:
        run.pause(task.resting or "Paused before the first step.")


def _source(name: str, buffers: Sequence[Buffer]) -> Source:
    """The program that came with a task; what was received is freed."""
    received = buffers[0]
    text = str(received, "utf-8")
    if isinstance(received, bytearray):
        received.clear()
    return Source(text, name)


def _error_json(error: Exception) -> WorkerError:
    match error:
        case BadQuestion():
            return {"status": 422, "kind": "request", "message": str(error)}
        case OtherClosed():
            return {"status": 409, "kind": OTHER_CLOSED, "message": "The other run is not open."}
        case NotRecorded():
            return {"status": 404, "kind": NOT_RECORDED, "message": "This is not recorded (yet)."}
        case MemoryError():
            found = memory_diagnostic()
            return {"status": 503, "kind": "limit", "message": found.message, "limit": found.label}
        case _:
            return error_answer(error)
