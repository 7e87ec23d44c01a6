"""What a worker answers about index maps: the maps of an op, and what they are read from in a run."""

from __future__ import annotations

from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from hloscope.engine.chains import Chains, map_sources
from hloscope.engine.debugger.address import result
from hloscope.engine.debugger.map_operands import awaited_at, meeting_at
from hloscope.engine.debugger.origins import address_of
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.ops.core.op import Array
from hloscope.engine.program import BoundOperation

from ..present.index_maps import maps_json, maps_of
from ..runs.run import Run
from ..wire.maps import OpMapsInfo, PlaceInfo
from ..wire.questions import Answer, MapsQuestion, PlacesQuestion, RuntimeValuesQuestion
from .answer import BadQuestion, NotRecorded, handler
from .index_sources import RecordedStep, sources_at

MOST_AT_ONCE = 1 << 20
_CHAINS: WeakKeyDictionary[Recording, Chains] = WeakKeyDictionary()


def chains_of(run: Run) -> Chains:
    """The composed maps of a run's program, with the sizes that the run has shown, on its grid."""
    recording = run.recording
    if recording not in _CHAINS:

        def static_form(number: int) -> BoundOperation:
            found = recording.static_form(number)
            return replace(found, op=found.op.on_grid(recording.grid))

        _CHAINS[recording] = Chains(recording.program, static_form, entry=run.entry)
    return _CHAINS[recording]


def _maps(run: Run, question: MapsQuestion) -> Answer[OpMapsInfo]:
    chains, number = chains_of(run), question.op
    if not 0 <= number < len(run.recording.program.ops):
        raise IndexError(number)
    found = maps_of(chains.operation(number), run.recording.program, chains)
    open_sizes = any(tensor.has_open_sizes for tensor in (*found.operands, *found.results))
    return question.answer(maps_json(found, run.language), final=not open_sizes)


def _runtime_values(run: Run, question: RuntimeValuesQuestion) -> Answer[bytes]:
    """Some of the values that runtime variables read at a step, in row-major order."""
    start = question.start
    found = sources_of_step(run, question.op, question.process, question.step)[question.number]
    if found is None:
        raise NotRecorded
    flat = np.ascontiguousarray(found).reshape(-1)
    part = flat[start : start + min(question.count, MOST_AT_ONCE)]
    shape = ",".join(map(str, found.shape))
    return question.answer(part.astype("<i8").tobytes(), headers={"X-Shape": shape})


def sources_of_step(run: Run, op: int, process: int, step: int) -> tuple[Array | None, ...]:
    """What the maps of an op read at a step of a process."""
    if run.recording.tracks[process].op_of(step) != op:
        raise BadQuestion(f"Step {step} of process {process} is not one of op {op}.")
    if run.found is None or run.found[0] != (process, step):
        chains = chains_of(run)
        sources = map_sources(run.recording.program, op, static_form=chains.operation, chains=chains)
        run.found = ((process, step), sources_at(RecordedStep(run.recording, process, step), sources))
    return tuple(run.found[1])


def _process_places(run: Run, question: PlacesQuestion) -> Answer[list[PlaceInfo]]:
    """The processes that the place of a map counts, and where each has its operands and results."""
    recording, process, step = run.recording, question.process, question.step
    meeting = meeting_at(recording, process, step)
    found: list[PlaceInfo] = []
    for other in awaited_at(recording, process, step):
        arrival = meeting.arrivals.get(other) if meeting else None
        at = step if other == process else arrival[0] if arrival else None
        found.append({"process": other, "step": at, "values": _addresses(recording, other, at)})
    return question.answer(found, final=recording.state.kind in ("done", "failed"))


def _addresses(recording: Recording, process: int, step: int | None) -> dict[str, str]:
    """The addresses of a step's operands and results, by the numbers of their values."""
    if step is None:
        return {}
    track, program = recording.tracks[process], recording.program
    bound = program.ops[track.op_of(step)]
    values = {str(value): str(address_of(program, track, step, value) or "") for value in bound.operands}
    values |= {str(value): str(result(step, index, process)) for index, value in enumerate(bound.results)}
    return values


HANDLERS = (
    handler(MapsQuestion, _maps),
    handler(RuntimeValuesQuestion, _runtime_values),
    handler(PlacesQuestion, _process_places),
)
