"""Moves over a recording that grows on demand. The position is one tick of all processes."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal

from hloscope.engine.debugger import stepping
from hloscope.engine.debugger.breakpoints import Breakpoint
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.debugger.run_location import RunLocation
from hloscope.engine.debugger.stepping import Outline
from hloscope.engine.limits import Limits

from ...present.summary import line_of

SLICE_SECONDS = 0.1
_CHUNK = 4096
Move = Literal["into", "over", "out", "back", "back_over"]
Reason = Literal["entry", "step", "breakpoint", "exception", "pause", "goto"]
BIRTHS = ("nan", "inf")


@dataclass(frozen=True)
class Stop:
    """The reason for the current position."""

    process: int
    reason: Reason
    text: str = ""
    breakpoints: tuple[int, ...] = ()
    kind: str = ""
    """Kind of an exception: `nan`, `inf` or `failed`."""


@dataclass(frozen=True)
class _Hit:
    tick: int
    process: int
    step: int
    stop: Stop | None
    """`None` for a log message only."""
    said: str = ""


class Player:
    """A run, and the current tick."""

    def __init__(self, recording: Recording, limits: Limits, interrupted: Callable[[], bool]) -> None:
        """`interrupted` is set if the user wants the current move to end."""
        self.recording, self._limits, self._interrupted = recording, limits, interrupted
        self.tick = 0
        self.breakpoints: Sequence[Breakpoint] = ()
        self.exceptions: frozenset[str] = frozenset()
        """Exceptions to stop at: `nan`, `inf`, `failed`."""
        self._more()

    # Position.

    def place(self, process: int) -> RunLocation:
        """The position of a process: the op that begins now, the op that blocks it, or its end."""
        track = self.recording.tracks[process]
        step = track.step_at(self.tick)
        if step < 0:
            return RunLocation(self.recording, process, 0)
        waits = step + 1 < track.step_count or self.recording.state_of(process) != "done"
        is_over = track.tick_of(step) != self.tick and not waits
        return RunLocation(self.recording, process, step + is_over)

    def _last(self, process: int) -> int:
        """The last possible position: the end, or the op in which the process waits or has failed."""
        track = self.recording.tracks[process]
        return track.step_count - (self.recording.state_of(process) != "done")

    def go(self, process: int, step: int) -> None:
        """Move all processes to the tick of this one's `step`."""
        self.tick = self.recording.tracks[process].tick_of(max(0, min(step, self._last(process))))

    # The recording, grown on demand.

    @property
    def _is_over(self) -> bool:
        return self.recording.state.kind != "recording"

    def _more(self) -> None:
        """Record some more steps; raises `Interrupted` if the user interrupts."""
        if self._interrupted():
            raise Interrupted
        steps = max(256, min(self.recording.step_count, 1 << 16))
        self.recording.record(steps=steps, seconds=SLICE_SECONDS)

    def _allow_more(self) -> None:
        """Extend a run that paused at a limit by the same amount."""
        recording = self.recording
        if recording.state.kind == "paused" and not recording.awaited_queues:
            recording.limits = replace(
                recording.limits,
                run_step_limit=recording.step_count + self._limits.run_step_limit,
                run_seconds=recording.limits.run_seconds + self._limits.run_seconds,
            )
            recording.record(steps=0)

    def _reach(self, process: int, tick: int) -> None:
        """Record until a process has reached a tick, or cannot proceed."""
        track = self.recording.tracks[process]
        while track.end_tick <= tick and not self._is_over and self.recording.state_of(process) != "done":
            self._more()

    # Moves.

    def step(self, process: int, move: Move) -> Stop:
        """One move of a process; the others follow."""
        self._allow_more()
        position = self.place(process).step
        function: Callable[[Outline, int], int] = getattr(stepping, move)
        try:
            target = self._resolved(process, lambda outline: function(outline, position))
        except Interrupted:
            self.go(process, self._last(process))
            return Stop(process, "pause", "paused")
        self._come(process, target)
        forwards = move in ("into", "over", "out")
        if forwards and target >= self._last(process) and self._has_ended(process):
            return self._at_the_end(process)
        return Stop(process, "step")

    def _has_ended(self, process: int) -> bool:
        return self._is_over or self.recording.state_of(process) == "done"

    def _come(self, process: int, step: int) -> None:
        """Move to the tick of a process's step; lagging processes are recorded up to it."""
        self.go(process, step)
        for track in tuple(self.recording.tracks):
            with suppress(Interrupted):
                self._reach(track.number, self.tick)

    def _resolved(self, process: int, function: Callable[[Outline], int]) -> int:
        while True:
            outline = Outline.of(self.recording, process)
            target = function(outline)
            if target < outline.end or self._has_ended(process):
                return min(target, self._last(process))
            self._more()

    def _at_the_end(self, process: int) -> Stop:
        """The reason why it does not continue."""
        state = self.recording.state
        if self.recording.state_of(process) == "done":
            return Stop(process, "pause", "the end of the program")
        if state.kind == "failed":
            return self._failed()
        return Stop(process, "pause", state.reason)

    def _failed(self) -> Stop:
        state, count = self.recording.state, len(self.recording.tracks)
        process = next((n for n in range(count) if self.recording.state_of(n) == "failed"), 0)
        text = state.diagnostic.text if state.diagnostic else state.reason
        return Stop(process, "exception", text, kind="failed")

    def jump(self, process: int, ops: frozenset[int]) -> Stop:
        """Move to the next execution of one of `ops`, or to the last one before."""
        track, here = self.recording.tracks[process], self.place(process).step
        done, found = here + 1, None
        while found is None:
            found = _first(track.columns(done, track.step_count)[0], ops)
            if found is not None or self._has_ended(process):
                break
            done = track.step_count
            self._more()
        if found is not None:
            self._come(process, done + found)
            return Stop(process, "goto")
        earlier = _first(track.columns(0, here)[0][::-1], ops)
        if earlier is not None:
            self.go(process, here - 1 - earlier)
        return Stop(
            process,
            "goto" if earlier is not None else "pause",
            "" if earlier is not None else "never executed",
        )

    def resume(
        self, process: int, say: Callable[[RunLocation, str], None], *, here: bool = False
    ) -> Stop | None:
        """Continue to the next stop of any process, perhaps `here`; `None` at the end already."""
        self._allow_more()
        next_tick = self.tick + (not here)
        try:
            while True:
                known = self._recorded_until()
                end = min(known, next_tick + _CHUNK)
                for hit in sorted(self._hits(next_tick, end), key=lambda hit: (hit.tick, hit.process)):
                    if hit.stop:
                        self.tick = hit.tick
                        return hit.stop
                    say(RunLocation(self.recording, hit.process, hit.step), hit.said)
                next_tick = max(next_tick, end)
                if end == known and self._is_over:
                    return self._come_to_the_end(process)
                if end == known:
                    self._more()
        except Interrupted:
            self.tick = max(self.tick, next_tick - 1)
            return Stop(process, "pause", "paused")

    def _recorded_until(self) -> int:
        """The tick up to which all events are known."""
        recording = self.recording
        if self._is_over:
            return recording.end_tick
        open_ends = [
            track.end_tick
            for track in recording.tracks
            if recording.state_of(track.number) in ("ready", "running")
        ]
        return min(open_ends, default=recording.end_tick)

    def _come_to_the_end(self, process: int) -> Stop | None:
        before, kind = self.tick, self.recording.state.kind
        if kind == "failed":
            stop = self._failed()
            self.go(stop.process, self._last(stop.process))
            return None if 0 < self.tick <= before else stop
        self.tick = max(before, self.recording.end_tick)
        return None if kind == "done" and self.tick == before else self._at_the_end(process)

    def reverse(self, process: int) -> Stop:
        """Continue backward to the previous stop of any process, or to the start."""
        stop = self.tick
        while stop > 0:
            start = max(0, stop - _CHUNK)
            hits = [hit for hit in self._hits(start, stop) if hit.stop]
            if hits:
                last = max(hits, key=lambda hit: (hit.tick, -hit.process))
                self.tick = last.tick
                assert last.stop
                return last.stop
            stop = start
        self.tick = 0
        return Stop(process, "entry", "the begin of the program")

    # Stops.

    def _hits(self, start: int, end: int) -> Iterator[_Hit]:
        """All stops and logs from tick `start` to `end` (exclusive), per process to its first stop."""
        for track in self.recording.tracks:
            first, last = track.step_at(start - 1) + 1, track.step_at(end - 1) + 1
            forced = self._births(track.number, first, last)
            while first < last:
                middle = min(first + _CHUNK, last)
                if self._interrupted():
                    raise Interrupted
                yield from self._hits_of(track.number, first, middle)
                yield from (self._birth(*birth) for birth in forced if first <= birth[1] < middle)
                first = middle

    def _hits_of(self, process: int, first: int, last: int) -> Iterator[_Hit]:
        here = RunLocation(self.recording, process, first)
        for point in self.breakpoints:
            for step in point.stops(here, first, last):
                tick = here.track.tick_of(step)
                error = point.errors.get((process, step))
                if point.message is not None and error is None:
                    yield _Hit(
                        tick,
                        process,
                        step,
                        None,
                        point.said(RunLocation(self.recording, process, step), line_of),
                    )
                    continue
                text = f"the condition cannot be evaluated: {error}" if error else ""
                yield _Hit(tick, process, step, Stop(process, "breakpoint", text, (point.number,)))

    def _births(self, process: int, first: int, last: int) -> list[tuple[int, int, str]]:
        """The steps of a process that produced a NaN or an infinity, of the selected kinds."""
        return [
            (process, occurrence.step, found.kind)
            for found in self.recording.log.tallies.values()
            if found.kind in self.exceptions and found.kind in BIRTHS
            for occurrence in found.occurrences
            if occurrence.process == process and first <= occurrence.step < last
        ]

    def _birth(self, process: int, step: int, kind: str) -> _Hit:
        name = "NaN" if kind == "nan" else "Infinity"
        tick = self.recording.tracks[process].tick_of(step)
        return _Hit(tick, process, step, Stop(process, "exception", f"{name} is born here", kind=kind))


class Interrupted(Exception):
    """The user interrupted a move."""


def _first(ops: Iterable[int], wanted: frozenset[int]) -> int | None:
    return next((place for place, op in enumerate(ops) if int(op) in wanted), None)
