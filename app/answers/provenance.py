"""Provenance of elements: their sources, the elements computed from them, and the derivation of one element."""

from typing import Annotated, Literal

from annotated_types import Ge, Le, MaxLen

from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.microscope import Microscope
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
from ..present.provenance import ElementQuery, derivation_json, provenance_json
from ..present.types import type_text
from ..runs.run import Run, kept
from ..wire.provenance import Derivation, Provenance
from ..wire.questions import Answer, json_answer
from .question import (
    BadQuestion,
    NotRecorded,
    Process,
    RecordingQuestion,
    Short,
    Start,
    Step,
    address_at,
    has_ended,
)

SECONDS = 3.0
"""Maximum duration of a walk before it answers with its progress."""

Elements = Annotated[str, MaxLen(8_000)]


class OperandsQuestion(RecordingQuestion[list[str | None]]):
    """The addresses of the operands of a step's op."""

    path = "/steps/{step}/operands"
    examples = ({"step": 2},)

    step: Step
    process: Process = 0

    def answer(self, run: Run) -> Answer[list[str | None]]:
        links = _links(run)
        run.recording.tracks[self.process].op_of(self.step)
        found: list[str | None] = []
        for value in links.run.bound_operation(self.process, self.step).operands:
            try:
                found.append(str(links.run.operand(self.process, self.step, value)))
            except KeyError:
                found.append(None)
        return json_answer(found, final=None not in found)


class ProvenanceQuestion(RecordingQuestion[Provenance]):
    """The values that elements of a value come from or go to; with `to`, one chain as well.

    A stopped walk continues when the request is repeated with another `more`. With `only=not_finite` it follows NaN and
    infinities alone: from a bad element back to those that made it bad.
    """

    path = "/provenance"
    examples = (
        {"address": "0.s2.0", "elements": "0,1", "reach": "all"},
        {"address": "0.s2.0", "elements": "0,1", "only": "not_finite"},
    )

    address: Short
    elements: Elements = ""
    direction: Literal["back", "forward"] = "back"
    reach: Literal["step", "all"] = "step"
    to: Short = ""
    element: Elements = ""
    more: Annotated[int, Ge(0), Le(10_000)] = 0
    only: Literal["", "not_finite"] = ""

    def answer(self, run: Run) -> Answer[Provenance]:
        asked, links = _query(run, self), _links(run)
        walk = _walk(run, asked, self)
        path, why = None, ""
        if self.to:
            try:
                path = _path(run, asked, self)
            except Unfinished as error:
                why = str(error)
        found = provenance_json(links, asked, walk, path)
        found["pathReason"] = why or None
        is_final = walk.complete and not why and (has_ended(run) or asked.direction == "back")
        return json_answer(found, final=is_final)


class DerivationQuestion(RecordingQuestion[Derivation]):
    """How one element was made: its terms in the order in which they are combined, each partial result, what rounding lost.

    The engine combines the terms again and says whether this gives the recorded bits. `from` is the first of at most
    256 rows.
    """

    path = "/derivation"
    examples = ({"address": "0.s2.0", "elements": "1"},)

    address: Short
    elements: Elements = ""
    start: Start = 0

    def answer(self, run: Run) -> Answer[Derivation]:
        address, elements = _elements(run, self.address, self.elements)
        if elements.count != 1:
            raise BadQuestion(f"A derivation is of one element, not of {elements.count:,}.")
        (index,) = elements
        links = _links(run)
        return json_answer(
            derivation_json(links.run, address, Microscope(links).derivation(address, index, self.start))
        )


def _walk(run: Run, asked: ElementQuery, question: ProvenanceQuestion) -> Walk:
    """The walk; with `more`, continued from the end of the last answer to the same question."""
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
        raise BadQuestion(f"{text} is a {type_text(type, run.language)}, which has no elements.")
    if not links.run.is_made(address):
        raise NotRecorded
    try:
        return address, parse_elements(elements, links.run.shape(address))
    except ElementsError as error:
        raise BadQuestion(str(error)) from None


def _path(
    run: Run, asked: ElementQuery, question: ProvenanceQuestion
) -> list[tuple[Address, ElementSet]] | None:
    """One chain between the queried elements and those of another value, earlier or later."""
    to, wanted = _elements(run, question.to, question.element)
    if asked.direction == "forward":
        found = path_between(_links(run), to, wanted, asked.address, asked.elements, SECONDS)
        return None if found is None else found[::-1]
    return path_between(_links(run), asked.address, asked.elements, to, wanted, SECONDS)


def _links(run: Run) -> Links:
    """The provenance links of the run as far as it is recorded."""
    links = _indexed(run)
    links.run.refresh()
    return links


@kept
def _indexed(run: Run) -> Links:
    return Links(RecordedRun(run.recording))
