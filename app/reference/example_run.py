"""The run of an op's worked example: its executions, operands and results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hloscope.engine.debugger.address import result
from hloscope.engine.debugger.map_operands import op_at, operands_at, read_at
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.debugger.track import Track
from hloscope.engine.frontend import load
from hloscope.engine.indexing import BoundMap
from hloscope.engine.ir.module import Value
from hloscope.engine.ir.types import TensorType, Type, leaf_paths, leaf_types
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.ops.core.op import Array, Op
from hloscope.engine.program import BoundFunction, BoundOperation, BoundProgram
from hloscope.engine.source import Source

from ..runs.launching import ArgumentSource, choose_grid, launch
from ..runs.run_inputs import stated_inputs

MOST_STEPS = 4096
"""Maximum number of steps of an example."""
MOST_USES = 32
"""Maximum executions of the op among which a question is chosen."""
Index = tuple[int, ...]


@dataclass(frozen=True)
class Tensor:
    """A tensor of the run, under its name in the text."""

    name: str
    array: Array
    type: TensorType


@dataclass(frozen=True)
class Use:
    """One execution of the op."""

    recording: Recording
    process: int
    step: int

    @property
    def _track(self) -> Track:
        return self.recording.tracks[self.process]

    @cached_property
    def bound(self) -> BoundOperation:
        """The bound operation."""
        return self.recording.program.ops[self._track.op_of(self.step)]

    @property
    def line(self) -> int:
        """Its line in the text, from 1."""
        return self.recording.program.line_of(self.bound.id)

    @property
    def has_lanes(self) -> bool:
        """Whether it ran lifted over many elements, in the body of another op."""
        return bool(self._track.frame_lanes.get(self._track.frame_of(self.step)))

    @cached_property
    def op(self) -> Op:
        """The op with its actual sizes, on its grid."""
        return op_at(self.recording, self.process, self.step)

    @cached_property
    def results(self) -> list[Tensor]:
        """Its results with tuples flattened; empty if it did not finish."""
        found: list[Tensor] = []
        for number, value in enumerate(self.bound.operation.results):
            address = result(self.step, number, self.process)
            try:
                array, type = self.recording.value(address), self.recording.type_of(address)
            except (KeyError, IndexError):
                continue
            found += _tensors(value.name, array, type)
        return found

    @cached_property
    def _given(self) -> list[tuple[Value, Array]]:
        """Its operands with what they hold; empty if one is not recorded."""
        try:
            arrays = read_at(self.recording, self.process, self.step)
        except KeyError:
            return []
        return list(zip(self.bound.operation.operands, arrays, strict=True))

    @cached_property
    def operands(self) -> list[Tensor]:
        """Its operands, if all are tensors."""
        if not all(isinstance(array, np.ndarray) for _, array in self._given):
            return []
        return [
            Tensor(value.name, array, value.type)
            for value, array in self._given
            if isinstance(value.type, TensorType)
        ]

    @property
    def read(self) -> list[Tensor]:
        """The tensors that it reads, with tuples flattened."""
        return [tensor for value, array in self._given for tensor in _tensors(value.name, array, value.type)]

    def in_all_processes(self) -> Iterator[Use]:
        """The first execution of this operation in each process that executes it."""
        for track in self.recording.tracks:
            steps = range(track.step_count)
            if (step := next((at for at in steps if track.op_of(at) == self.bound.id), None)) is not None:
                yield Use(self.recording, track.number, step)

    def readers(self) -> list[tuple[int, BoundMap]]:
        """Maps of the first result by operand index; empty if one is not exact."""
        if self.has_lanes or len(self.operands) != len(self.bound.operands):
            return []
        maps = [each for each in self.op.index_maps() if each.result == 0]
        if any(each.map.is_undefined or each.place is not None or not each.is_certain for each in maps):
            return []
        known = operands_at(self.recording, self.process, self.step)
        return [(each.operand, BoundMap(each.map, known)) for each in maps]


def _tensors(name: str, value: Array, type: Type) -> Iterator[Tensor]:
    """The tensors in a value, in order; tuple elements have the debugger's names."""
    for path, leaf in zip(leaf_paths(type), leaf_types(type), strict=True):
        part = value
        for number in path:
            part = part[number]
        if isinstance(leaf, TensorType):
            yield Tensor(f"{name}{{{','.join(map(str, path))}}}" if path else name, part, leaf)


def opener_in_example(text: str, name: str) -> tuple[BoundProgram, BoundOperation, BoundOperation] | None:
    """The first operation of that name in a region, and the owner of the region."""
    program = load(Source(text)).program
    for bound in program.ops if program is not None else ():
        opener = program.blocks[bound.block].opener if program is not None else None
        if program is not None and bound.operation.name == name and opener is not None:
            return program, bound, program.ops[opener]
    return None


def uses_in_example(text: str, name: str) -> list[Use]:
    """The executions of an op in an example's run, of the last process that executes it."""
    program = load(Source(text)).program
    if program is None or program.entry is None:
        return []
    return list(_uses(record_example(program, program.entry, text), name))


def record_example(program: BoundProgram, entry: BoundFunction, text: str) -> Recording:
    """The run of an example on the inputs that its text states."""
    stated = stated_inputs(text)
    given = [*stated, *[ArgumentSource()] * (len(entry.function.arguments) - len(stated))]
    grid = choose_grid(program, entry, DEFAULT_LIMITS)
    recording = Recording(program, launch(program, entry, grid, given, {}, DEFAULT_LIMITS))
    recording.record(MOST_STEPS)
    return recording


def _uses(recording: Recording, name: str) -> Iterator[Use]:
    wanted = {bound.id for bound in recording.program.ops if bound.operation.name == name}
    for track in reversed(recording.tracks):  # in process 0, position-dependent values are 0
        steps = [step for step in range(track.step_count) if track.op_of(step) in wanted]
        if steps:
            yield from (Use(recording, track.number, step) for step in steps[:MOST_USES])
            return
