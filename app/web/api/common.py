"""Dependencies shared by routes, and conversion of workers' answers to responses."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from typing import Annotated, Any, TypeVar, cast

from fastapi import Depends, Query, Request
from starlette.requests import HTTPConnection

from ...base.keys import session_hash
from ...classroom.visitors import Visitors
from ...comparing.jobs import EngineJobs
from ...sessions.sessions import Sessions
from ...wire.questions import Answer
from ..cache_rules import FINAL
from .typed_route import AnswerResponse

T = TypeVar("T")
Language = Annotated[str | None, Query(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})?$")]
"""A language such as `de`; an untranslated lesson is in its first language."""
LOOK_SECONDS = 0.5
"""Interval of disconnect polling."""


async def _sessions(connection: HTTPConnection) -> Sessions:  # a plain function would cost a thread each time
    return cast(Sessions, connection.app.state.sessions)


async def _engines(connection: HTTPConnection) -> EngineJobs:
    return cast(EngineJobs, connection.app.state.engines)


async def _turn(request: Request) -> AsyncIterator[None]:
    """Admit one run of a visitor without the token; signed-in users are not limited."""
    if request.state.signed_in:
        yield
        return
    visitors: Visitors = request.app.state.visitors
    with visitors.turn(address_of(request)):
        yield


def address_of(request: HTTPConnection) -> str:
    """The client address of a request or a socket, as reported by a proxy on this machine if there is one."""
    return request.client.host if request.client else ""


Turn = Annotated[None, Depends(_turn)]
"""Limits how often and how many visitors run something."""
Service = Annotated[Sessions, Depends(_sessions)]
Engines = Annotated[EngineJobs, Depends(_engines)]
Process = Annotated[int, Query(ge=0, le=2**31)]
"""The number of a process of the grid."""


async def run_while_connected(
    client: Request, sessions: Sessions, session: str, work: Coroutine[Any, Any, T]
) -> T:
    """The result of `work`; a queued session whose client disconnects leaves the queue."""
    supervisor, hash = sessions.supervisor, session_hash(session)
    with supervisor.hold_position(hash):
        task = asyncio.ensure_future(work)
        while not task.done():
            await asyncio.wait([task], timeout=LOOK_SECONDS)
            if supervisor.slots.before(hash) is not None and await client.is_disconnected():
                supervisor.slots.leave(hash)
        return await task


def to_response(answer: Answer[T]) -> AnswerResponse[T]:
    """A worker's answer as a response."""
    headers = {**answer.headers, "Cache-Control": FINAL if answer.final else "no-store"}
    return AnswerResponse(answer.body, media_type=answer.type, headers=headers)
