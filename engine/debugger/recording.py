"""A run, kept: what happened in order, as columns, and every value, as long as the budget allows.

The recording goes on only as far as it is asked to. A value that was dropped is computed again from
the nearest checkpoint; execution is deterministic, so it comes out the same, bit for bit.
"""

from __future__ import annotations

from array import array as column
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import inf
from time import perf_counter
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import Diagnostic, ProgramError
from ..events import FrameEntered, Iterated, Loops
from ..frames import Snapshot
from ..interpreter import Interpreter
from ..ir.types import FutureType, TupleType, Type
from ..limits import DEFAULT_LIMITS, Limits
from ..ops.op import Array
from ..ops.scalars import as_tensor
from ..ops.values import is_tuple
from ..outside import Bindings
from ..program import BoundOperation, BoundProgram
from .address import Address
from .loop_values import LoopValues
from .value_store import ValueStore

NONE = 0xFFFFFFFF
"""No frame, no step."""
_CHECKPOINTS = 16
_CHECKPOINT_SECONDS = 0.25
_CHECKPOINT_STEPS = 4096
_PRINTED_CHARACTERS = 1 << 24


@dataclass(frozen=True)
class State:
    """How far a recording is, and why it is not going on, as a sentence."""

    kind: Literal["recording", "paused", "done", "failed"]
    reason: str
    diagnostic: Diagnostic | None = None


class Recording:
    """One run of `program` on `inputs` and `bindings`; `record` makes it longer, everything else only reads."""

    loops = Loops.TOGETHER

    def __init__(
        self,
        program: BoundProgram,
        inputs: Sequence[Array],
        limits: Limits = DEFAULT_LIMITS,
        entry: str | None = None,
        bindings: Bindings | None = None,
    ) -> None:
        self.program = program
        self.limits = limits
        self.state = State("recording", "ready to run")
        self._entry = entry
        self._inputs = tuple(inputs)
        self._bindings = bindings
        self._interpreter = Interpreter(program, inputs, limits, entry, bindings)
        given = (*inputs, *chain.from_iterable((bindings or {}).values()))
        self._store = ValueStore(limits.recording_bytes, given)
        self._op, self._frame, self._depth = column("I"), column("I"), column("H")
        self._finish = column("I")
        self._frame_columns = {
            name: column("I") for name in ("block", "parent", "opener", "iteration", "start")
        }
        self.frame_lanes: dict[int, tuple[int, ...]] = {}
        """Shape of the lanes of each frame that ran lifted."""
        self.prints: list[tuple[int, str]] = []
        """What the program has printed so far, and during which step; what is beyond a budget is only counted."""
        self.print_count = 0
        self._printable = _PRINTED_CHARACTERS
        self._results: tuple[Array, ...] | None = None
        self._seconds = 0.0
        self._checkpoints: list[Snapshot] = [self._interpreter.snapshot()]
        self._checkpoint_seconds = 0.0
        self.frame_entered(self._interpreter.entered)

    @property
    def step_count(self) -> int:
        """Steps recorded so far."""
        return len(self._op)

    def op_of(self, step: int) -> int:
        """The number of the op that was executed in `step`."""
        return self._op[step]

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
    def probes(self) -> Mapping[str, tuple[Array, ...]]:
        """What `interpreter.probe` has kept so far, by its names."""
        return self._interpreter.probes

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
        begin = perf_counter()
        limits = self.limits
        last = limits.run_step_limit
        if steps is not None:
            last = min(last, self.step_count + steps)
        deadline = min(
            begin + limits.run_seconds - self._seconds, inf if seconds is None else begin + seconds
        )
        while self._may_go_on() and self.step_count < last and perf_counter() < deadline:
            checkpoint = begin - self._seconds + self._checkpoint_seconds + _CHECKPOINT_SECONDS
            self._advance(
                min(last, self._checkpoints[-1].step_count + _CHECKPOINT_STEPS), min(deadline, checkpoint)
            )
            self._consider_checkpoint(self._seconds + perf_counter() - begin)
        self._seconds += perf_counter() - begin
        self._explain()
        return self.state

    def value(self, address: Address) -> Array:
        """The array at `address`, computed again if it was dropped; `KeyError` if it is not recorded."""
        if address.process != 0:
            raise KeyError(str(address))
        key = 2 * address.number + (address.kind == "f")
        found = self._store.get(key)
        if found is None:
            found = self._replayed(key, self._made_during(address))
        try:
            return _inside(found[address.index], address)
        except IndexError:
            raise KeyError(str(address)) from None

    def settled(self, op: int) -> BoundOperation:
        """Op number `op`, with the sizes that the run has shown where the program leaves them open."""
        return self._interpreter.settled(op)

    def type_of(self, address: Address) -> Type:
        """The type that the program declares for the value; `KeyError` if there is none.

        Of a bare scalar (`index`) or a shape, the type of the tensor that the run keeps it as.
        """
        found = self.program.values[self._value_number(address)].type
        for number in address.path:
            if not isinstance(found, TupleType | FutureType) or number >= len(found.types):
                raise KeyError(str(address))
            found = found.types[number]
        return as_tensor(found)

    def _value_number(self, address: Address) -> int:
        try:
            if address.kind == "s":
                return self.program.ops[self._op[address.number]].results[address.index]
            block = self._frame_columns["block"][address.number]
            return self.program.blocks[block].arguments[address.index]
        except IndexError:
            raise KeyError(str(address)) from None

    def _may_go_on(self) -> bool:
        return self.state.kind not in ("done", "failed")

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

    def _advance(self, stop: int, deadline: float) -> None:
        try:
            self._interpreter.run(self, stop, deadline)
        except ProgramError as error:
            self.state = State("failed", f"stopped: {error.diagnostic().text}", error.diagnostic())

    def op_started(self, op: int, frame: int, depth: int) -> None:
        """A new step, told by the interpreter; as are the following."""
        self._op.append(op)
        self._frame.append(frame)
        self._depth.append(depth)
        self._finish.append(NONE)

    def op_finished(self, step: int, results: tuple[Array, ...]) -> None:
        """The results of a step."""
        self._finish[step] = len(self._op) - 1
        if results:
            self._store.put(2 * step, results)

    def frame_entered(self, entered: FrameEntered) -> None:
        """A new frame, and its arguments."""
        columns = self._frame_columns
        columns["block"].append(entered.block)
        columns["parent"].append(NONE if entered.parent is None else entered.parent)
        columns["opener"].append(NONE if entered.opener is None else entered.opener)
        columns["iteration"].append(entered.iteration)
        columns["start"].append(len(self._op))
        if entered.lanes is not None:
            self.frame_lanes[entered.frame] = entered.lanes
        if entered.arguments:
            self._store.put(2 * entered.frame + 1, entered.arguments)

    def iterated(self, told: Iterated) -> None:
        """Iterations of a loop over scalars: the same columns, filled at once."""
        count, steps = told.outcome.iterations, len(told.loop.ops)
        first = len(told.loop.condition_results) + 1
        frames = np.arange(told.frame, told.frame + 2 * count, dtype=np.uint32)
        offsets = np.arange(count, dtype=np.uint32) * steps + told.step
        _extend(self._op, np.tile(np.array(told.loop.ops, np.uint32), count))
        _extend(self._frame, np.repeat(frames, np.tile([first, steps - first], count)))
        _extend(self._depth, np.full(count * steps, told.depth, np.uint16))
        _extend(self._finish, np.arange(told.step, told.step + count * steps, dtype=np.uint32))
        columns = self._frame_columns
        _extend(columns["block"], np.tile(np.array(told.loop.blocks, np.uint32), count))
        _extend(columns["parent"], np.full(2 * count, told.parent, np.uint32))
        _extend(columns["opener"], np.full(2 * count, told.opener, np.uint32))
        iterations = np.arange(told.iteration, told.iteration + count, dtype=np.uint32)
        _extend(columns["iteration"], np.repeat(iterations, 2))
        _extend(columns["start"], np.stack([offsets, offsets + np.uint32(first)], axis=1).reshape(-1))
        self._store.put_loop(LoopValues.of(told))

    def printed(self, step: int, text: str) -> None:
        """What the program prints."""
        self.print_count += 1
        self._printable -= len(text)
        if self._printable >= 0:
            self.prints.append((step, text))

    def run_finished(self, results: tuple[Array, ...]) -> None:
        """The end."""
        self._results = results
        self.state = State("done", "the program has ended")

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

    def _made_during(self, address: Address) -> int:
        """The step during which the value came into being; `KeyError` if it has not been recorded."""
        starts = self._frame_columns["start"]
        if address.kind == "s" and address.number < self.step_count and self._finish[address.number] != NONE:
            return self._finish[address.number]
        if address.kind == "f" and address.number < len(starts):
            return max(starts[address.number] - 1, 0)
        raise KeyError(str(address))

    def _replayed(self, key: int, made: int) -> tuple[Array, ...]:
        """Runs again from the nearest checkpoint until `key` is made, keeping what comes by."""
        starts = [snapshot.step_count for snapshot in self._checkpoints]
        interpreter = Interpreter(self.program, self._inputs, self.limits, self._entry, self._bindings)
        replay = _Replay(self._store, key)
        replay.frame_entered(interpreter.entered)
        interpreter.restore(self._checkpoints[bisect_right(starts, made) - 1])
        if interpreter.step_count <= made and not interpreter.finished:
            interpreter.run(replay, made + 1)
        if replay.found is None:
            raise KeyError(key)
        return replay.found


