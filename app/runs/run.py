"""Runs inside a worker: opened from text and inputs, recorded a slice at a time, as far as was asked."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import thread_time

from hloscope.engine.debugger.grading import FindingReport
from hloscope.engine.debugger.provenance import Links, Walking
from hloscope.engine.debugger.recording import Recording, State
from hloscope.engine.debugger.value_search import ValueSearch
from hloscope.engine.errors import Diagnostic, ProgramError, RunError
from hloscope.engine.inputs import InputSpec
from hloscope.engine.ir.module import Language
from hloscope.engine.ir.types import Type
from hloscope.engine.limits import Limits
from hloscope.engine.ops.collectives.point_to_point import PointToPoint
from hloscope.engine.ops.core.exchanges import Array, Arrays
from hloscope.engine.process_grid.launch import QueueKey
from hloscope.engine.program import BoundFunction
from hloscope.engine.sharded_runs.sharded_inputs import is_partitioned
from hloscope.engine.sharded_runs.shown_shardings import ShownShardings
from hloscope.engine.source import Source

from ..present.ticks import MeetingTimes
from ..wire.events import RunningOp
from .launching import Feeds, make_item
from .run_pair import RunPair


@dataclass(frozen=True)
class Goal:
    """How far to record: to the step `steps` (None: the end); `seconds` of the processor end it once `at_least` is reached."""

    steps: int | None
    seconds: float | None = None
    at_least: int = 0


class Run:
    """One recording and how far it shall go."""

    def __init__(
        self, key: str, recording: Recording, source: Source, limits: Limits, entry: BoundFunction
    ) -> None:
        self.key, self.recording, self.source, self.limits, self.entry = key, recording, source, limits, entry
        self.whole = not is_partitioned(recording.program, entry)
        """Whether values outside of manual computations are whole, and the same in every process."""
        self.hinted: Callable[[Diagnostic], Diagnostic] = lambda found: found
        """What stopped the run, with what more there is to say of it."""
        self._said: tuple[Diagnostic, State] | None = None
        self.shardings: ShownShardings | None = None
        """Those of the program, once somebody has asked."""
        self.times = MeetingTimes()
        self.pending: deque[Feeds] = deque()
        """What is put into queues as soon as the run waits for the user: then each replay has it at the same place."""
        self.goal: Goal | None = None
        self.replay_to = 0
        """Steps that were recorded before this worker began; requests for them wait."""
        self.resting = ""
        """Why it is not going on beyond `replay_to`, where that is known already."""
        self._reason = "Nothing is recorded yet."
        self._spent = 0.0
        self._ceiling: int | None = None
        self._fault: State | None = None
        self.links: Links | None = None
        """What was made from what, once somebody has asked."""
        self.walking: tuple[object, Walking] | None = None
        """A walk that has stopped before its end, and the question that it is to answer."""
        self.report: FindingReport | None = None
        """What ops did wrong, once somebody has asked."""
        self.search: ValueSearch | None = None
        """What is known of values, once somebody has searched them."""
        self.pair: tuple[tuple[object, ...], RunPair] | None = None
        """What it was last compared with and how, and what that has found so far."""
        self.distance: tuple[tuple[str, str, str], Array] | None = None
        """The distance of a value of it and one of another run, of which pictures are shown."""
        self.file: tuple[str, bytes] | None = None
        """The value that is being downloaded, as a file: its address and bytes."""
        self.found: tuple[tuple[int, int], Sequence[Array | None]] | None = None
        """What the maps of the op that was last asked about read: its process and step, and the arrays."""

    @property
    def language(self) -> Language:
        """What the program is written in: types are spelled so."""
        return self.recording.program.module.language

    @property
    def active(self) -> bool:
        """Whether there is something left to record."""
        return self.goal is not None

    @property
    def replaying(self) -> bool:
        """Whether steps that were recorded before are still being recorded again."""
        return self.active and self.recording.step_count < self.replay_to

    def record(self, goal: Goal) -> None:
        """Go on until `goal`; a run that paused at a limit gets as much again."""
        recording, limits = self.recording, self.recording.limits
        if recording.state.kind == "paused" and not recording.awaited_queues:
            recording.limits = replace(
                limits,
                run_step_limit=max(recording.step_count, limits.run_step_limit) + self.limits.run_step_limit,
                run_seconds=limits.run_seconds + self.limits.run_seconds,
            )
        elif goal.at_least > limits.run_step_limit:
            recording.limits = replace(limits, run_step_limit=goal.at_least)
        self.goal, self.resting, self._spent = goal, "", 0.0

    def feed(self, feeds: Feeds) -> None:
        """Put items into queues, as the user has typed them; the op that waits says of what types."""
        recording = self.recording
        for key, items in feeds.items():
            for item in items:
                recording.feed(key, [self.make_item(key, item)])

    def check(self, feeds: Feeds) -> None:
        """Raises `InputError` if items do not fit, as far as this is known before they are taken."""
        for key, items in feeds.items():
            self.recording.check_feed(key)
            for place, item in enumerate(items):
                self.make_item(key, item, place)

    def make_item(self, key: QueueKey, item: Sequence[InputSpec], place: int = 0) -> Arrays:
        """The values of an item, behind `place` others that are not put in yet; `InputError` if they do not fit."""
        recording = self.recording
        record, waiting = recording.queues.get(key), len(recording.pending_items.get(key, ())) + place
        number = waiting + (len(record.moves) if record else 0)
        receivers = (
            process
            for process, wanted in recording.awaited_queues.items()
            if _same_queue(wanted, key, process)
        )
        taken = None if waiting else next(map(self._taken_types, receivers), None)
        return make_item(recording.program, recording.grid, key, number, item, self.limits, taken)

    def _taken_types(self, process: int) -> tuple[Type, ...]:
        """What the op takes that a process waits at."""
        track = self.recording.tracks[process]
        op = self.recording.program.ops[track.op_of(track.step_count - 1)].op
        return op.payload if isinstance(op, PointToPoint) else ()

    def pause(self, reason: str) -> None:
        """Stop recording, for a reason that the user reads."""
        self.goal, self._reason = None, reason

    def stop_at(self, ceiling: int, op: int | None, message: str, limit: str | None) -> None:
        """Never go beyond `ceiling`: the op that is next has been killed, with its worker."""
        subject = None if op is None else self.recording.program.ops[op].operation
        error = RunError(message, op=subject.name if subject else None, label=limit)
        diagnostic = replace(error.diagnostic(), kind="limit" if limit else "run")
        if subject is not None:
            diagnostic = replace(diagnostic, span=subject.span)
        self._ceiling, self._fault = ceiling, State("failed", f"stopped: {diagnostic.text}", diagnostic)

    def slice(self, seconds: float) -> None:
        """Records for about that many seconds."""
        assert self.goal is not None
        last = self._last_step(self.goal)
        steps = None if last is None else last - self.recording.step_count
        # Of the processor, not of the clock: on a busy machine as much is recorded as on an idle one.
        begin = thread_time()
        if steps is None or steps > 0:
            self.recording.record(steps=steps, seconds=seconds)
        self._spent += thread_time() - begin
        self._consider_end(self.goal, last)

    def _last_step(self, goal: Goal) -> int | None:
        ends = [end for end in (goal.steps, self._ceiling) if end is not None]
        return min(ends, default=None)

    def _consider_end(self, goal: Goal, last: int | None) -> None:
        count = self.recording.step_count
        if self.recording.awaited_queues and self.pending:
            try:
                self.feed(self.pending.popleft())
            except ProgramError as error:
                self.pause(f"What was put into a queue does not fit: {error.message}")
        elif self.recording.state.kind != "recording":
            self.goal = None
        elif last is not None and count >= last:
            self.pause(f"Recorded {_steps(count)}, as far as was asked.")
        elif goal.seconds is not None and self._spent >= goal.seconds and count >= goal.at_least:
            self.pause(f"Recorded {_steps(count)} in the first {goal.seconds:g} s of the processor.")

    @property
    def state(self) -> State:
        """How far it is, and why it is not going on."""
        found = self.recording.state
        if found.kind == "failed" and found.diagnostic:
            if self._said is None or self._said[0] is not found.diagnostic:
                said = replace(found, diagnostic=self.hinted(found.diagnostic))
                self._said = found.diagnostic, said
            return self._said[1]
        if found.kind == "paused" and self.active:
            # It has been told to go on, and its next slice takes what it waited for.
            found = State("recording", f"recorded {self.recording.step_count:,} steps so far")
        if found.kind != "recording":
            return found
        if self._fault and (self.replaying or self.recording.step_count == self._ceiling):
            return self._fault
        if self.resting and (self.replaying or not self.active):
            return State("paused", self.resting)
        return found if self.active else State("paused", self._reason)

    @property
    def step_count(self) -> int:
        """Steps that are recorded, or soon are again."""
        return max(self.recording.step_count, self.replay_to if self.replaying else 0)

    def running_op(self) -> RunningOp:
        """The op that was started last: the one that takes so long, when one does. `step` counts those of all."""
        track = self.recording.current_track
        # The recording counts steps that are over; a track counts this one.
        step = sum(found.step_count for found in self.recording.tracks) - 1
        if not track.step_count:
            return {"step": 0, "op": None, "line": None}
        op = track.op_of(track.step_count - 1)
        return {"step": step, "op": op, "line": self.recording.program.line_of(op)}


def _steps(count: int) -> str:
    return "1 step" if count == 1 else f"{count:,} steps"


def _same_queue(wanted: QueueKey, key: QueueKey, process: int) -> bool:
    """Whether a process that waits for `wanted` takes from `key`: its own queue, or that of all."""
    return replace(wanted, process=None) == replace(key, process=None) and key.process in (None, process)


def memory_diagnostic() -> Diagnostic:
    """What an op that got no memory is reported as."""
    return Diagnostic(
        "The worker process has no memory left for this.", kind="limit", label="worker_rlimit_as_bytes"
    )
