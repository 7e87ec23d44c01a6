"""Runs saved as single-file pages, and sessions created from such pages and from saved recordings."""

from typing import Annotated, cast

from fastapi import Query, Request, Response

from ...export.one_file.table import DEFAULT_BUDGET
from ...export.session_pages import open_page, page_of
from ...sessions.source_files import SourceFiles
from ...wire.sessions import NewSession
from ..routes import Routes
from .common import Service
from .session_routes import FORM_WITH_FILE, pieces_of_upload, uploaded_file

router = Routes("/api")
MOST_BUDGET = 256 << 20


@router.get("/sessions/{session}/runs/{number}/page", response_class=Response)
async def save(
    request: Request, session: str, number: int, sessions: Service,
    step: Annotated[int | None, Query(ge=0, le=2**53)] = None,
    budget: Annotated[int, Query(ge=0, le=MOST_BUDGET)] = DEFAULT_BUDGET,
) -> Response:  # fmt: skip
    """The run as a single-file page: program, steps, and values up to the budget.

    The page contains its own code, loads nothing and needs no server.
    """
    files = cast(SourceFiles, request.app.state.source_files)
    _, data = await page_of(sessions, session, number, step, budget, files.read)
    # Always a download: the browser must not run the page's code in this origin.
    headers = {"Content-Disposition": 'attachment; filename="run.html"'}
    return Response(data, media_type="application/octet-stream", headers=headers)


@router.post("/pages", status_code=201, openapi_extra=FORM_WITH_FILE)
async def open_saved(request: Request, sessions: Service) -> NewSession:
    """Create a session from a saved page, with its position and breakpoints, or from a saved recording, with its values.

    Both have the program and its inputs.
    """
    async with uploaded_file(request) as file, sessions.files.receive(pieces_of_upload(file)) as upload:
        identifier = await open_page(sessions, upload.path)
    return {"id": identifier, "url": f"/s/{identifier}"}
