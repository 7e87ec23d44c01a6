"""The HTTP and WebSocket API: routes parse, call `sessions/` and other rooms, and present.

Questions about recordings declare their own routes: `app/answers`.
"""

from collections.abc import Iterator
from itertools import chain

from ..routes import Routes
from . import (
    dump_routes,
    engine_routes,
    lesson_routes,
    live_routes,
    page_routes,
    program_routes,
    question_routes,
    room_live_routes,
    room_routes,
    session_routes,
    source_routes,
)
from .question_routes import question_router

TOPICS: dict[str, tuple[Routes, ...]] = {
    "Programs, ops and examples": (program_routes.router, program_routes.op_router),
    "Sessions and runs": (
        session_routes.router,
        live_routes.router,
        page_routes.router,
        session_routes.link_router,
    ),
    "Rooms": (room_routes.router, room_live_routes.router),
    # `.npy` files first: `/values/{address}` would match `.npy` as part of the address.
    "Recordings": (question_routes.npy_router, question_router("Recordings")),
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
    "Playground": (program_routes.playground_router,),
    "Lessons": (lesson_routes.router,),
}


def all_routes() -> Iterator[Routes]:
    """The routes of all topics, in the order in which they match."""
    return chain.from_iterable(TOPICS.values())


__all__ = ["TOPICS", "all_routes"]
