"""What a worker answers about provenance: what elements were made from, and what they went into."""

from __future__ import annotations

from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.provenance import (
    BadElements,
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
from ..present.provenance import ElementQuery, provenance_json
from ..present.types import type_text
from ..runs.run import Run
from ..wire.provenance import Provenance
from ..wire.questions import Answer, ProvenanceQuestion, StepOperandsQuestion
from .answer import BadQuestion, NotRecorded, address_at, handler

SECONDS = 3.0
"""The longest that a walk may keep others waiting."""


def _operands(run: Run, question: StepOperandsQuestion) -> Answer[list[str | None]]:
    """The addresses of the values that the op of a step reads."""
    process, step = question.process, question.step
    links = _links(run)
    run.recording.tracks[process].op_of(step)
    found: list[str | None] = []
    for value in links.run.bound_operation(process, step).operands:
        try:
            found.append(str(links.run.operand(process, step, value)))
        except KeyError:
            found.append(None)
    return question.answer(found, final=None not in found)


def _provenance(run: Run, question: ProvenanceQuestion) -> Answer[Provenance]:
    asked, links = _query(run, question), _links(run)
    walk = _walk(run, asked, question)
    path, why = None, ""
    if question.to:
        try:
            path = _path(run, asked, question)
        except Unfinished as error:
            why = str(error)
    found = provenance_json(links, asked, walk, path)
    found["pathReason"] = why or None
    ended = run.recording.state.kind in ("done", "failed")
    return question.answer(found, final=walk.complete and not why and (ended or asked.direction == "back"))


def _walk(run: Run, asked: ElementQuery, question: ProvenanceQuestion) -> Walk:
    """The walk; with `more`, gone on with from where the last answer to the same question has stopped."""
    steps = tuple(track.step_count for track in run.recording.tracks)
    name = (asked.address, question.elements, asked.direction, asked.reach, question.only, steps)
    if run.walking is not None and run.walking[0] == name and question.more:
        walking = run.walking[1]
    else:
        budget = Budget(SECONDS, steps=1 if asked.reach == "step" else None)
        forward, links = asked.direction == "forward", _links(run)
        only = BadElements(links).of if question.only else None
        walking = Walking(links, asked.address, asked.elements, budget, forward=forward, only=only)
    walk = walking.on()
    run.walking = (name, walking) if walk.waiting else None
    return walk


def _query(run: Run, question: ProvenanceQuestion) -> ElementQuery:
    address, elements = _elements(run, question.address, question.elements)
    return ElementQuery(address, elements, question.direction, question.reach)


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


def _path(
    run: Run, asked: ElementQuery, question: ProvenanceQuestion
) -> list[tuple[Address, ElementSet]] | None:
    """One chain between what was asked for and the elements of another value, made earlier or later."""
    to, wanted = _elements(run, question.to, question.element)
    if asked.direction == "forward":
        found = path_between(_links(run), to, wanted, asked.address, asked.elements, SECONDS)
        return None if found is None else found[::-1]
    return path_between(_links(run), asked.address, asked.elements, to, wanted, SECONDS)


def _links(run: Run) -> Links:
    """The provenance links of the run, indexed once."""
    if run.links is None:
        run.links = Links(RecordedRun(run.recording))
    run.links.run.refresh()
    return run.links


HANDLERS = (handler(StepOperandsQuestion, _operands), handler(ProvenanceQuestion, _provenance))
