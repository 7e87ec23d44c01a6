"""Search over the values of a recording, and names to search for in its program."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from ...wire.questions import OpNamesQuestion, SearchQuestion
from ...wire.search import OpNames, SearchKind, SearchResult
from .common import Process, Service, to_response
from .typed_route import AnswerResponse, TypedRoute

router = APIRouter(route_class=TypedRoute, prefix="/recordings/{key}")

Text = Annotated[str, Query(max_length=80)]


@router.get("/search")
async def search(
    key: str, find: SearchKind, sessions: Service, number: Text = "", tolerance: Text = "", low: Text = "",
    high: Text = "", shape: Text = "", process: Process = 0,
    start: Annotated[int, Query(alias="from", ge=0, le=2**53)] = 0,
) -> AnswerResponse[SearchResult]:  # fmt: skip
    """The values of a process with elements that are so, in the order in which they were made, some at a time.

    A search stops after a tenth of a second and says from which position on it can be gone on with.
    """
    question = SearchQuestion(find, number, tolerance, low, high, shape, process, start)
    return to_response(await sessions.ask(key, question))


@router.get("/op-names")
async def op_names(key: str, sessions: Service) -> AnswerResponse[OpNames]:
    """What the user's framework called the ops, such as `jit(f)/attention/dot_general`."""
    return to_response(await sessions.ask(key, OpNamesQuestion()))
