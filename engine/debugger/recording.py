"""A run, kept: what happened in order, as columns, and every value, as long as the budget allows.

The recording goes on only as far as it is asked to. A value that was dropped is computed again from
the nearest checkpoint; execution is deterministic, so it comes out the same, bit for bit.
"""

from __future__ import annotations

from array import array as column
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import Diagnostic, ProgramError
from ..events import Event, FrameEntered, OpFinished, OpStarted, RunFinished
from ..interpreter import Interpreter, Snapshot
from ..ir.types import Type
from ..limits import DEFAULT_LIMITS, Limits
from ..ops.op import Array
from ..program import BoundProgram
from .address import Address, argument, result
from .value_store import ValueStore

NONE = 0xFFFFFFFF
"""No frame, no step."""
_CHECKPOINTS = 16
_CHECKPOINT_SECONDS = 0.25
_CHECKPOINT_STEPS = 4096


@dataclass(frozen=True)
class State:
    """How far a recording is, and why it is not going on, as a sentence."""

    kind: Literal["recording", "paused", "done", "failed"]
    reason: str
    diagnostic: Diagnostic | None = None


class Recording:
    """One run of `program` on `inputs`; `record` makes it longer, everything else only reads."""

    def __init__(
        self,
        program: BoundProgram,
        inputs: Sequence[Array],
        limits: Limits = DEFAULT_LIMITS,
        entry: str | None = None,
    ) -> None:
        self.program = program
        self.limits = limits
        self.state = State("recording", "ready to run")
        self._entry = entry
        self._inputs = tuple(inputs)
        self._interpreter = Interpreter(program, inputs, limits, entry)
        self._store = ValueStore(limits.recording_bytes, tuple(inputs))
        self._op, self._frame, self._depth = column("I"), column("I"), column("H")
        self._finish = column("I")
        self._frame_columns = {
            name: column("I") for name in ("block", "parent", "opener", "iteration", "start")
        }
        self.frame_lanes: dict[int, tuple[int, ...]] = {}
        """Shape of the lanes of each frame that ran lifted."""
        self._results: tuple[Array, ...] | None = None
        self._seconds = 0.0
        self._checkpoints: list[Snapshot] = [self._interpreter.snapshot()]
        self._checkpoint_seconds = 0.0
        self._take(self._interpreter.entered)

    @property
    def step_count(self) -> int:
        """Steps recorded so far."""
        return len(self._op)

    @property
    def frame_count(self) -> int:
        """Frames entered so far."""
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
        """How many frames are below that of each step."""
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
        """The step whose op opened each frame; `NONE` for the entry."""
        return np.array(self._frame_columns["opener"], np.uint32)

    @property
    def frame_iteration(self) -> NDArray[np.uint32]:
        """Which run of its region each frame is, from 0."""
        return np.array(self._frame_columns["iteration"], np.uint32)

    @property
    def kept_bytes(self) -> int:
        """Bytes of the values kept."""
        return self._store.bytes

    def columns(self, start: int, stop: int) -> tuple[Array, Array, Array]:
        """Ops, frames and depths of the steps `start` to `stop`, without copying the whole."""
        chosen = slice(start, stop)
        return (
            np.array(self._op[chosen], np.uint32),
            np.array(self._frame[chosen], np.uint32),
            np.array(self._depth[chosen], np.uint16),
        )

    def frame_columns(self, start: int, stop: int) -> tuple[Array, ...]:
        """Blocks, parents, openers and iterations of the frames `start` to `stop`."""
        names = ("block", "parent", "opener", "iteration")
        return tuple(np.array(self._frame_columns[name][start:stop], np.uint32) for name in names)

    def results(self) -> tuple[Array, ...] | None:
        """What the entry function returned, once it has."""
        return self._results

    def record(self, steps: int | None = None, seconds: float | None = None) -> State:
        """Goes on for at most `steps` more steps and about `seconds`; `None` is as far as the limits let."""
        last = self.step_count + steps if steps is not None else None
        begin = perf_counter()
        while self._may_go_on() and (last is None or self.step_count < last):
            self._advance()
            elapsed = perf_counter() - begin
            if seconds is not None and elapsed >= seconds:
                break
            self._consider_checkpoint(self._seconds + elapsed)
        self._seconds += perf_counter() - begin
        self._explain()
        return self.state

    def value(self, address: Address) -> Array:
        """The array at `address`, computed again if it was dropped; `KeyError` if it is not recorded."""
        kept = self._store.get(address)
        if kept is not None:
            return kept
        made = self._made_during(address)
        if made is None:
            raise KeyError(str(address))
        return self._replayed(address, made)

    def type_of(self, address: Address) -> Type:
        """The type that the program declares for the value; `KeyError` if there is none."""
        return self.program.values[self._value_number(address)].type

    def _value_number(self, address: Address) -> int:
        try:
            if address.kind == "s":
                return self.program.ops[self._op[address.number]].results[address.index]
            block = self._frame_columns["block"][address.number]
            return self.program.blocks[block].arguments[address.index]
        except IndexError:
            raise KeyError(str(address)) from None

    def _may_go_on(self) -> bool:
        if self.state.kind in ("done", "failed"):
            return False
        return self.step_count < self.limits.run_step_limit and self._seconds < self.limits.run_seconds

    def _explain(self) -> None:
        """The state after recording stopped without an end or an error."""
        if self.state.kind in ("done", "failed"):
            return
        limits = self.limits
        if self.step_count >= limits.run_step_limit:
            self.state = State(
                "paused", f"paused at the limit run_step_limit = {limits.run_step_limit:,} steps"
            )
        elif self._seconds >= limits.run_seconds:
            self.state = State("paused", f"paused at the limit run_seconds = {limits.run_seconds:g} s")
        else:
            self.state = State("recording", f"recorded {self.step_count:,} steps so far")

    def _advance(self) -> None:
        try:
            for event in self._interpreter.step():
                self._take(event)
        except ProgramError as error:
            self.state = State("failed", f"stopped: {error.diagnostic().text}", error.diagnostic())

    def _take(self, event: Event) -> None:
        match event:
            case OpStarted(_, op, frame, depth):
                self._op.append(op)
                self._frame.append(frame)
                self._depth.append(depth)
                self._finish.append(NONE)
            case OpFinished(step):
                self._finish[step] = self.step_count - 1
            case FrameEntered():
                self._take_frame(event)
            case RunFinished(results):
                self._results = results
                self.state = State("done", "the program has ended")
        self._keep(event)

    def _take_frame(self, event: FrameEntered) -> None:
        columns = self._frame_columns
        columns["block"].append(event.block)
        columns["parent"].append(NONE if event.parent is None else event.parent)
        columns["opener"].append(NONE if event.opener is None else event.opener)
        columns["iteration"].append(event.iteration)
        columns["start"].append(self.step_count)
        if event.lanes is not None:
            self.frame_lanes[event.frame] = event.lanes

    def _keep(self, event: Event) -> None:
        for address, array in _values(event):
            self._store.put(address, array)

    def _consider_checkpoint(self, now: float) -> None:
        last = self._checkpoints[-1].step_count
        due = (
            self.step_count - last >= _CHECKPOINT_STEPS
            or now - self._checkpoint_seconds >= _CHECKPOINT_SECONDS
        )
        if not due or self.step_count == last or self.state.kind != "recording":
            return
        self._checkpoint_seconds = now
        self._checkpoints.append(self._interpreter.snapshot())
        if len(self._checkpoints) > _CHECKPOINTS:
            # Every second one of the older half goes: replays stay short near the end, bounded elsewhere.
            half = _CHECKPOINTS // 2
            self._checkpoints[1:half] = self._checkpoints[2:half:2]

    def _made_during(self, address: Address) -> int | None:
        """The step during which the value comes into being, if it has been recorded."""
        if address.process != 0:
            return None
        if address.kind == "s":
            made = self._finish[address.number] if address.number < self.step_count else NONE
            return None if made == NONE else made
        starts = self._frame_columns["start"]
        return max(starts[address.number] - 1, 0) if address.number < len(starts) else None

    def _replayed(self, address: Address, made: int) -> Array:
        """Runs again from the nearest checkpoint until `address` is made, keeping what comes by."""
        for event in self._again(made):
            self._keep(event)
            for found, array in _values(event):
                if found == address:
                    return array
        raise KeyError(str(address))

    def _again(self, made: int) -> Iterator[Event]:
        """The events of step `made` and of those before it, back to the nearest checkpoint."""
        starts = [snapshot.step_count for snapshot in self._checkpoints]
        interpreter = Interpreter(self.program, self._inputs, self.limits, self._entry)
        yield interpreter.entered
        interpreter.restore(self._checkpoints[bisect_right(starts, made) - 1])
        while interpreter.step_count <= made and not interpreter.finished:
            yield from interpreter.step()


def _values(event: Event) -> Iterator[tuple[Address, Array]]:
    """The values that come into being with `event`."""
    match event:
        case OpFinished(step, results):
            yield from ((result(step, number), array) for number, array in enumerate(results))
        case FrameEntered():
            yield from ((argument(event.frame, number), a) for number, a in enumerate(event.arguments))
