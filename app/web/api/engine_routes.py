"""A run against a second engine: begun, looked at, cancelled. What comes of it is a file of values to compare the run with."""

from __future__ import annotations

from fastapi import APIRouter, Response

from ...wire.engines import EngineJob, EngineList
from ...wire.requests import EngineRequest
from .common import Engines

router = APIRouter()


@router.get("/engines")
async def engines(engines: Engines) -> EngineList:
    """The devices that jax finds where this server runs: a run can be compared on each of them."""
    return await engines.engines()


@router.post("/sessions/{session}/runs/{number}/engines", status_code=201)
async def begin(session: str, number: int, request: EngineRequest, engines: Engines) -> EngineJob:
    """Run the program of a run with XLA too, on the same inputs, if this server may; or compute what comes before a line with it."""
    return await engines.start(session, number, request.against, request.start_at)


@router.get("/sessions/{session}/engines/{job}")
async def status(session: str, job: str, engines: Engines) -> EngineJob:
    """How far it is, and at last the verdict and the file of values."""
    return engines.status(session, job)


@router.delete("/sessions/{session}/engines/{job}", status_code=204, response_class=Response)
async def cancel(session: str, job: str, engines: Engines) -> None:
    """End it."""
    engines.cancel(session, job)
