"""Index maps of a recording's ops."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from .common import Process, Service, answered

router = APIRouter(prefix="/recordings/{key}/maps/{op}")

OpNumber = Annotated[int, Path(ge=0, le=2**31)]
Step = Annotated[int, Query(ge=0, le=2**53)]


@router.get("")
async def maps(key: str, op: OpNumber, sessions: Service) -> Response:
    """The maps of an op in both directions, as expressions and as texts, and the roles of dimensions."""
    return answered(await sessions.ask(key, "maps", op=op))


@router.get("/found")
async def found(
    key: str, op: OpNumber, step: Step, sessions: Service, number: Annotated[int, Query(ge=0, le=2**20)],
    process: Process = 0, start: Annotated[int, Query(ge=0, le=2**53)] = 0,
    count: Annotated[int, Query(ge=1, le=2**20)] = 1 << 16,
) -> Response:  # fmt: skip
    """What the op found out at a step, which runtime variables read: int64, in row-major order."""
    where = {"op": op, "process": process, "step": step, "number": number}
    return answered(await sessions.ask(key, "maps_found", **where, start=start, count=count))


@router.get("/places")
async def places(key: str, op: OpNumber, step: Step, sessions: Service, process: Process = 0) -> Response:
    """The processes that the place of a map counts, and where each keeps operands and results of the op."""
    return answered(await sessions.ask(key, "maps_places", op=op, process=process, step=step))
