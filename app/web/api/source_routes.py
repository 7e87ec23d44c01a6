"""The user's source files, sent with a program or read by this server."""

from typing import Annotated, cast

from fastapi import Query, Request
from fastapi.concurrency import run_in_threadpool

from ...sessions.source_files import SourceFiles
from ...wire.program import SourceText
from ..routes import Routes
from .common import Service

router = Routes("/api")


@router.get("/source")
async def source(
    request: Request,
    sessions: Service,
    file: Annotated[str, Query(max_length=4_096)],
    session: str | None = None,
) -> SourceText:
    """The lines of a Python file named by a program's locations, or why they are not shown.

    A file that was sent with the session's program takes precedence over one that the server can read.
    """
    sent = None if session is None else await sessions.stored.source(session, file)
    if sent is not None:
        return {"file": file, "lines": sent.splitlines(), "reason": None}
    return await run_in_threadpool(cast(SourceFiles, request.app.state.source_files).read, file)
