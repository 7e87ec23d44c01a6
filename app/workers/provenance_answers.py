"""What a worker answers about provenance: what elements were made from, and what they went into."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.provenance import (
    Budget,
    Links,
    RecordedRun,
    Unfinished,
    Walk,
    Walking,
    path_between,
)
from hloscope.engine.indexing.elements.element_sets import ElementSet
from hloscope.engine.ir.types import TensorType

from ..present.element_sets import ElementsError, parse_elements
from ..present.provenance import Asked, provenance_json
from ..present.types import type_text
from .answering import Answer, BadQuestion, NotRecorded, address_at, json_answer, track_at
from .runs import Run

JSON = dict[str, Any]
SECONDS = 3.0
"""The longest that a walk may keep others waiting."""


def _operands(run: Run, parameters: JSON) -> Answer:
    """Where the values are that the op of a step reads."""
    process, step = parameters["process"], parameters["step"]
    links = _links(run)
    track_at(run, parameters).op_of(step)
    found: list[str | None] = []
    for value in links.run.bound(process, step).operands:
        try:
            found.append(str(links.run.operand(process, step, value)))
        except KeyError:
            found.append(None)
    return json_answer(found, final=None not in found)


def _provenance(run: Run, parameters: JSON) -> Answer:
    asked, links = _asked(run, parameters), _links(run)
    walk = _walk(run, asked, parameters)
    path, why = None, ""
    if parameters.get("to"):
        try:
            path = _path(run, asked, parameters)
        except Unfinished as error:
            why = str(error)
    found = provenance_json(links, asked, walk, path) | {"pathReason": why or None}
    ended = run.recording.state.kind in ("done", "failed")
    return json_answer(found, final=walk.complete and not why and (ended or asked.direction == "back"))


def _walk(run: Run, asked: Asked, parameters: JSON) -> Walk:
    """The walk; with `more`, gone on with from where the last answer to the same question has stopped."""
    steps = tuple(track.step_count for track in run.recording.tracks)
    question = (asked.address, parameters["elements"], asked.direction, asked.reach, steps)
    if run.walking is not None and run.walking[0] == question and parameters["more"]:
        walking = run.walking[1]
    else:
        budget = Budget(SECONDS, steps=1 if asked.reach == "step" else None)
        forward = asked.direction == "forward"
        walking = Walking(_links(run), asked.address, asked.elements, budget, forward=forward)
    walk = walking.on()
    run.walking = (question, walking) if walk.waiting else None
    return walk


def _asked(run: Run, parameters: JSON) -> Asked:
    address, elements = _elements(run, parameters["address"], parameters["elements"])
    return Asked(address, elements, parameters["direction"], parameters["reach"])


def _elements(run: Run, text: str, elements: str) -> tuple[Address, ElementSet]:
    address, links = address_at(text), _links(run)
    type = links.run.type_of(address)
    if not isinstance(type, TensorType):
        raise BadQuestion(f"{text} is a {type_text(type, run.language)}, which has no elements of its own.")
    if not links.run.is_made(address):
        raise NotRecorded
    try:
        return address, parse_elements(elements, links.run.shape(address))
    except ElementsError as error:
        raise BadQuestion(str(error)) from None


def _path(run: Run, asked: Asked, parameters: JSON) -> list[tuple[Address, ElementSet]] | None:
    """One chain between what was asked for and the elements of another value, made earlier or later."""
    to, wanted = _elements(run, parameters["to"], parameters["element"])
    if asked.direction == "forward":
        found = path_between(_links(run), to, wanted, asked.address, asked.elements, SECONDS)
        return None if found is None else found[::-1]
    return path_between(_links(run), asked.address, asked.elements, to, wanted, SECONDS)


def _links(run: Run) -> Links:
    """Those of the run, whose parts are found once."""
    if run.links is None:
        run.links = Links(RecordedRun(run.recording))
    run.links.run.refresh()
    return run.links


QUESTIONS: Mapping[str, Callable[[Run, JSON], Answer]] = {
    "step_operands": _operands,
    "provenance": _provenance,
}
