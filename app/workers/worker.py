"""A worker process: one thread that answers requests and, in between, records a slice of a run.

Requests carry a number, which the answer repeats. What it says unasked: `state` after slices, and `stuck`
while one call takes long, which a second thread notices.
"""

from __future__ import annotations

import select
import socket
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hloscope.engine.errors import LimitError, ProgramError
from hloscope.engine.limits import Limits
from hloscope.engine.source import Source

from ..blas import share_products
from ..examples import example
from ..logs import described
from ..npz import called
from ..playground.answering import answer as playground_answer
from ..present import diagnostic as wire_diagnostic
from ..present.grid import queue_version
from . import opening
from .answering import BadQuestion, NotRecorded
from .answers import QUESTIONS, answer
from .framing import Buffer, Channel, Frame
from .rows import feeds_of, read_files
from .runs import Goal, Run, memory_diagnostic
from .seat import MOST_RUNS
from .trial import trial

JSON = dict[str, Any]
SLICE_SECONDS = 0.05
STATE_SECONDS = 0.1
STUCK_SECONDS = 0.5
WARMING_UP = ("mlp", "mlp_hlo")
"""Examples that are opened before the fork: one of each language."""


def preload() -> None:
    """What every worker needs, loaded and used once before the fork.

    The first program that a process opens takes three times as long as the next: modules are loaded, types read from
    hints, patterns compiled. Nothing is executed, so that nothing starts a thread.
    """
    for name in WARMING_UP:
        if (found := example(name)) is not None:
            wanted = opening.Wanted(None, (), ())
            opened = opening.open_run(Source(found.text, found.file), wanted, Limits(), "", 1)
            if opened.run is not None:
                answer(opened.run, "program", {})


def serve(connection: socket.socket) -> None:
    """Answer until the other end closes."""
    _Worker(Channel(connection)).loop()


