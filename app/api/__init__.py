"""The HTTP and WebSocket API. Routes parse, call and present; what they do is in `sessions.py`."""

from fastapi import APIRouter

from . import grid, index_maps, index_numbers, live, playground, programs, provenance, recordings, sessions

router = APIRouter(prefix="/api")
for part in (programs, sessions, recordings, grid, live, index_maps, index_numbers, playground, provenance):
    router.include_router(part.router)

__all__ = ["router"]
