"""Findings of a recording: what ops did wrong in it, as far as it is recorded."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query

from ...wire.findings import FindingsInfo, OriginStop
from ...wire.questions import FindingsQuestion, OriginQuestion
from .common import Process, Service, to_response
from .typed_route import AnswerResponse, TypedRoute

router = APIRouter(route_class=TypedRoute, prefix="/recordings/{key}/findings")


@router.get("")
async def findings(key: str, sessions: Service, further: bool = False) -> AnswerResponse[FindingsInfo]:
    """What ops did wrong in the steps recorded so far, one finding for each op and kind, and the steps to mark.

    What becomes of bad elements is followed for some seconds; while the answer has a `rest`, `further` follows it for as
    long again.
    """
    return to_response(await sessions.ask(key, FindingsQuestion(further)))


@router.get("/origin")
async def origin(
    key: str,
    sessions: Service,
    step: Annotated[int, Query(ge=-1, le=2**53)],
    process: Process = 0,
    direction: Literal["forward", "back"] = "forward",
) -> AnswerResponse[OriginStop | None]:
    """The nearest step after or before `step` of a process in which a NaN or an infinity was born that does harm; null if there is none."""
    return to_response(await sessions.ask(key, OriginQuestion(process, step, direction)))
