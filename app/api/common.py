"""What routes share: the application's sessions, and answers of workers as HTTP answers."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Annotated, Any, TypeVar, cast

from fastapi import Depends, Query, Request, Response
from starlette.requests import HTTPConnection

from ..errors import ApiError
from ..sessions import Sessions
from ..workers.framing import Frame
from .large import PiecewiseResponse

T = TypeVar("T")
LOOK_SECONDS = 0.5
"""How often it is looked whether the client of a request that waits is still there."""
FINAL = "private, max-age=31536000, immutable"


async def _sessions(connection: HTTPConnection) -> Sessions:  # a plain function would cost a thread each time
    return cast(Sessions, connection.app.state.sessions)


Service = Annotated[Sessions, Depends(_sessions)]
Process = Annotated[int, Query(ge=0, le=2**31)]
"""The number of a process of the grid."""


async def while_wanted(client: Request, sessions: Sessions, session: str, work: Coroutine[Any, Any, T]) -> T:
    """What `work` comes to; a session whose client has gone while it waits for a worker leaves the queue."""
    with sessions.asking(session):
        task = asyncio.ensure_future(work)
        while not task.done():
            await asyncio.wait([task], timeout=LOOK_SECONDS)
            if sessions.before(session) is not None and await client.is_disconnected():
                sessions.leave(session)
        return await task


def answered(frame: Frame) -> Response:
    """A worker's answer, as it is."""
    described: dict[str, Any] = frame.message.get("answer") or {}
    if not described or not frame.buffers:
        raise ApiError(500, "internal", "The worker gave an answer that makes no sense.")
    headers = {**described["headers"], "Cache-Control": FINAL if described["final"] else "no-store"}
    return PiecewiseResponse(frame.buffers[0], media_type=described["type"], headers=headers)
