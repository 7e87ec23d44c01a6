"""The HTTP and WebSocket API. Routes parse, call and present; what they do is in `sessions.py`."""

from fastapi import APIRouter

from . import (
    comparison_routes,
    dump_routes,
    engine_routes,
    finding_routes,
    grid_routes,
    index_map_routes,
    index_number_routes,
    lesson_routes,
    live_routes,
    op_routes,
    page_routes,
    playground_routes,
    program_routes,
    provenance_routes,
    recording_routes,
    room_live_routes,
    room_routes,
    search_routes,
    session_routes,
    source_routes,
    view_link_routes,
)

router = APIRouter(prefix="/api")
TOPICS = {
    "Programs, ops and examples": (program_routes, op_routes),
    "Sessions and runs": (session_routes, live_routes, page_routes, view_link_routes),
    "Rooms": (room_routes, room_live_routes),
    "Recordings": (recording_routes,),
    "Process grid": (grid_routes,),
    "Index maps": (index_map_routes, index_number_routes),
    "Provenance": (provenance_routes,),
    "Findings": (finding_routes,),
    "Two runs": (comparison_routes, engine_routes),
    "Passes of XLA": (dump_routes,),
    "Search": (search_routes,),
    "The user's own source": (source_routes,),
    "Playground": (playground_routes,),
    "Lessons": (lesson_routes,),
}
for topic, parts in TOPICS.items():
    for part in parts:
        router.include_router(part.router, tags=[topic])

__all__ = ["TOPICS", "router"]
