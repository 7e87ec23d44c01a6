"""Sessions and their runs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field
from starlette.datastructures import UploadFile

from ...base.errors import ApiError, not_found
from ...classroom.copies import check_copy
from ...reference.examples import example
from ...sessions.copies import copy_session
from ...sessions.opened_files import Wanted, open_file
from ...sessions.source_files import check_sent
from ...sessions.view_links import key_for
from ...store import Position
from ...store.pending_writes import storage_error
from ...wire.program import CheckResult
from ...wire.requests import (
    CheckRequest,
    DraftRequest,
    Feed,
    NameRequest,
    PositionRequest,
    RunRequest,
    SessionRequest,
    TitlesRequest,
    plain_feeds,
    plain_grid,
    plain_inputs,
)
from ...wire.sessions import (
    InputSpec,
    NewSession,
    OpenedFile,
    RunInfo,
    SessionInfo,
    SessionTitle,
    StartedRun,
    UploadedFile,
)
from ...wire.surrogates import is_text
from .common import Engines, Service, run_while_connected
from .large import LargeTextRoute, json_response
from .typed_route import AnswerResponse

router = APIRouter(prefix="/sessions", route_class=LargeTextRoute)
PIECE_BYTES = 1 << 20
LONGEST_FILE_NAME = 80
MOST_SIZES = 100
SizeName = Annotated[str, Field(pattern=r"^\w{1,100}=\d{1,15}$")]
"""`b=8`."""
FORM_WITH_FILE = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {"type": "object", "properties": {"file": {"type": "string", "format": "binary"}}}
            }
        },
    }
}


@router.post("", status_code=201)
async def create(request: SessionRequest, sessions: Service) -> NewSession:
    """A new session."""
    if request.copy_of is not None:
        identifier = await copy_session(sessions, request.copy_of, request.run)
        return {"id": identifier, "url": f"/s/{identifier}"}
    text, name, inputs = _start(request)
    grid = plain_grid(request.grid)
    check_sent(request.sources, sessions.settings)
    identifier = await sessions.create(text, name, request.entry, inputs, grid, plain_feeds(request.feeds))
    await sessions.kept.keep_sources(identifier, request.sources)
    return {"id": identifier, "url": f"/s/{identifier}"}


@router.post("/from-file", status_code=201, openapi_extra=FORM_WITH_FILE)
async def create_from_file(
    request: Request,
    response: Response,
    sessions: Service,
    size: Annotated[list[SizeName] | None, Query(max_length=MOST_SIZES)] = None,
    platform: Annotated[str | None, Query(max_length=40)] = None,
) -> OpenedFile:
    """A new session with the program in a file of any form: MLIR bytecode, a portable artifact, a protocol buffer, gzip, text.

    Where what `jax.export` has serialised leaves sizes or platforms open, and neither `size=b=8` nor `platform` says them, there
    is no session yet: the answer has what is to be chosen, with proposals, and the status is 200.
    """
    sizes = dict(_named_size(text) for text in size or [])
    async with uploaded_file(request) as file:
        found = await open_file(
            request.app.state.conversions,
            sessions,
            name_of_upload(file),
            pieces_of_upload(file),
            Wanted(sizes, platform),
        )
    if found["id"] is None:
        response.status_code = 200
    return found


@router.post("/titles")
async def titles(request: TitlesRequest, sessions: Service) -> list[SessionTitle | None]:
    """Name and place of each of these sessions; null for one that is not kept any more. None of them is opened."""
    return await sessions.kept.titles(request.sessions)


@router.get("/{session}")
async def info(session: str, sessions: Service, wait: bool = True) -> AnswerResponse[SessionInfo]:
    """All that the page needs to open it; without `wait` also while it is in the queue for a worker."""
    found = await sessions.info(session, patient=wait)
    if found["run"]:
        run = _told_to(session, found["run"])
        # What is being written and was not run yet is nobody else's.
        found = {**found, "run": run, "text": run["text"] if found["read_only"] else found["text"]}
    return await json_response(found)


@router.get("/{session}/runs/{number}")
async def run_info(session: str, number: int, sessions: Service) -> AnswerResponse[RunInfo]:
    """One of its runs."""
    return await json_response(_told_to(session, await sessions.run_info(session, number)))


@router.post("/{session}/runs")
async def start_run(
    session: str, request: RunRequest, client: Request, sessions: Service, engines: Engines
) -> AnswerResponse[StartedRun]:
    """A new run, unless the program is wrong."""
    await check_copy(sessions, session, request.text)
    inputs = None if request.inputs is None else plain_inputs(request.inputs)
    feeds = None if request.feeds is None else plain_feeds(request.feeds)
    grid = plain_grid(request.grid)
    start = None if request.start is None else engines.start_of(session, request.start)
    starting = sessions.start_run(
        session, request.text, request.entry, inputs, request.breakpoints, grid, feeds, start
    )
    answer = await run_while_connected(client, sessions, session, starting)
    run = answer["run"]
    return await json_response({**answer, "run": None if run is None else _told_to(session, run)})


@router.post("/{session}/runs/{number}/feed")
async def feed_run(session: str, number: int, request: Feed, sessions: Service) -> AnswerResponse[RunInfo]:
    """Put items into a queue that the run takes from; it goes on."""
    (feed,) = plain_feeds([request])
    return await json_response(_told_to(session, await sessions.feed(session, number, feed)))


@router.post("/{session}/check")
async def check(session: str, request: CheckRequest, sessions: Service) -> AnswerResponse[CheckResult]:
    """What is wrong with a program that is being written for it; for who has a session alone, and not the token."""
    await sessions.session(session)
    await check_copy(sessions, session, request.text)
    return await json_response(await sessions.check(request.text, request.name, request.entry))


@router.put("/{session}/name", status_code=204, response_class=Response)
async def rename(session: str, request: NameRequest, sessions: Service) -> None:
    """Give it another name."""
    await sessions.kept.rename(session, request.name)


@router.delete("/{session}", status_code=204, response_class=Response)
async def delete(session: str, sessions: Service) -> None:
    """Delete it with all its runs, at once and for good."""
    await sessions.kept.delete(session)


@router.put("/{session}/draft", status_code=204, response_class=Response)
async def set_draft(session: str, request: DraftRequest, sessions: Service) -> None:
    """Keep what is being written."""
    await check_copy(sessions, session, request.text)
    await sessions.set_draft(session, request.text)


@router.put("/{session}/position", status_code=204, response_class=Response)
async def move(session: str, request: PositionRequest, sessions: Service) -> None:
    """Keep where the user is."""
    await sessions.move(session, Position(**request.model_dump()))


@router.post("/{session}/files", openapi_extra=FORM_WITH_FILE)
async def add_file(session: str, request: Request, sessions: Service) -> UploadedFile:
    """Keep an uploaded .npz or .npy file."""
    await sessions.session(session)  # nothing is read for a session that is not there
    async with uploaded_file(request) as file:
        return await sessions.add_file(session, name_of_upload(file), pieces_of_upload(file))


@asynccontextmanager
async def uploaded_file(request: Request) -> AsyncIterator[UploadFile]:
    """The file of a form."""
    try:
        async with request.form(max_files=1, max_fields=4) as form:
            file = next((item for item in form.values() if isinstance(item, UploadFile)), None)
            if file is None:
                raise ApiError(422, "request", "The request holds no file.")
            yield file
    except OSError as error:  # of the disk that it comes to first, or of the one that it is kept on
        raise storage_error(error) from error


def name_of_upload(file: UploadFile) -> str:
    """What its user calls the file, and no more of it than a sentence has room for."""
    name = (file.filename or "").replace("\\", "/").rpartition("/")[2]
    if not name or not is_text(name):
        return "the file"
    half = LONGEST_FILE_NAME // 2
    return name if len(name) <= LONGEST_FILE_NAME else f"{name[:half]}…{name[-half:]}"


async def pieces_of_upload(file: UploadFile) -> AsyncIterator[bytes]:
    """What a file holds, piece by piece."""
    while piece := await file.read(PIECE_BYTES):
        yield piece


def _told_to(session: str, run: RunInfo) -> RunInfo:
    """A run as it is for whoever calls its session so."""
    return {**run, "key": key_for(session, run["key"])}


def _named_size(text: str) -> tuple[str, int]:
    name, _, size = text.partition("=")
    return name, int(size)


def _start(request: SessionRequest) -> tuple[str, str, list[InputSpec | None]]:
    """Text, name and inputs of a new session; an example states its own in its text."""
    inputs = plain_inputs(request.inputs)
    if request.text is not None:
        return request.text, request.name or "program.mlir", inputs
    if request.example is None:
        raise ApiError(422, "request", "A session needs a text or the name of an example.")
    found = example(request.example)
    if found is None:
        raise not_found("example")
    return found.text, request.name or found.file, inputs
