"""Index maps of a recording's ops."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from ...wire.maps import OpMapsInfo, PlaceInfo
from ...wire.questions import MapsQuestion, PlacesQuestion, RuntimeValuesQuestion
from .common import Process, Service, to_response
from .typed_route import AnswerResponse, TypedRoute

router = APIRouter(route_class=TypedRoute, prefix="/recordings/{key}/maps/{op}")

OpNumber = Annotated[int, Path(ge=0, le=2**31)]
Step = Annotated[int, Query(ge=0, le=2**53)]


@router.get("")
async def maps(key: str, op: OpNumber, sessions: Service) -> AnswerResponse[OpMapsInfo]:
    """The maps of an op in both directions, as expressions and as texts, and the roles of dimensions."""
    return to_response(await sessions.ask(key, MapsQuestion(op)))


@router.get("/found")
async def auxiliary_value(
    key: str, op: OpNumber, step: Step, sessions: Service, number: Annotated[int, Query(ge=0, le=2**20)],
    process: Process = 0, start: Annotated[int, Query(ge=0, le=2**53)] = 0,
    count: Annotated[int, Query(ge=1, le=2**20)] = 1 << 16,
) -> AnswerResponse[bytes]:  # fmt: skip
    """What the op found out at a step, which runtime variables read: int64, in row-major order."""
    question = RuntimeValuesQuestion(op, process, step, number, start, count)
    return to_response(await sessions.ask(key, question))


@router.get("/places")
async def places(
    key: str, op: OpNumber, step: Step, sessions: Service, process: Process = 0
) -> AnswerResponse[list[PlaceInfo]]:
    """The processes that the place of a map counts, and where each keeps operands and results of the op."""
    return to_response(await sessions.ask(key, PlacesQuestion(op, process, step)))
