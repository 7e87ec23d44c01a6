"""Comparisons with a second engine, whose result is a file of values."""

from fastapi import Response

from ...wire.engines import EngineJob, EngineList
from ...wire.requests import EngineRequest
from ..routes import Routes
from .common import Engines

router = Routes("/api")


@router.get("/engines")
async def engines(engines: Engines) -> EngineList:
    """The JAX devices of this server's machine, on which runs can be compared."""
    return await engines.engines()


@router.post("/sessions/{session}/runs/{number}/engines", status_code=201)
async def begin(session: str, number: int, request: EngineRequest, engines: Engines) -> EngineJob:
    """Run a run's program with XLA on the same inputs, or compute the ops before a line or those of the whole run."""
    return await engines.start(session, number, request.against, request.start_at, records=request.records)


@router.get("/sessions/{session}/engines/{job}")
async def status(session: str, job: str, engines: Engines) -> EngineJob:
    """Progress of the comparison; at its end, the verdict and the file of values."""
    return engines.status(session, job)


@router.delete("/sessions/{session}/engines/{job}", status_code=204, response_class=Response)
async def cancel(session: str, job: str, engines: Engines) -> None:
    """Cancel the comparison."""
    engines.cancel(session, job)
