"""Steps, frames and values of a run: small objects that read numbers on demand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hloscope.engine.debugger.address import Address, argument, result
from hloscope.engine.debugger.origins import address_of
from hloscope.engine.ir.types import TensorType
from hloscope.engine.program import BoundOperation, BoundProgram
from hloscope.engine.source import Source
from hloscope.engine.value_facts import ValueFacts, facts_of, has_facts

from ...present.html.values import value_html
from ...present.program import location_text, op_name
from ...processes.arrays import Array

if TYPE_CHECKING:
    from hloscope.engine.debugger.recording import Recording as EngineRecording

_SUBSCRIPTS = re.compile(r"[A-Za-z]*(?:,[A-Za-z]*)*->([A-Za-z]*)")


def scope_of(bound: BoundOperation) -> str:
    """The scopes of an op, outermost first: `jit(f)/head`; empty if the program records none."""
    return (op_name(bound.operation.location) or "").rpartition("/")[0]


def dims_of(program: BoundProgram, bound: BoundOperation, type: object) -> tuple[str, ...] | None:
    """The names of the dimensions of an op's result; `None` if unknown.

    An einsum may be several ops, of which the last has the result.
    """
    parts = scope_of(bound).split("/")
    found = _SUBSCRIPTS.fullmatch(parts[-1])
    if found is None or not isinstance(type, TensorType) or len(found[1]) != len(type.shape):
        return None
    return None if _goes_on(program, bound, parts) else tuple(found[1])


def _goes_on(program: BoundProgram, bound: BoundOperation, parts: Sequence[str]) -> bool:
    """Whether an op of the same scope reads the result."""
    results = set(bound.results)
    block = program.blocks[bound.block].operations
    return any(results & set(other.operands) and scope_of(other).split("/") == list(parts) for other in block)


@dataclass(frozen=True)
class RecordedValue:
    """A result of a step, or an argument of a frame. NumPy converts it to its array on demand.

    `value.numpy()` is read-only; bf16, f8 and similar types have the dtypes of ml_dtypes.
    """

    recording: EngineRecording = field(repr=False, compare=False)
    address: Address

    @property
    def name(self) -> str:
        """Its name in the text: `%5`."""
        return str(self._value.name)

    @property
    def type(self) -> str:
        """Its type in the text: `tensor<4x2xf32>`."""
        return str(self.recording.type_of(self.address))

    def numpy(self) -> Array:
        """The array; a dropped one is computed again, bit for bit the same."""
        return self.recording.value(self.address)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        found = self.numpy()
        if dtype is not None and found.dtype != dtype:
            return found.astype(dtype)
        return found.copy() if copy else found

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of its dimensions."""
        return tuple(self.numpy().shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of its array."""
        return self.numpy().dtype

    @property
    def statistics(self) -> ValueFacts | None:
        """Its range, mean, counts of NaN, infinities, zeros and denormals, and a checksum of its bits.

        A value that is still on a device is not transferred for them. `None` for tuples, and for complex and sub-byte types.
        """
        known = self.recording.facts(self.address)
        if known is not None:
            return known
        array = self.numpy()
        return facts_of(array) if has_facts(array.dtype) else None

    @property
    def dims(self) -> tuple[str, ...] | None:
        """The names of its dimensions, from a scope that records them; else `None`.

        Such a scope is `jnp.einsum("bqd,bkd->bqk", …)`.
        """
        step = self.step
        return None if step is None else dims_of(self.recording.program, step._bound, self._value.type)

    @property
    def step(self) -> RecordedStep | None:
        """The step that produced it; `None` for an argument of a frame."""
        at = self.address
        return RecordedStep(self.recording, at.number, at.process) if at.kind == "s" else None

    @property
    def frame(self) -> RecordedFrame:
        """The frame that produced or received it."""
        at = self.address
        step = self.step
        return step.frame if step is not None else RecordedFrame(self.recording, at.number, at.process)

    @property
    def _value(self) -> Any:
        return self.recording.program.values[self.recording.value_number(self.address)]

    def __repr__(self) -> str:
        return f"<{self.name}: {self.type} at {self.address}>"

    def _repr_html_(self) -> str:
        """Its picture, range and statistics, for notebooks."""
        type = self.recording.type_of(self.address)
        tensor = (self.numpy(), type) if isinstance(type, TensorType) else None
        return value_html(f"{self.name}: {self.type}", self._made, tensor, self.dims)

    @property
    def _made(self) -> str:
        """Its origin, in words."""
        step = self.step
        if step is None:
            return f"given to @{self.frame.function}"
        source = f", {step.source}" if step.source else ""
        return f"made by step {step.number:,}, {step.op}, line {step.line}{source}"


@dataclass(frozen=True)
class RecordedStep:
    """One execution of one op."""

    recording: EngineRecording = field(repr=False, compare=False)
    number: int
    process: int = 0

    @property
    def op(self) -> str:
        """The full name of the op: `stablehlo.add`."""
        return self._bound.operation.name

    @property
    def line(self) -> int:
        """Its line in the program's text, from 1."""
        return self.recording.program.line_of(self._bound.id)

    @property
    def source(self) -> str | None:
        """The line of the user's code, `train.py:12:4`, if the program records it."""
        return location_text(self._bound.operation.location)

    @property
    def scope(self) -> str:
        """Its scopes, outermost first: `jit(f)/head`."""
        return scope_of(self._bound)

    @property
    def frame(self) -> RecordedFrame:
        """The frame that executed it: a function, an iteration of a loop, a branch."""
        return RecordedFrame(self.recording, self._track.frame_of(self.number), self.process)

    @property
    def results(self) -> tuple[RecordedValue, ...]:
        """The values that it produced."""
        count = len(self._bound.results)
        return tuple(
            RecordedValue(self.recording, result(self.number, at, self.process)) for at in range(count)
        )

    @property
    def operands(self) -> tuple[RecordedValue, ...]:
        """The values that it read."""
        found = (
            address_of(self.recording.program, self._track, self.number, value)
            for value in self._bound.operands
        )
        return tuple(RecordedValue(self.recording, address) for address in found if address is not None)

    @property
    def frames(self) -> tuple[RecordedFrame, ...]:
        """The frames that it opened: for a loop those of its condition and body, for a call one."""
        track = self._track
        opened = np.flatnonzero(track.frame_opener == self.number)
        return tuple(RecordedFrame(self.recording, int(frame), self.process) for frame in opened)

    @property
    def iterations(self) -> tuple[tuple[RecordedFrame, ...], ...]:
        """The same frames, grouped by iteration of a loop."""
        found: dict[int, list[RecordedFrame]] = {}
        for frame in self.frames:
            found.setdefault(frame.iteration, []).append(frame)
        return tuple(tuple(frames) for frames in found.values())

    @property
    def text(self) -> str:
        """The text of the op."""
        operation = self._bound.operation
        source: Source = self.recording.program.module.source
        return source.text[operation.span.start : operation.span.end]

    @property
    def _track(self) -> Any:
        return self.recording.tracks[self.process]

    @cached_property
    def _bound(self) -> BoundOperation:
        return self.recording.program.ops[self.recording.tracks[self.process].op_of(self.number)]

    def __repr__(self) -> str:
        return f"<step {self.number}: {self.op}, line {self.line}>"


@dataclass(frozen=True)
class RecordedFrame:
    """A run of a function or of a region: for a loop's body, one per iteration."""

    recording: EngineRecording = field(repr=False, compare=False)
    number: int
    process: int = 0

    @property
    def function(self) -> str:
        """The function that it runs, or that contains its region."""
        return str(self._block.function)

    @property
    def iteration(self) -> int:
        """The number of this run of its region, from 0."""
        return int(self._track.iteration_of(self.number))

    @property
    def parent(self) -> RecordedFrame | None:
        """The frame that opened it; `None` for the entry function."""
        found = self._track.parent_of(self.number)
        return None if found is None else RecordedFrame(self.recording, found, self.process)

    @property
    def opener(self) -> RecordedStep | None:
        """The step that opened it; `None` for the entry function."""
        found = self._track.opener_of(self.number)
        return None if found is None else RecordedStep(self.recording, found, self.process)

    @property
    def arguments(self) -> tuple[RecordedValue, ...]:
        """The values that it received."""
        count = len(self._block.arguments)
        return tuple(
            RecordedValue(self.recording, argument(self.number, at, self.process)) for at in range(count)
        )

    @property
    def steps(self) -> Sequence[RecordedStep]:
        """Its own steps, without those of nested frames."""
        track = self._track
        found, step = [], track.start_of(self.number)
        while step < track.step_count and track.frame_of(step) == self.number:
            found.append(RecordedStep(self.recording, step, self.process))
            finish = track.finish_of(step)
            if finish is None:
                break
            step = finish + 1  # after the frames that it has opened
        return found

    def __iter__(self) -> Iterator[RecordedStep]:
        return iter(self.steps)

    @property
    def _track(self) -> Any:
        return self.recording.tracks[self.process]

    @property
    def _block(self) -> Any:
        return self.recording.program.blocks[self._track.block_of(self.number)]

    def __repr__(self) -> str:
        return f"<frame {self.number} of @{self.function}, iteration {self.iteration}>"
