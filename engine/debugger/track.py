"""The columns of one process; its values are in the recording's store."""

from __future__ import annotations

from array import array as column
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..events import FrameEntered, Iterated, Loops
from ..findings import FindingLog, Occurrence, StepLocation
from ..ops.core.op import Array
from ..ops.core.process_groups import ProcessId
from ..ops.core.quiet import Signals
from ..ops.core.values import leaves
from ..process_grid.grid_events import LaunchGroup
from ..program import BoundOperation, BoundProgram
from .loop_values import LoopValues
from .value_store import ValueStore

NONE = 0xFFFFFFFF
"""No frame, no step."""
PROCESS_BITS = 48
"""Keys of the values of process p begin at `p << PROCESS_BITS`."""
PRINTED_CHARACTERS = 1 << 24

TrackState = Literal["ready", "running", "waiting", "awaiting_item", "done", "failed"]
"""`awaiting_item` means waiting for an item in a host queue."""

Brought = Callable[[int, int], tuple[Array, ...]]
Leaf = tuple[int, int]
"""A step, and the index of a tensor among its results, with tuples flattened."""


class Outcomes:
    """Asynchronous results of one process.

    The results of a step that starts something are placeholders; their values arrive at a later step.
    """

    def __init__(self) -> None:
        self.came: dict[Leaf, Leaf] = {}
        """Started output to the output at which its value arrived."""
        self.starts: dict[Leaf, Leaf] = {}
        """The inverse of `came`."""
        self._collected: list[tuple[int, tuple[Array, ...]]] = []

    def collect(self, start: int, outcome: tuple[Array, ...]) -> None:
        """Record that the current step receives the results of `start`."""
        self._collected.append((start, outcome))

    def take(self, step: int, results: tuple[Array, ...]) -> Iterator[tuple[int, tuple[Array, ...]]]:
        """Consume the steps whose results a step received; `results` are those of that step."""
        places = {id(found): number for number, found in enumerate(_tensors(results))}
        collected, self._collected = self._collected, []
        for start, outcome in collected:
            for number, found in enumerate(_tensors(outcome)):
                if (place := places.get(id(found))) is not None:
                    self.came[start, number], self.starts[step, place] = (step, place), (start, number)
            yield start, outcome


def _tensors(values: tuple[Array, ...]) -> Iterator[Array]:
    for value in values:
        yield from leaves(value)


