"""What routes share: the application's sessions, and answers of workers as HTTP answers."""

from __future__ import annotations

from typing import Annotated, Any, cast

from fastapi import Depends, Query, Response
from starlette.requests import HTTPConnection

from ..errors import ApiError
from ..sessions import Sessions
from ..workers.framing import Frame
from .large import PiecewiseResponse

FINAL = "private, max-age=31536000, immutable"


async def _sessions(connection: HTTPConnection) -> Sessions:  # a plain function would cost a thread each time
    return cast(Sessions, connection.app.state.sessions)


Service = Annotated[Sessions, Depends(_sessions)]
Process = Annotated[int, Query(ge=0, le=2**31)]
"""The number of a process of the grid."""


def answered(frame: Frame) -> Response:
    """A worker's answer, as it is."""
    described: dict[str, Any] = frame.message.get("answer") or {}
    if not described or not frame.buffers:
        raise ApiError(500, "internal", "The worker gave an answer that makes no sense.")
    headers = {**described["headers"], "Cache-Control": FINAL if described["final"] else "no-store"}
    return PiecewiseResponse(frame.buffers[0], media_type=described["type"], headers=headers)
