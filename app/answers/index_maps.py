"""Index maps of a recording's ops: the maps, and the values that they read in a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated

import numpy as np
from annotated_types import Ge, Le

from hloscope.engine.chains import Chains, Leaf, MapSource, map_sources
from hloscope.engine.debugger.address import result
from hloscope.engine.debugger.map_operands import awaited_at, execution_at, operands_at
from hloscope.engine.debugger.origins import address_of
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.debugger.run_location import RunLocation
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.core.values import value_at
from hloscope.engine.program import BoundOperation

from ..present.index_maps import OpMaps, maps_json, maps_of
from ..runs.run import Run, kept
from ..wire.maps import OpMapsInfo, PlaceInfo
from ..wire.questions import Answer, bytes_answer, json_answer
from .question import BadQuestion, NotRecorded, Number, Process, RecordingQuestion, Step, has_ended

_ROWS = 1 << 16
"""Steps searched at a time: a run of many millions is never copied whole."""


@dataclass(frozen=True)
class RecordedStep(RunLocation):
    """A step, and the values that the maps of its op read."""

    @cached_property
    def read(self) -> tuple[Array | None, ...]:
        """The values that the op's own maps read."""
        return operands_at(self.recording, self.process, self.step)

    def leaf_value(self, leaf: Leaf) -> Array | None:
        """A value that the op of the step reads, or that it computed itself."""
        program, track = self.recording.program, self.track
        made = program.makers.get(leaf.value)
        if made is not None and made.op == track.op_of(self.step):
            return value_at(self.recording.value(result(self.step, made.index, self.process)), leaf.path)
        address = address_of(program, track, self.step, leaf.value)
        return None if address is None else value_at(self.recording.value(address), leaf.path)

    def inside(self, op: int) -> RecordedStep | None:
        """The last step of op `op` in frames that this step opened; `None` if there is none."""
        track = self.track
        depth = track.columns(self.step, self.step + 1)[2][0]
        for start in range(self.step + 1, track.step_count, _ROWS):
            ops, _, depths = track.columns(start, start + _ROWS)
            end = np.flatnonzero(depths <= depth)
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
        return step.leaf_value(source.leaf)
    at: RecordedStep | None = step
    for call in source.calls:
        if at is not None and at.track.op_of(at.step) != call:
            at = at.inside(call)
    if source.leaf is not None:
        made = step.recording.program.makers[source.leaf.value]
        at = at.inside(made.op) if at is not None and made.op is not None else at
        return None if at is None else at.leaf_value(source.leaf)
    if at is not None and at.track.op_of(at.step) != source.operation:
        at = at.inside(source.operation) if source.operation is not None else None
    if at is None:
        return None
    number = step.recording.program.ops[at.track.op_of(at.step)].op.first_auxiliary + source.found
    return at.read[number] if number < len(at.read) else None


MOST_AT_ONCE = 1 << 20


@kept
def chains_of(run: Run) -> Chains:
    """The composed maps of a run's program, with the sizes determined by the run, on its grid."""
    recording = run.recording

    def static_form(number: int) -> BoundOperation:
        found = recording.static_form(number)
        return replace(found, op=found.op.on_grid(recording.grid))

    return Chains(recording.program, static_form, entry=run.entry)


def op_maps_of(run: Run, op: int) -> OpMaps:
    """The maps of an op of the run's program. Raises `IndexError` if there is no such op."""
    chains, program = chains_of(run), run.recording.program
    if not 0 <= op < len(program.ops):
        raise IndexError(op)
    return maps_of(chains.operation(op), program, chains)


def has_open_sizes(maps: OpMaps) -> bool:
    """Whether a run may still determine sizes that the maps need."""
    return any(tensor.has_open_sizes for tensor in (*maps.operands, *maps.results))


class MapsQuestion(RecordingQuestion[OpMapsInfo]):
    """The maps of an op in both directions, as expressions and as texts, and the roles of dimensions."""

    path = "/maps/{op}"
    examples = ({"op": 2},)

    op: Number

    def answer(self, run: Run) -> Answer[OpMapsInfo]:
        maps = op_maps_of(run, self.op)
        return json_answer(maps_json(maps, run.language), final=not has_open_sizes(maps))


class AuxiliaryValueQuestion(RecordingQuestion[bytes]):
    """An auxiliary value that the op computed at a step for runtime variables: int64, row-major.

    `X-Shape` is the shape of the whole value.
    """

    path = "/maps/{op}/found"
    examples = ({"op": 1, "step": 1, "number": 0},)

    op: Number
    step: Step
    number: Annotated[int, Ge(0), Le(2**20)]
    process: Process = 0
    start: Annotated[int, Ge(0), Le(2**53)] = 0
    count: Annotated[int, Ge(1), Le(2**20)] = 1 << 16

    def answer(self, run: Run) -> Answer[bytes]:
        found = sources_of_step(run, self.op, self.process, self.step)[self.number]
        if found is None:
            raise NotRecorded
        flat = np.ascontiguousarray(found).reshape(-1)
        part = flat[self.start : self.start + min(self.count, MOST_AT_ONCE)]
        return bytes_answer(
            part.astype("<i8").tobytes(), headers={"X-Shape": ",".join(map(str, found.shape))}
        )


@kept
def sources_of_step(run: Run, op: int, process: int, step: int) -> tuple[Array | None, ...]:
    """The values that the maps of an op read at a step of a process."""
    if run.recording.tracks[process].op_of(step) != op:
        raise BadQuestion(f"Step {step} of process {process} is not one of op {op}.")
    chains = chains_of(run)
    sources = map_sources(run.recording.program, op, static_form=chains.operation, chains=chains)
    return sources_at(RecordedStep(run.recording, process, step), sources)


class PlacesQuestion(RecordingQuestion[list[PlaceInfo]]):
    """The processes that a map's `place` counts, with their operands and results of the op."""

    path = "/maps/{op}/places"
    examples = ({"op": 2, "step": 0},)
    example_program = "parts"

    op: Number
    step: Step
    process: Process = 0

    def answer(self, run: Run) -> Answer[list[PlaceInfo]]:
        recording = run.recording
        execution = execution_at(recording, self.process, self.step)
        found: list[PlaceInfo] = []
        for other in awaited_at(recording, self.process, self.step):
            arrival = execution.arrivals.get(other) if execution else None
            at = self.step if other == self.process else arrival[0] if arrival else None
            found.append({"process": other, "step": at, "values": _addresses(recording, other, at)})
        return json_answer(found, final=has_ended(run))


def _addresses(recording: Recording, process: int, step: int | None) -> dict[str, str]:
    """The addresses of a step's operands and results, by the numbers of their values."""
    if step is None:
        return {}
    track, program = recording.tracks[process], recording.program
    bound = program.ops[track.op_of(step)]
    values = {str(value): str(address_of(program, track, step, value) or "") for value in bound.operands}
    values |= {str(value): str(result(step, index, process)) for index, value in enumerate(bound.results)}
    return values