class Track:
    """One process's part of a recording, and the listener to its run."""

    loops = Loops.TOGETHER

    def __init__(
        self,
        number: int,
        launch_group: LaunchGroup,
        program: BoundProgram,
        store: ValueStore,
        log: FindingLog,
        brought: Brought,
    ) -> None:
        """Create the track; `brought` returns all contributions to the collective of a step."""
        self.number, self.launch_group = number, launch_group.number
        self.process: ProcessId = launch_group.process_of(number)
        self.state: TrackState = "ready"
        self.jump_steps, self.jump_ticks = column("I", [0]), column("I", [launch_group.begin])
        """Steps that do not begin one tick after their predecessor, and their ticks."""
        self.base = number << PROCESS_BITS
        self._program, self._store, self._log, self._brought = program, store, log, brought
        self._op, self._frame, self._depth = column("I"), column("I"), column("H")
        self._finish = column("I")
        self.seconds = column("f")
        """The duration of each step; NaN for the steps of a scalar loop before the one that has the time of all."""
        self._frame_columns = {
            name: column("I") for name in ("block", "parent", "opener", "iteration", "start")
        }
        self.frame_lanes: dict[int, tuple[int, ...]] = {}
        """Lane shape of each frame that ran lifted."""
        self.prints: list[tuple[int, str]] = []
        """Prints of the process with their steps; prints beyond a budget are only counted."""
        self.print_count = 0
        self._printable = PRINTED_CHARACTERS
        self._results: tuple[Array, ...] | None = None
        self.outcomes = Outcomes()
        """Asynchronous results that started in one step and arrived in another."""

    @property
    def step_count(self) -> int:
        """Number of recorded steps."""
        return len(self._op)

    def op_of(self, step: int) -> int:
        """The op that `step` executed."""
        return self._op[step]

    @property
    def frame_count(self) -> int:
        """Number of entered frames."""
        return len(self._frame_columns["block"])

    @property
    def op_column(self) -> NDArray[np.uint32]:
        """The op of each step."""
        return np.array(self._op, np.uint32)

    @property
    def frame_column(self) -> NDArray[np.uint32]:
        """The frame of each step."""
        return np.array(self._frame, np.uint32)

    @property
    def depth_column(self) -> NDArray[np.uint16]:
        """The depth of each step's frame."""
        return np.array(self._depth, np.uint16)

    @property
    def frame_block(self) -> NDArray[np.uint32]:
        """The block that each frame runs."""
        return np.array(self._frame_columns["block"], np.uint32)

    @property
    def frame_parent(self) -> NDArray[np.uint32]:
        """The frame that each frame was opened from; `NONE` for the entry."""
        return np.array(self._frame_columns["parent"], np.uint32)

    @property
    def frame_opener(self) -> NDArray[np.uint32]:
        """The step that opened each frame; `NONE` for the entry."""
        return np.array(self._frame_columns["opener"], np.uint32)

    @property
    def frame_iteration(self) -> NDArray[np.uint32]:
        """The iteration of each frame's region, from 0."""
        return np.array(self._frame_columns["iteration"], np.uint32)

    def columns(self, start: int, stop: int) -> tuple[Array, Array, Array]:
        """Ops, frames and depths of the steps from `start` to `stop`, without copying the columns."""
        chosen = slice(start, stop)
        return (
            np.array(self._op[chosen], np.uint32),
            np.array(self._frame[chosen], np.uint32),
            np.array(self._depth[chosen], np.uint16),
        )

    def frame_columns(self, start: int, stop: int) -> tuple[Array, ...]:
        """Blocks, parents, openers and iterations of the frames from `start` to `stop`."""
        names = ("block", "parent", "opener", "iteration")
        return tuple(np.array(self._frame_columns[name][start:stop], np.uint32) for name in names)

    def frame_of(self, step: int) -> int:
        """The frame in which `step` was executed."""
        return self._frame[step]

    def block_of(self, frame: int) -> int:
        """The block that a frame runs."""
        return self._frame_columns["block"][frame]

    def parent_of(self, frame: int) -> int | None:
        """The frame that a frame was opened from; `None` for the entry."""
        found = self._frame_columns["parent"][frame]
        return None if found == NONE else found

    def opener_of(self, frame: int) -> int | None:
        """The step that opened a frame; `None` for the entry."""
        found = self._frame_columns["opener"][frame]
        return None if found == NONE else found

    def iteration_of(self, frame: int) -> int:
        """The iteration of a frame's region, from 0."""
        return self._frame_columns["iteration"][frame]

    def start_of(self, frame: int) -> int:
        """The first step of a frame, or its next step if it has none yet."""
        return self._frame_columns["start"][frame]

    def finish_of(self, step: int) -> int | None:
        """The last step of the frames that a step opened, or itself; `None` if unfinished."""
        found = self._finish[step]
        return None if found == NONE else found

    def finished_ops(self, start: int, stop: int) -> NDArray[np.uint32]:
        """The ops of the steps from `start` to `stop`, up to the first unfinished one."""
        unfinished = np.flatnonzero(np.array(self._finish[start:stop], np.uint32) == NONE)
        end = start + int(unfinished[0]) if len(unfinished) else stop
        return np.array(self._op[start:end], np.uint32)

    def results(self) -> tuple[Array, ...] | None:
        """The results of the process's function; `None` before it returns."""
        return self._results

    # Ticks

    def tick_of(self, step: int) -> int:
        """The tick at which a step began, or would begin after the last one."""
        at = bisect_right(self.jump_steps, step) - 1
        return self.jump_ticks[at] + step - self.jump_steps[at]

    def step_at(self, tick: int) -> int:
        """The last step begun at or before `tick`; -1 before the first."""
        at = bisect_right(self.jump_ticks, tick) - 1
        if at < 0:
            return -1
        last = self.jump_steps[at + 1] if at + 1 < len(self.jump_steps) else self.step_count
        return min(self.jump_steps[at] + tick - self.jump_ticks[at], last - 1)

    @property
    def end_tick(self) -> int:
        """The tick after the last step."""
        return self.tick_of(self.step_count)

    def clock_advanced(self, step: int, tick: int) -> None:
        """Record that a step does not begin one tick after its predecessor."""
        if self.jump_steps[-1] == step:
            self.jump_ticks[-1] = tick
        else:
            self.jump_steps.append(step)
            self.jump_ticks.append(tick)

    # Events of the process

    def op_started(self, op: int, frame: int, depth: int) -> None:
        """Add a step of the op `op` in the frame `frame`."""
        self._op.append(op)
        self._frame.append(frame)
        self._depth.append(depth)
        self._finish.append(NONE)

    def op_finished(self, step: int, results: tuple[Array, ...]) -> None:
        """Keeps the results of a step."""
        self._finish[step] = len(self._op) - 1
        if results:
            self._store.put(self.base + 2 * step, results)

    def op_suspected(
        self,
        step: int,
        bound: BoundOperation,
        operands: tuple[Array, ...],
        results: tuple[Array, ...],
        signals: Signals,
    ) -> None:
        """Note what the op did wrong; an op that combines processes is checked on the operands of all of them."""
        iteration = self._frame_columns["iteration"][self._frame[step]]
        location = self.number, step, iteration
        op = bound.op.unpacked
        if op.findings.awaits_outcomes:
            return self._outcomes_suspected(bound, location, results, signals)
        if op.explanation.combines_processes:
            operands = self._brought(self.number, step)
        self._log.check(bound, location, operands, results, signals)

    def _outcomes_suspected(
        self, bound: BoundOperation, location: StepLocation, results: tuple[Array, ...], signals: Signals
    ) -> None:
        """Check the ops that started what this step awaited, and note their faults for the op of this step."""
        for start, outcome in self.outcomes.take(location[1], results):
            started = self._program.ops[self._op[start]]
            if not started.op.unpacked.explanation.combines_processes:
                continue
            for fault in self._log.faults(started, self._brought(self.number, start), outcome, signals):
                _, number = self.outcomes.came.get((start, fault.result or 0), (0, 0))
                self._log.add(bound.id, Occurrence(*location, replace(fault, result=number)))

    def frame_entered(self, entered: FrameEntered) -> None:
        """Add a frame, and store its arguments."""
        columns = self._frame_columns
        columns["block"].append(entered.block)
        columns["parent"].append(NONE if entered.parent is None else entered.parent)
        columns["opener"].append(NONE if entered.opener is None else entered.opener)
        columns["iteration"].append(entered.iteration)
        columns["start"].append(len(self._op))
        if entered.lanes is not None:
            self.frame_lanes[entered.frame] = entered.lanes
        if entered.arguments:
            self._store.put(self.base + 2 * entered.frame + 1, entered.arguments)

    def loop_iterated(self, told: Iterated) -> None:
        """Add the steps, frames and values of many iterations of a scalar loop at once."""
        count, steps = told.outcome.iterations, len(told.loop.ops)
        first = len(told.loop.condition_results) + 1
        frames = np.arange(told.frame, told.frame + 2 * count, dtype=np.uint32)
        offsets = np.arange(count, dtype=np.uint32) * steps + told.step
        _extend(self._op, np.tile(np.array(told.loop.ops, np.uint32), count))
        _extend(self._frame, np.repeat(frames, np.tile([first, steps - first], count)))
        _extend(self._depth, np.full(count * steps, told.depth, np.uint16))
        _extend(self._finish, np.arange(told.step, told.step + count * steps, dtype=np.uint32))
        _extend(self.seconds, np.full(count * steps, np.nan, np.float32))
        columns = self._frame_columns
        _extend(columns["block"], np.tile(np.array(told.loop.blocks, np.uint32), count))
        _extend(columns["parent"], np.full(2 * count, told.parent, np.uint32))
        _extend(columns["opener"], np.full(2 * count, told.opener, np.uint32))
        iterations = np.arange(told.iteration, told.iteration + count, dtype=np.uint32)
        _extend(columns["iteration"], np.repeat(iterations, 2))
        _extend(columns["start"], np.stack([offsets, offsets + np.uint32(first)], axis=1).reshape(-1))
        self._store.put_loop(LoopValues.of(told, self.base))

    def loop_suspected(self, told: Iterated, signals: Signals) -> None:
        """Collect the faults of a loop's ops."""
        self._log.check_loop([self._program.ops[op] for op in told.loop.ops], self.number, told, signals)

    def op_printed(self, step: int, text: str) -> None:
        """Store an op's output, up to a maximum of characters."""
        self.print_count += 1
        self._printable -= len(text)
        if self._printable >= 0:
            self.prints.append((step, text))

    def run_finished(self, results: tuple[Array, ...]) -> None:
        """Record the results of the entry function."""
        self._results = results

    # Creation of values

    def creation_step(self, kind: Literal["s", "f"], number: int) -> int:
        """The step that created a step's results or a frame's arguments; `KeyError` if not yet."""
        starts = self._frame_columns["start"]
        if kind == "s" and number < self.step_count and self._finish[number] != NONE:
            return self._finish[number]
        if kind == "f" and number < len(starts):
            return max(starts[number] - 1, 0)
        raise KeyError((kind, number))


def _extend(target: column[int] | column[float], values: NDArray[Any]) -> None:
    target.frombytes(np.ascontiguousarray(values).tobytes())