def _extend(target: column[int], values: NDArray[Any]) -> None:
    target.frombytes(np.ascontiguousarray(values).tobytes())


class _Replay:
    """Listens to a part of the run that is done again; what was dropped is kept once more."""

    loops = Loops.STEP_BY_STEP

    def __init__(self, store: ValueStore, wanted: int) -> None:
        self._store, self._wanted = store, wanted
        self.found: tuple[Array, ...] | None = None

    def op_started(self, op: int, frame: int, depth: int) -> None:
        """Known already."""

    def op_finished(self, step: int, results: tuple[Array, ...]) -> None:
        """Keeps the results of a step."""
        self._keep(2 * step, results)

    def frame_entered(self, entered: FrameEntered) -> None:
        """Keeps the arguments of a frame."""
        self._keep(2 * entered.frame + 1, entered.arguments)

    def iterated(self, told: Iterated) -> None:
        """Never told."""

    def printed(self, step: int, text: str) -> None:
        """Known already."""

    def run_finished(self, results: tuple[Array, ...]) -> None:
        """Known already."""

    def _keep(self, key: int, arrays: tuple[Array, ...]) -> None:
        if key == self._wanted:
            self.found = arrays
        if arrays:
            self._store.put(key, arrays)


def _inside(value: Array, address: Address) -> Array:
    """What `address` means of a result: the result itself, or something in its tuples."""
    for number in address.path:
        if not is_tuple(value):
            raise KeyError(str(address))
        value = value[number]
    return value
