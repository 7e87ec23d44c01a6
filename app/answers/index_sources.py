"""Sources of the runtime variables of an op's maps at a step, also in called functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hloscope.engine.chains import Leaf, MapSource
from hloscope.engine.debugger.address import result
from hloscope.engine.debugger.map_operands import operands_at
from hloscope.engine.debugger.origins import address_of
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.debugger.track import Track
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.core.values import is_tuple

_ROWS = 1 << 16
"""Steps searched at a time."""


@dataclass(frozen=True)
class RecordedStep:
    """A step of a process of a recording."""

    recording: Recording
    process: int
    step: int

    @property
    def track(self) -> Track:
        """The track of the process."""
        return self.recording.tracks[self.process]

    @cached_property
    def operands(self) -> tuple[Array | None, ...]:
        """The values that the op's own maps read."""
        return operands_at(self.recording, self.process, self.step)

    def value(self, leaf: Leaf) -> Array | None:
        """A value that the op of the step reads, or that it computed itself."""
        program, track = self.recording.program, self.track
        made = program.makers.get(leaf.value)
        if made is not None and made.op == track.op_of(self.step):
            return _part(self.recording.value(result(self.step, made.index, self.process)), leaf.path)
        address = address_of(program, track, self.step, leaf.value)
        return None if address is None else _part(self.recording.value(address), leaf.path)

    def inside(self, op: int) -> RecordedStep | None:
        """The last step of op `op` in frames that this step opened; `None` if there is none."""
        track = self.track
        for start in range(self.step + 1, track.step_count, _ROWS):
            ops, _, depths = track.columns(start, min(start + _ROWS, track.step_count))
            end = np.flatnonzero(depths <= track.columns(self.step, self.step + 1)[2][0])
            stop = int(end[0]) if len(end) else len(ops)
            hits = np.flatnonzero(ops[:stop] == op)
            if len(hits):
                return replace(self, step=start + int(hits[-1]))
            if len(end):
                return None
        return None


def sources_at(step: RecordedStep, sources: Sequence[MapSource]) -> tuple[Array | None, ...]:
    """The values behind the sources of an op's maps; `None` where one is not recorded."""
    return tuple(_source(step, number, source) for number, source in enumerate(sources))


def _source(step: RecordedStep, number: int, source: MapSource) -> Array | None:
    try:
        return _read(step, number, source)
    except (KeyError, IndexError):  # not recorded, or not computed because no map needs it
        return None


def _read(step: RecordedStep, number: int, source: MapSource) -> Array | None:
    if source.leaf is not None and not source.calls:
        return step.value(source.leaf)
    at: RecordedStep | None = step
    for call in source.calls:
        if at is not None and at.track.op_of(at.step) != call:
            at = at.inside(call)
    if source.leaf is not None:
        made = step.recording.program.makers[source.leaf.value]
        at = at.inside(made.op) if at is not None and made.op is not None else at
        return None if at is None else at.value(source.leaf)
    if at is not None and at.track.op_of(at.step) != source.operation:
        at = at.inside(source.operation) if source.operation is not None else None
    if at is None:
        return None
    number = step.recording.program.ops[at.track.op_of(at.step)].op.first_auxiliary + source.found
    return at.operands[number] if number < len(at.operands) else None


def _part(value: Array, path: Sequence[int]) -> Array:
    for number in path:
        assert is_tuple(value)
        value = value[number]
    return value
