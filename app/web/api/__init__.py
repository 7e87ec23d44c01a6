"""The HTTP and WebSocket API: routes parse, call `sessions/` and other rooms, and present.

Questions about recordings declare their own routes: `app/answers`.
"""

from fastapi import APIRouter

from . import (
    dump_routes,
    engine_routes,
    lesson_routes,
    live_routes,
    npy_routes,
    op_routes,
    page_routes,
    playground_routes,
    program_routes,
    room_live_routes,
    room_routes,
    session_routes,
    source_routes,
    view_link_routes,
)
from .question_routes import question_router

TOPICS: dict[str, tuple[APIRouter, ...]] = {
    "Programs, ops and examples": (program_routes.router, op_routes.router),
    "Sessions and runs": (
        session_routes.router,
        live_routes.router,
        page_routes.router,
        view_link_routes.router,
    ),
    "Rooms": (room_routes.router, room_live_routes.router),
    # `.npy` files first: `/values/{address}` would match `.npy` as part of the address.
    "Recordings": (npy_routes.router, question_router("Recordings")),
    "Process grid": (question_router("Process grid"),),
    "Index maps": (question_router("Index maps"),),
    "Memory": (question_router("Memory"),),
    "Profile": (question_router("Profile"),),
    "Provenance": (question_router("Provenance"),),
    "Findings": (question_router("Findings"),),
    "Two runs": (question_router("Two runs"), engine_routes.router),
    "Passes of XLA": (dump_routes.router,),
    "Search": (question_router("Search"),),
    "Breakpoints": (question_router("Breakpoints"),),
    "Expressions": (question_router("Expressions"),),
    "The user's own source": (source_routes.router,),
    "Playground": (playground_routes.router,),
    "Lessons": (lesson_routes.router,),
}
router = APIRouter(prefix="/api")
for topic, routers in TOPICS.items():
    for part in routers:
        router.include_router(part, tags=[topic])

__all__ = ["TOPICS", "router"]
