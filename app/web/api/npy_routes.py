"""Values as NumPy files, sent in pieces so that no large value is held in memory."""

from __future__ import annotations

from collections.abc import AsyncIterator

from fastapi import Response
from fastapi.responses import StreamingResponse

from ...answers.values import NpyQuestion
from ...sessions.sessions import Sessions
from ...wire.questions import Answer
from ..cache_rules import FINAL
from ..routes import Routes
from .common import Service

router = Routes("/api/recordings/{key}")


@router.get("/values/{address}.npy")
async def npy(key: str, address: str, sessions: Service) -> Response:
    """The value as a NumPy file."""
    first = await sessions.recordings.ask(key, NpyQuestion(address, 0))
    headers = {
        "Content-Disposition": f'attachment; filename="{address}.npy"',
        "Content-Length": str(_total(first)),
        "Cache-Control": FINAL,
    }
    body = _pieces(sessions, key, address, first)
    return StreamingResponse(body, media_type="application/octet-stream", headers=headers)


def _total(answer: Answer[bytes]) -> int:
    return int(answer.headers["X-Total"])


async def _pieces(sessions: Sessions, key: str, address: str, first: Answer[bytes]) -> AsyncIterator[bytes]:
    total, sent, answer = _total(first), 0, first
    while True:
        piece = bytes(answer.body)
        yield piece
        sent += len(piece)
        if sent >= total or not piece:
            return
        answer = await sessions.recordings.ask(key, NpyQuestion(address, sent))
