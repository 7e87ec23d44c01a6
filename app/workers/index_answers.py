"""What a worker answers about index maps: the maps of an op, and what they are read from in a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from hloscope.engine.chains import Chains, map_sources
from hloscope.engine.debugger.map_operands import awaited_at, meeting_at
from hloscope.engine.debugger.origins import address_of
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.ops.op import Array
from hloscope.engine.program import BoundOperation

from ..present.index_maps import maps_json, maps_of
from .answering import Answer, BadQuestion, NotRecorded, json_answer, track_at
from .index_sources import Moment, sources_at
from .runs import Run

JSON = dict[str, Any]
MOST_AT_ONCE = 1 << 20
_CHAINS: WeakKeyDictionary[Recording, Chains] = WeakKeyDictionary()


def chains_of(run: Run) -> Chains:
    """Those of the run's program, with the sizes that it has shown, on its grid."""
    recording = run.recording
    if recording not in _CHAINS:

        def settled(number: int) -> BoundOperation:
            found = recording.settled(number)
            return replace(found, op=found.op.on_grid(recording.grid))

        _CHAINS[recording] = Chains(recording.program, settled, entry=run.entry)
    return _CHAINS[recording]


def _maps(run: Run, parameters: JSON) -> Answer:
    chains, number = chains_of(run), parameters["op"]
    if not 0 <= number < len(run.recording.program.ops):
        raise IndexError(number)
    found = maps_of(chains.operation(number), run.recording.program, chains)
    open_sizes = any(tensor.has_open_sizes for tensor in (*found.operands, *found.results))
    return json_answer(maps_json(found, run.language), final=not open_sizes)


def _found(run: Run, parameters: JSON) -> Answer:
    """Some of what runtime variables read at a step, in row-major order."""
    number, start = parameters["number"], parameters["start"]
    found = sources_of_step(run, parameters)[number]
    if found is None:
        raise NotRecorded
    flat = np.ascontiguousarray(found).reshape(-1)
    part = flat[start : start + min(parameters["count"], MOST_AT_ONCE)]
    shape = ",".join(map(str, found.shape))
    return Answer(part.astype("<i8").tobytes(), headers={"X-Shape": shape})


def sources_of_step(run: Run, parameters: JSON) -> tuple[Array | None, ...]:
    """What the maps of the op of a step read there: `op`, `process` and `step` of the parameters."""
    process, step, op = parameters["process"], parameters["step"], parameters["op"]
    if track_at(run, parameters).op_of(step) != op:
        raise BadQuestion(f"Step {step} of process {process} is not one of op {op}.")
    if run.found is None or run.found[0] != (process, step):
        chains = chains_of(run)
        sources = map_sources(run.recording.program, op, settled=chains.operation, chains=chains)
        run.found = ((process, step), sources_at(Moment(run.recording, process, step), sources))
    return tuple(run.found[1])


def _places(run: Run, parameters: JSON) -> Answer:
    """The processes that the place of a map counts, and where each has its operands and results."""
    recording, process, step = run.recording, parameters["process"], parameters["step"]
    meeting = meeting_at(recording, process, step)
    found = []
    for other in awaited_at(recording, process, step):
        arrival = meeting.arrivals.get(other) if meeting else None
        at = step if other == process else arrival[0] if arrival else None
        found.append({"process": other, **_addresses(recording, other, at)})
    return json_answer(found, final=recording.state.kind in ("done", "failed"))


def _addresses(recording: Recording, process: int, step: int | None) -> JSON:
    """Where a step's operands and results are kept; by the numbers of their values."""
    if step is None:
        return {"step": None, "values": {}}
    track, program = recording.tracks[process], recording.program
    bound = program.ops[track.op_of(step)]
    values = {value: str(address_of(program, track, step, value) or "") for value in bound.operands}
    values |= {value: f"{process}.s{step}.{index}" for index, value in enumerate(bound.results)}
    return {"step": step, "values": values}


QUESTIONS: Mapping[str, Callable[[Run, JSON], Answer]] = {
    "maps": _maps,
    "maps_found": _found,
    "maps_places": _places,
}
