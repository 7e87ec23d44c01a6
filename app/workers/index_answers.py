"""What a worker answers about index maps: the maps of an op, and what they are read from in a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from engine.debugger.origins import address_of
from engine.ops.op import Array

from ..present.index_maps import maps_json, maps_of
from .answering import Answer, BadQuestion, json_answer, track_at
from .runs import Run

JSON = dict[str, Any]
MOST_AT_ONCE = 1 << 20


def _maps(run: Run, parameters: JSON) -> Answer:
    return json_answer(maps_json(maps_of(run.recording.settled(parameters["op"])), run.language))


def _found(run: Run, parameters: JSON) -> Answer:
    """Some of what an op found out at a step, in row-major order."""
    number, start = parameters["number"], parameters["start"]
    track = track_at(run, parameters)
    if track.op_of(parameters["step"]) != parameters["op"]:
        raise BadQuestion(f"step {parameters['step']} is none of op {parameters['op']}")
    found = _operands_at(run, parameters)[number]
    flat = np.ascontiguousarray(found).reshape(-1)
    part = flat[start : start + min(parameters["count"], MOST_AT_ONCE)]
    shape = ",".join(map(str, found.shape))
    return Answer(part.astype("<i8").tobytes(), headers={"X-Shape": shape})


def _operands_at(run: Run, parameters: JSON) -> tuple[Array, ...]:
    process, step = parameters["process"], parameters["step"]
    if run.found is None or run.found[0] != (process, step):
        recording, track = run.recording, track_at(run, parameters)
        bound = recording.settled(parameters["op"])
        addresses = [address_of(recording.program, track, step, value) for value in bound.operands]
        operands = tuple(recording.value(address) for address in addresses if address is not None)
        run.found = ((process, step), bound.op.map_operands(operands))
    return run.found[1]


QUESTIONS: Mapping[str, Callable[[Run, JSON], Answer]] = {"maps": _maps, "maps_found": _found}
