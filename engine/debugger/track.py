"""The columns of one process; its values are in the recording's store."""

from __future__ import annotations

from array import array as column
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..events import FrameEntered, Iterated, Listener, Loops, LoopStart
from ..findings import FindingLog, Occurrence, StepLocation
from ..ops.core.op import Array
from ..ops.core.process_groups import ProcessId
from ..ops.core.quiet import Signals
from ..ops.core.values import leaves
from ..process_grid.grid_events import LaunchGroup
from ..program import BoundOperation, BoundProgram
from .loop_values import LoopParts, LoopValues
from .resuming import KnownStarts, LoopLink, link
from .value_store import PROCESS_BITS, ValueStore

NONE = 0xFFFFFFFF
"""Stands for no frame, or no step."""
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


class Track(Listener):
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
        known: KnownStarts,
    ) -> None:
        """Create the track; `brought` returns all contributions to the collective of a step.

        `known` are starts of loops in an earlier recording of the same run.
        """
        self.number, self.launch_group = number, launch_group.number
        self.process: ProcessId = launch_group.process_of(number)
        self.state: TrackState = "ready"
        self.jump_steps, self.jump_ticks = column("I", [0]), column("I", [launch_group.begin])
        """Steps that do not begin one tick after their predecessor, and their ticks."""
        self.base = number << PROCESS_BITS
        self._program, self._store, self._log, self._brought = program, store, log, brought
        self._known = known
        self.loop_links: list[LoopLink] = []
        """Links between starts of loops, for later recordings of the run."""
        self._latest = (-1, 0, 0)
        """The latest start that is linked: its `while`, its iteration, and the number of faults before it."""
        # The steps and frames of loops that ran at once have no entries in these columns.
        self._op, self._frame, self._depth = column("I"), column("I"), column("H")
        self._finish = column("I")
        self.seconds: column[float] = column("f")
        """The duration of each step that did not run in a loop at once; the step that ran a loop has the time of all."""
        self.loops_at_once = LoopParts()
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
        return len(self._op) + self.loops_at_once.steps

    @property
    def nbytes(self) -> int:
        """Bytes of all columns."""
        steps = (self._op, self._frame, self._depth, self._finish, *self._frame_columns.values())
        return sum(len(each) * each.itemsize for each in steps) + len(self.seconds) * self.seconds.itemsize

    def op_of(self, step: int) -> int:
        """The op that `step` executed."""
        loop, at = self.loops_at_once.step(step)
        return self._op[at] if loop is None else int(loop.ops(np.int64(at)))

    @property
    def frame_count(self) -> int:
        """Number of entered frames."""
        return len(self._frame_columns["block"]) + self.loops_at_once.frames

    @property
    def op_column(self) -> NDArray[np.uint32]:
        """The op of each step."""
        return self._ops(0, self.step_count)

    @property
    def frame_column(self) -> NDArray[np.uint32]:
        """The frame of each step."""
        return self._frames(0, self.step_count)

    @property
    def depth_column(self) -> NDArray[np.uint16]:
        """The depth of each step's frame."""
        return self._depths(0, self.step_count)

    @property
    def frame_block(self) -> NDArray[np.uint32]:
        """The block that each frame runs."""
        return self.frame_columns(0, self.frame_count, ("block",))[0]

    @property
    def frame_parent(self) -> NDArray[np.uint32]:
        """The frame that each frame was opened from; `NONE` for the entry."""
        return self.frame_columns(0, self.frame_count, ("parent",))[0]

    @property
    def frame_opener(self) -> NDArray[np.uint32]:
        """The step that opened each frame; `NONE` for the entry."""
        return self.frame_columns(0, self.frame_count, ("opener",))[0]

    @property
    def frame_iteration(self) -> NDArray[np.uint32]:
        """The iteration of each frame's region, from 0."""
        return self.frame_columns(0, self.frame_count, ("iteration",))[0]

    @property
    def step_seconds(self) -> NDArray[np.float64]:
        """The duration of each step, as far as known; the steps of a loop that ran at once, and the one before, have equal shares."""
        known = np.zeros(len(self._op))
        known[: len(self.seconds)] = self.seconds
        found = np.zeros(self.step_count)
        for loop, target, rows in self.loops_at_once.step_pieces(0, self.step_count):
            if loop is None:
                found[target] = known[rows]
            else:
                together = slice(target.start - 1, target.stop)
                found[together] = found[target.start - 1] / (loop.step_count + 1)
        return found

    def columns(self, start: int, stop: int) -> tuple[Array, Array, Array]:
        """Ops, frames and depths of the steps from `start` to `stop`, without copying the columns."""
        stop = min(stop, self.step_count)
        return self._ops(start, stop), self._frames(start, stop), self._depths(start, stop)

    def _ops(self, start: int, stop: int) -> NDArray[np.uint32]:
        return self._of_steps(self._op, start, stop, np.uint32, LoopValues.ops)

    def _frames(self, start: int, stop: int) -> NDArray[np.uint32]:
        return self._of_steps(self._frame, start, stop, np.uint32, LoopValues.frames)

    def _depths(self, start: int, stop: int) -> NDArray[np.uint16]:
        return self._of_steps(self._depth, start, stop, np.uint16, lambda loop, _: loop.told.depth)

    def _of_steps(
        self,
        stored: column[int],
        start: int,
        stop: int,
        dtype: Any,
        of_loop: Callable[[LoopValues, Any], Any],
    ) -> NDArray[Any]:
        found = np.empty(max(stop - start, 0), dtype)
        for loop, target, rows in self.loops_at_once.step_pieces(start, stop):
            found[target] = stored[rows] if loop is None else of_loop(loop, np.arange(rows.start, rows.stop))
        return found

    def frame_columns(
        self, start: int, stop: int, names: Sequence[str] = ("block", "parent", "opener", "iteration")
    ) -> tuple[Array, ...]:
        """Blocks, parents, openers and iterations of the frames from `start` to `stop`, or columns of other names."""
        stop = min(stop, self.frame_count)
        pieces = list(self.loops_at_once.frame_pieces(start, stop))
        found = tuple(np.empty(max(stop - start, 0), np.uint32) for _ in names)
        for values, name in zip(found, names, strict=True):
            for loop, target, rows in pieces:
                values[target] = (
                    self._frame_columns[name][rows]
                    if loop is None
                    else _FRAMES_OF_LOOP[name](loop, np.arange(rows.start, rows.stop))
                )
        return found

    def _of_frame(self, frame: int, name: str) -> int:
        loop, at = self.loops_at_once.frame(frame)
        return (
            self._frame_columns[name][at] if loop is None else int(_FRAMES_OF_LOOP[name](loop, np.int64(at)))
        )

    def frame_of(self, step: int) -> int:
        """The frame in which `step` was executed."""
        loop, at = self.loops_at_once.step(step)
        return self._frame[at] if loop is None else int(loop.frames(np.int64(at)))

    def block_of(self, frame: int) -> int:
        """The block that a frame runs."""
        return self._of_frame(frame, "block")

    def parent_of(self, frame: int) -> int | None:
        """The frame that a frame was opened from; `None` for the entry."""
        found = self._of_frame(frame, "parent")
        return None if found == NONE else found

    def opener_of(self, frame: int) -> int | None:
        """The step that opened a frame; `None` for the entry."""
        found = self._of_frame(frame, "opener")
        return None if found == NONE else found

    def iteration_of(self, frame: int) -> int:
        """The iteration of a frame's region, from 0."""
        return self._of_frame(frame, "iteration")

    def start_of(self, frame: int) -> int:
        """The first step of a frame, or its next step if it has none yet."""
        return self._of_frame(frame, "start")

    def finish_of(self, step: int) -> int | None:
        """The last step of the frames that a step opened, or itself; `None` if unfinished."""
        loop, at = self.loops_at_once.step(step)
        found = self._finish[at] if loop is None else step
        return None if found == NONE else found

    def finished_ops(self, start: int, stop: int) -> NDArray[np.uint32]:
        """The ops of the steps from `start` to `stop`, up to the first unfinished one."""
        stop = min(stop, self.step_count)
        unfinished = np.flatnonzero(~self._finished(start, stop))
        return self._ops(start, start + int(unfinished[0]) if len(unfinished) else stop)

    @property
    def finished_column(self) -> NDArray[np.bool_]:
        """Whether each step has finished: its op has its results."""
        return self._finished(0, self.step_count)

    def _finished(self, start: int, stop: int) -> NDArray[np.bool_]:
        finishes = self._of_steps(self._finish, start, stop, np.uint32, lambda _, steps: 0 * steps)
        found: NDArray[np.bool_] = finishes != NONE
        return found

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
        at, in_loops = step, self.loops_at_once.steps
        if in_loops:
            at = self.loops_at_once.step(step)[1]
        self._finish[at] = len(self._op) + in_loops - 1
        if results:
            self._store.put(self.base + 2 * step, results)

    def ops_finished(
        self, ops: Sequence[BoundOperation], frame: int, depth: int, step: int, results: Sequence[Array]
    ) -> None:
        """Add steps of a frame, with their results."""
        count = len(ops)
        self._op.extend([bound.id for bound in ops])
        self._frame.extend([frame] * count)
        self._depth.extend([depth] * count)
        self._finish.extend(range(step, step + count))
        self._store.put_each(range(self.base + 2 * step, self.base + 2 * (step + count), 2), results)

    def op_suspected(
        self,
        step: int,
        frame: int,
        bound: BoundOperation,
        operands: tuple[Array, ...],
        results: tuple[Array, ...],
        signals: Signals,
    ) -> None:
        """Note what the op did wrong; an op that combines processes is checked on the operands of all of them."""
        op = bound.op.unpacked
        if op.findings.awaits_outcomes:
            return self._outcomes_suspected(bound, self._location(step, frame), results, signals)
        if op.explanation.combines_processes:
            operands = self._brought(self.number, step)
        for fault in self._log.check(bound, operands, results, signals):
            self._log.add(bound.id, Occurrence(*self._location(step, frame), fault))

    def _location(self, step: int, frame: int) -> StepLocation:
        return self.number, step, self.iteration_of(frame)

    def _outcomes_suspected(
        self, bound: BoundOperation, location: StepLocation, results: tuple[Array, ...], signals: Signals
    ) -> None:
        """Check the ops that started what this step awaited, and note their faults for the op of this step."""
        for start, outcome in self.outcomes.take(location[1], results):
            started = self._program.ops[self.op_of(start)]
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
        columns["start"].append(self.step_count)
        if entered.lanes is not None:
            self.frame_lanes[entered.frame] = entered.lanes
        if entered.arguments:
            self._store.put(self.base + 2 * entered.frame + 1, entered.arguments)

    def loop_iterated(self, told: Iterated) -> None:
        """Add the steps, frames and values of many iterations of a scalar loop at once."""
        self._link(told)
        loop = self.loops_at_once.add(told, self.base, self._store.batches)
        self._store.put_loop(loop)

    def _link(self, told: Iterated) -> None:
        """Link starts that are a batch or more apart if no op was at fault in between."""
        opener, iteration, faults = self._latest
        start = told.starts[0]
        if (opener, faults) == (told.opener, self._log.fault_count) and iteration < start.iteration:
            if start.iteration - iteration < told.loop.batch and len(told.starts) == 1:
                return
            self.loop_links.append(link(self.number, opener, iteration, start))
        self._latest = told.opener, told.starts[-1].iteration, self._log.fault_count

    def op_waited(self, step: int, seconds: float) -> None:
        """Add the time that an op took after it had waited."""
        self.seconds[self.loops_at_once.step(step)[1]] += seconds

    def known_starts(self, opener: int, start: LoopStart) -> Sequence[LoopStart]:
        """Later starts of a loop that an earlier recording of the same run had, as far as no op was at fault."""
        return self._known.after(self.number, opener, start)

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
        if kind == "s" and number < self.step_count and (finish := self.finish_of(number)) is not None:
            return finish
        if kind == "f" and number < self.frame_count:
            return max(self.start_of(number) - 1, 0)
        raise KeyError((kind, number))


_FRAMES_OF_LOOP: Mapping[str, Callable[[LoopValues, Any], Any]] = {
    "block": LoopValues.blocks,
    "parent": lambda loop, _: loop.told.parent,
    "opener": lambda loop, _: loop.told.opener,
    "iteration": lambda loop, frames: loop.told.iteration + frames // 2,
    "start": LoopValues.frame_starts,
}
"""The columns of frames of a loop that ran at once, from the numbers of its frames."""
