"""Runs inside a worker: opened from text and inputs, recorded in slices up to a goal."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from time import thread_time
from typing import Any, Concatenate, ParamSpec, TypeVar

from hloscope.engine.debugger.provenance import Walking
from hloscope.engine.debugger.recording import Recording, State
from hloscope.engine.entry import find_entry
from hloscope.engine.errors import Diagnostic, ProgramError, RunError
from hloscope.engine.inputs import InputSpec
from hloscope.engine.ir.module import Language
from hloscope.engine.ir.types import Type
from hloscope.engine.ops.collectives.point_to_point import PointToPoint
from hloscope.engine.ops.core.exchanges import Array, Arrays
from hloscope.engine.process_grid.launch import QueueKey
from hloscope.engine.sharded_runs.sharded_inputs import is_partitioned
from hloscope.engine.source import Source

from ..wire.events import LoopLink, RunningOp
from .launching import Feeds, make_item
from .run_pair import RunPair

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Goal:
    """A recording goal: step `steps` (None: the end), or `seconds` of CPU time after `at_least`."""

    steps: int | None
    seconds: float | None = None
    at_least: int = 0


class Run:
    """One recording and its goal."""

    def __init__(self, key: str, recording: Recording) -> None:
        self.key, self.recording, self.limits = key, recording, recording.limits
        self.entry = find_entry(recording.program, recording.entry)
        self.whole = not is_partitioned(recording.program, self.entry)
        """Whether values outside of manual computations are whole, and the same in every process."""
        self.hinted: Callable[[Diagnostic], Diagnostic] = lambda found: found
        """Adds hints to the diagnostic that stopped the run."""
        self._said: tuple[Diagnostic, State] | None = None
        self.pending: deque[Feeds] = deque()
        """Queue items for when the run waits for the user, so that replays insert them alike."""
        self.goal: Goal | None = None
        self.replay_to = 0
        """Steps that were recorded before this worker started; requests for them wait."""
        self.resting = ""
        """The reason for stopping at `replay_to`, if it is known already."""
        self._reason = "Nothing is recorded yet."
        self._spent = 0.0
        self._ceiling: int | None = None
        self._fault: State | None = None
        self.kept: dict[object, tuple[object, Any]] = {}
        """What functions marked by `kept` were given last, and their results."""
        self.walking: tuple[object, Walking] | None = None
        """A stopped walk, and the question that it answers."""
        self.pair: tuple[tuple[object, ...], RunPair] | None = None
        """The last comparison: its key, and its results so far."""
        self.distance: tuple[tuple[str, str, str, str], Array] | None = None
        """The distance to a value of another run, kept for its pictures."""
        self.file: tuple[str, bytes] | None = None
        """The value of the current download, as a file: address and bytes."""

    @property
    def source(self) -> Source:
        """The text of the program."""
        return self.recording.program.module.source

    @property
    def language(self) -> Language:
        """The program's language, in which types are spelled."""
        return self.recording.program.module.language

    @property
    def active(self) -> bool:
        """Whether steps remain to be recorded."""
        return self.goal is not None

    @property
    def replaying(self) -> bool:
        """Whether earlier steps are still being recorded again."""
        return self.active and self.recording.step_count < self.replay_to

    @property
    def catching_up(self) -> bool:
        """Whether steps that were recorded before this worker started may still be missing.

        A killed server has not stored its last count of steps, so this includes the first part of every run.
        """
        return self.replaying or (self.goal is not None and self.goal.seconds is not None)

    def record(self, goal: Goal) -> None:
        """Continue to `goal`; a run paused at a limit gets the same amount again."""
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
        """Put the user's items into queues; the waiting op determines their types."""
        recording = self.recording
        for key, items in feeds.items():
            for item in items:
                recording.feed(key, [self.make_item(key, item)])

    def check(self, feeds: Feeds) -> None:
        """Raise `InputError` if items do not fit, as far as known before they are taken."""
        for key, items in feeds.items():
            self.recording.check_feed(key)
            for place, item in enumerate(items):
                self.make_item(key, item, place)

    def make_item(self, key: QueueKey, item: Sequence[InputSpec], place: int = 0) -> Arrays:
        """The values of an item, after `place` pending ones. Raises `InputError` if they do not fit."""
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
        """The types that the op of a waiting process takes."""
        track = self.recording.tracks[process]
        op = self.recording.program.ops[track.op_of(track.step_count - 1)].op
        return op.payload if isinstance(op, PointToPoint) else ()

    def new_links(self) -> list[LoopLink]:
        """Links between starts of loops since the last call, for later recordings of this run."""
        found: list[LoopLink] = []
        for track in self.recording.tracks:
            for process, opener, since, iteration, values in track.loop_links:
                hexadecimal = [value.hex() for value in values]
                found.append(
                    LoopLink(
                        process=process, opener=opener, since=since, iteration=iteration, values=hexadecimal
                    )
                )
            track.loop_links.clear()
        return found

    def know(self, links: Sequence[LoopLink]) -> None:
        """Pass over iterations of loops that an earlier recording of this run has run."""
        self.recording.known_starts.add(
            (
                link["process"],
                link["opener"],
                link["since"],
                link["iteration"],
                tuple(map(bytes.fromhex, link["values"])),
            )
            for link in links
        )

    def pause(self, reason: str) -> None:
        """Stop recording, for a reason that the user reads."""
        self.goal, self._reason = None, reason

    def stop_at(self, ceiling: int, op: int | None, message: str, limit: str | None) -> None:
        """Stop at `ceiling`: the next op was killed with its worker."""
        subject = None if op is None else self.recording.program.ops[op].operation
        error = RunError(message, op=subject.name if subject else None, label=limit)
        diagnostic = replace(error.diagnostic(), kind="limit" if limit else "run")
        if subject is not None:
            diagnostic = replace(diagnostic, span=subject.span)
        self._ceiling, self._fault = ceiling, State("failed", f"stopped: {diagnostic.text}", diagnostic)

    def slice(self, seconds: float) -> None:
        """Record for about `seconds` of CPU time."""
        assert self.goal is not None
        last = self._last_step(self.goal)
        steps = None if last is None else last - self.recording.step_count
        # CPU time, not wall time: a busy machine records as much as an idle one.
        begin = thread_time()
        if steps is None or steps > 0:
            self.recording.record(steps=steps, seconds=seconds)
        self._spent += thread_time() - begin
        if not self.replaying:
            self.recording.known_starts.clear()
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
                self.pause(f"The values in a queue do not fit: {error.message}")
        elif self.recording.state.kind != "recording":
            self.goal = None
        elif last is not None and count >= last:
            self.pause(f"Recorded {_steps(count)}, as far as was asked.")
        elif goal.seconds is not None and self._spent >= goal.seconds and count >= goal.at_least:
            self.pause(f"Recorded {_steps(count)} in the first {goal.seconds:g} s of the processor.")

    @property
    def state(self) -> State:
        """The progress, and why the run is stopped."""
        found = self.recording.state
        if found.kind == "failed" and found.diagnostic:
            if self._said is None or self._said[0] is not found.diagnostic:
                said = replace(found, diagnostic=self.hinted(found.diagnostic))
                self._said = found.diagnostic, said
            return self._said[1]
        if found.kind == "paused" and self.active:
            # It may continue, and its next slice takes the item that it waited for.
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
        """The steps that are recorded, or will soon be recorded again."""
        return max(self.recording.step_count, self.replay_to if self.replaying else 0)

    def running_op(self) -> RunningOp:
        """The op that started last, for reports of slow ops; `step` counts those of all processes."""
        track = self.recording.current_track
        # The recording counts completed steps; a track counts this one.
        step = sum(found.step_count for found in self.recording.tracks) - 1
        if not track.step_count:
            return {"step": 0, "op": None, "line": None}
        op = track.op_of(track.step_count - 1)
        return {"step": step, "op": op, "line": self.recording.program.line_of(op)}


def kept(compute: Callable[Concatenate[Run, P], T]) -> Callable[Concatenate[Run, P], T]:
    """Compute a fact of a run once; of a function that is given more, the run keeps the last result."""

    @wraps(compute)
    def found(run: Run, /, *args: P.args, **kwargs: P.kwargs) -> T:
        known = run.kept.get(compute)
        if known is None or known[0] != (args, kwargs):
            known = run.kept[compute] = ((args, kwargs), compute(run, *args, **kwargs))
        result: T = known[1]
        return result

    return found


def _steps(count: int) -> str:
    return "1 step" if count == 1 else f"{count:,} steps"


def _same_queue(wanted: QueueKey, key: QueueKey, process: int) -> bool:
    """Whether a process waiting for `wanted` takes from `key`: its own queue, or the shared one."""
    return replace(wanted, process=None) == replace(key, process=None) and key.process in (None, process)


def memory_diagnostic() -> Diagnostic:
    """The diagnostic of an op without enough memory."""
    return Diagnostic(
        "The worker process has too little memory for this.", kind="limit", label="worker_rlimit_as_bytes"
    )
