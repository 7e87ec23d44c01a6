"""Element provenance of a recording: what elements were made from, and what they went into."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query

from ...wire.provenance import Provenance
from ...wire.questions import ProvenanceQuestion, StepOperandsQuestion
from .common import Process, Service, to_response
from .typed_route import AnswerResponse, TypedRoute

router = APIRouter(route_class=TypedRoute, prefix="/recordings/{key}")

Text = Annotated[str, Query(max_length=8_000)]
Step = Annotated[int, Path(ge=0, le=2**53)]


@router.get("/steps/{step}/operands")
async def operands(
    key: str, step: Step, sessions: Service, process: Process = 0
) -> AnswerResponse[list[str | None]]:
    """The addresses of the operands of a step's op."""
    return to_response(await sessions.ask(key, StepOperandsQuestion(process, step)))


@router.get("/provenance")
async def provenance(
    key: str, address: Annotated[str, Query(max_length=400)], sessions: Service, elements: Text = "",
    direction: Literal["back", "forward"] = "back", reach: Literal["step", "all"] = "step",
    to: Annotated[str, Query(max_length=400)] = "", element: Text = "",
    more: Annotated[int, Query(ge=0, le=10_000)] = 0, only: Literal["", "not_finite"] = "",
) -> AnswerResponse[Provenance]:  # fmt: skip
    """The values on the way from elements of a value, one step or all the way; with `to`, one chain as well.

    A walk that has stopped before its end goes on from there when it is asked for again with another `more`. With
    `only=not_finite` it goes by NaN and infinities alone: back from a bad element to those that made it bad.
    """
    question = ProvenanceQuestion(address, elements, direction, reach, to, element, more, only)
    return to_response(await sessions.ask(key, question))