class _Worker:
    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.runs: OrderedDict[str, Run] = OrderedDict()
        self.postponed: list[Frame] = []
        self.methods: dict[str, Callable[[JSON, Sequence[Buffer]], JSON]] = {
            "check": self.check,
            "trial": self.trial,
            "playground": self.playground,
            "file": self.file,
            "open": self.open,
            "record": self.record,
            "feed": self.feed,
            "pause": self.pause,
        }
        self.sending = threading.Lock()
        self.last_state = 0.0
        self.doing, self.since = "", time.monotonic()
        self.current: Run | None = None
        threading.Thread(target=self.watch, daemon=True).start()

    def loop(self) -> None:
        """Requests first; a slice when none waits; sleep when there is nothing to record."""
        while True:
            active = next((run for run in reversed(self.runs.values()) if run.active), None)
            while select.select([self.channel.connection], [], [], 0 if active else None)[0]:
                frame = self.channel.receive()
                if frame is None:
                    return
                self.handle(frame)
                active = active or next((run for run in self.runs.values() if run.active), None)
            if active is not None and active.active:
                self.slice(active)

    def begin(self, doing: str, run: Run | None) -> None:
        """Remember what is being done, for the thread that watches."""
        self.current, self.doing, self.since = run, doing, time.monotonic()

    def watch(self) -> None:
        """Say what takes so long. NumPy lets this thread run during long calls."""
        while True:
            time.sleep(STUCK_SECONDS)
            doing, run, since = self.doing, self.current, self.since
            if doing and time.monotonic() - since >= STUCK_SECONDS:
                where = run.running_op() | {"key": run.key} if run and doing == "slice" else {}
                self.send({"event": "stuck", "doing": doing, "seconds": time.monotonic() - since, **where})

    def send(self, message: JSON, buffers: Sequence[Buffer] = ()) -> None:
        with self.sending:
            self.channel.send(message, buffers)

    # Recording.

    def slice(self, run: Run) -> None:
        """Record a little, tell how far it is, and look again at questions that came too early."""
        self.begin("slice", run)
        try:
            run.slice(SLICE_SECONDS)
        except MemoryError:
            found = memory_diagnostic()
            run.stop_at(run.recording.step_count, None, found.message, found.label)
            run.pause("")
        except Exception as error:  # it costs this run what follows, and nobody anything else
            step = run.recording.step_count
            run.stop_at(
                step, run.running_op()["op"], "hloscope made a mistake here; its log says which.", None
            )
            run.pause("")
            self.send({"event": "fault", "trace": described(error)})
        self.begin("", None)
        if not run.active or time.monotonic() - self.last_state >= STATE_SECONDS:
            self.last_state = time.monotonic()
            self.send({"event": "state", **self.state(run)})
        postponed, self.postponed = self.postponed, []
        for frame in postponed:
            self.handle(frame)

    def state(self, run: Run) -> JSON:
        state, recording = run.state, run.recording
        diagnostic = wire_diagnostic(state.diagnostic, run.source) if state.diagnostic else None
        return {
            "key": run.key,
            "at": time.monotonic_ns(),
            "state": {"kind": state.kind, "reason": state.reason, "diagnostic": diagnostic},
            "steps": run.step_count,
            "frames": recording.frame_count,
            "prints": recording.print_count,
            "progress": {
                "processes": len(recording.tracks),
                "ticks": recording.end_tick,
                "meetings": len(recording.meetings),
                "queues": queue_version(recording),
                "hungry": bool(recording.hungry),  # the last step waits for an item, and has no results yet
            },
            "replaying": run.replaying,
        }

    # Requests.

    def handle(self, frame: Frame) -> None:
        number, method = frame.message["id"], frame.message["method"]
        parameters: JSON = frame.message["parameters"]
        self.begin(method, self.runs.get(parameters.get("key", "")))
        try:
            if method in QUESTIONS:
                self.answer(frame, number, method, parameters)
            else:
                self.send({"id": number, "result": self.methods[method](parameters, frame.buffers)})
        except Exception as error:  # whatever it is, the server answers and this process goes on
            self.send({"id": number, "error": _explained(error)})
        self.begin("", None)

    def answer(self, frame: Frame, number: int, question: str, parameters: JSON) -> None:
        run = self.runs.get(parameters["key"])
        if run is None:
            self.send({"id": number, "closed": True})
            return
        try:
            found = answer(run, question, parameters)
        except NotRecorded:
            if not run.replaying:
                raise
            self.postponed.append(frame)
        else:
            self.send({"id": number, "answer": found.described()}, [found.body])

    def check(self, parameters: JSON, buffers: Sequence[Buffer]) -> JSON:
        return opening.check(
            _source(parameters, buffers), parameters["entry"], Limits(**parameters["limits"])
        )

    def trial(self, parameters: JSON, buffers: Sequence[Buffer]) -> JSON:
        limits = Limits(**parameters["limits"])
        return trial(_source(parameters, buffers), limits, parameters["steps"], parameters["milliseconds"])

    def playground(self, parameters: JSON, buffers: Sequence[Buffer]) -> JSON:
        return playground_answer(parameters)

    def file(self, parameters: JSON, buffers: Sequence[Buffer]) -> JSON:
        source = _source(parameters, buffers) if buffers else None
        limits = Limits(**parameters["limits"])
        path = Path(parameters["path"])
        with called(parameters["called"], path):
            return opening.file_matches(path, source, parameters["entry"], limits)

    def open(self, parameters: JSON, buffers: Sequence[Buffer]) -> JSON:
        """Open a run, unless it is open; record what was recorded before, or else the beginning."""
        limits = Limits(**parameters["limits"])
        wanted = opening.Wanted(**{name: parameters[name] for name in opening.WANTED})
        build, threads = parameters["build"], parameters["blas_threads"]
        share_products(threads)
        opened = opening.open_run(_source(parameters, buffers), wanted, limits, build, threads)
        if opened.run is not None:
            run = self.runs.setdefault(opened.run.key, opened.run)
            self.runs.move_to_end(run.key)
            if run is opened.run:
                _begin(run, parameters)
            opened.result |= self.state(run)
        while len(self.runs) > MOST_RUNS:
            _, oldest = self.runs.popitem(last=False)
            oldest.pause("Paused, since newer runs of this session were opened.")
            self.send({"event": "state", **self.state(oldest)})
        return opened.result

    def record(self, parameters: JSON, buffers: Sequence[Buffer]) -> JSON:
        run = self.runs[parameters["key"]]
        steps = parameters["steps"]
        # Beyond what is being recorded again, too.
        run.record(Goal(None if steps is None else run.step_count + steps))
        return self.state(run)

    def feed(self, parameters: JSON, buffers: Sequence[Buffer]) -> JSON:
        """Put items into a queue, now if the run waits for the user, else as soon as it does; and go on."""
        run, feed = self.runs[parameters["key"]], parameters["feed"]
        feeds = feeds_of([feed], read_files(feed, run.limits))
        run.check(feeds)  # what does not fit is refused before anything is put in
        if run.recording.state.kind in ("done", "failed"):
            raise BadQuestion("The run has ended: nobody takes from its queues any more.")
        run.pending.append(feeds)
        run.record(Goal(None))
        return self.state(run)

    def pause(self, parameters: JSON, buffers: Sequence[Buffer]) -> JSON:
        run = self.runs[parameters["key"]]
        if run.active:
            run.pause(f"Paused by you after {run.recording.step_count:,} steps.")
        return self.state(run)


def _begin(run: Run, parameters: JSON) -> None:
    replay, goal, fault = parameters["replay"], parameters["goal"], parameters["fault"]
    run.replay_to = replay
    if fault:
        run.stop_at(replay, fault["op"], fault["message"], fault["limit"])
    if goal:
        steps = None if goal["steps"] is None else max(replay, goal["steps"])
        run.record(Goal(steps, goal["seconds"], at_least=replay))
    elif replay:
        run.record(Goal(replay, at_least=replay))
        run.resting = parameters["resting"]
    else:
        run.pause(parameters["resting"] or "Paused before the first step.")


def _source(parameters: JSON, buffers: Sequence[Buffer]) -> Source:
    return Source(bytes(buffers[0]).decode(), parameters["name"])


def _explained(error: Exception) -> JSON:
    """An error as the server answers it; `trace` is for the log, where the mistake is ours."""
    match error:
        case LimitError():
            return {
                "status": 422,
                "kind": "limit",
                "message": error.message,
                "hint": error.hint,
                "limit": error.label,
            }
        case ProgramError():
            return {"status": 422, "kind": error.kind, "message": error.message, "hint": error.hint}
        case BadQuestion():
            return {"status": 422, "kind": "request", "message": str(error)}
        case NotRecorded():
            return {"status": 404, "kind": "not_recorded", "message": "This is not recorded (yet)."}
        case MemoryError():
            found = memory_diagnostic()
            return {"status": 503, "kind": "limit", "message": found.message, "limit": found.label}
        case _:
            message = "hloscope made a mistake; its log says which."
            return {"status": 500, "kind": "internal", "message": message, "trace": described(error)}
