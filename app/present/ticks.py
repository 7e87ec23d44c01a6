"""The position of every process of a grid at each common tick, as columns of bytes."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from hloscope.engine.debugger.grid_record import CollectiveExecution
from hloscope.engine.debugger.recording import NONE, Recording
from hloscope.engine.debugger.track import Track, TrackState
from hloscope.engine.process_grid.grid_events import LaunchGroup

from .elements import Array
from .tracks import ColumnChunk

TICKS = 256
"""Ticks per chunk."""
NOT_BEGUN, RUNNING, WAITING, DONE, FAILED, WAITING_FOR_USER = range(6)
_AT_THE_LAST = {"waiting": WAITING, "awaiting_item": WAITING_FOR_USER}
_BEYOND = {"done": DONE, "failed": FAILED}


@dataclass
class ExecutionTimes:
    """Start and end of each collective execution, as an index by tick."""

    begins: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    _open: set[int] = field(default_factory=set)

    def between(self, recording: Recording, first: int, last: int) -> Iterator[CollectiveExecution]:
        """The collective executions in progress between two ticks."""
        executions = recording.collective_executions
        new = range(len(self.begins), len(executions))
        self.begins.extend(executions[number].begin for number in new)
        self.ends.extend(NONE for _ in new)
        for number in [*self._open, *new]:
            end = executions[number].end
            self.ends[number] = NONE if end is None else end
            (self._open.add if end is None else self._open.discard)(number)
        found = (np.array(self.begins) <= last) & (np.array(self.ends) > first)
        return (executions[int(number)] for number in np.flatnonzero(found))


@dataclass
class _Row:
    """One process: its step, op, collective execution and state at each tick of a chunk."""

    step: Array
    op: Array
    execution: Array
    state: Array


def ticks_chunk(recording: Recording, number: int, team: LaunchGroup, times: ExecutionTimes) -> ColumnChunk:
    """Process-major columns of a team's processes: step, op and execution u32, state u8."""
    ticks = np.arange(number * TICKS, (number + 1) * TICKS, dtype=np.int64)
    rows = [_row(recording.tracks[process], recording.state_of(process), ticks) for process in team.numbers]
    _enter_executions(recording, team, rows, ticks, times)
    columns = [np.stack([getattr(row, name) for row in rows]) for name in ("step", "op", "execution")]
    data = b"".join(column.astype("<u4").tobytes() for column in columns)
    data += np.stack([row.state for row in rows]).astype(np.uint8).tobytes()
    known = int(np.clip(recorded_ticks(recording) - number * TICKS, 0, TICKS))
    return ColumnChunk(data, known, known == TICKS or recording.state.kind in _BEYOND)


def recorded_ticks(recording: Recording) -> int:
    """The number of ticks that are final for all processes.

    A waiting process is behind the processes that it waits for, and these run or wait themselves.
    """
    states = map(recording.state_of, range(len(recording.tracks)))
    running = (
        track.end_tick
        for track, state in zip(recording.tracks, states, strict=True)
        if state in ("ready", "running", "awaiting_item")
    )
    return min(running, default=recording.end_tick)


def clock_bytes(track: Track) -> bytes:
    """Pairs of u32: a step and its first tick; each step between two pairs takes one tick."""
    pairs = np.stack([np.array(track.jump_steps, np.int64), np.array(track.jump_ticks, np.int64)], axis=1)
    return pairs.astype("<u4").tobytes()


def _row(track: Track, now: TrackState, ticks: Array) -> _Row:
    steps, begins = np.array(track.jump_steps, np.int64), np.array(track.jump_ticks, np.int64)
    place = np.searchsorted(begins, ticks, side="right") - 1
    lasts = np.append(steps[1:], track.step_count) - 1
    clear = steps[place] + ticks - begins[place]
    step = np.minimum(clear, lasts[place])
    state = np.full(len(ticks), RUNNING)
    # A step before a gap waits from its own tick on.
    waits = (step == lasts[place]) & (place < len(steps) - 1)
    state[waits] = WAITING
    state[(step == track.step_count - 1) & ~waits] = _AT_THE_LAST.get(now, RUNNING)
    if now in _BEYOND:
        beyond = ticks >= track.end_tick
        step[beyond], state[beyond] = track.step_count, _BEYOND[now]
    unbegun = (place < 0) | (step < 0)
    step[unbegun], state[unbegun] = 0, NOT_BEGUN
    op = np.where(unbegun, NONE, _ops(track, step))
    return _Row(step, op, np.full(len(ticks), NONE, np.int64), state)


def _ops(track: Track, steps: Array) -> Array:
    """The op of each step; none after the last."""
    inside = steps < track.step_count
    found = np.full(len(steps), NONE, np.int64)
    if inside.any():
        first, last = int(steps[inside].min()), int(steps[inside].max())
        ops = track.columns(first, last + 1)[0]
        found[inside] = ops[steps[inside] - first]
    return found


def _enter_executions(
    recording: Recording, team: LaunchGroup, rows: list[_Row], ticks: Array, times: ExecutionTimes
) -> None:
    """The collective execution of a process: while it arrives, and while it waits later."""
    first, last = int(ticks[0]), int(ticks[-1])
    for execution in times.between(recording, first, last):
        if execution.launch_group != team.number:
            continue
        for process, (step, arrived) in execution.arrivals.items():
            row = rows[process - team.first]
            released = execution.released.get(process, last + 1)
            here = (ticks >= arrived) & (ticks < released)
            # An op with a body arrives at the body's last step.
            at_op = here & ((row.step == step) | (ticks == arrived))
            row.execution[at_op | (here & (row.state == WAITING))] = execution.number
