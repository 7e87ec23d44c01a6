"""Sessions and their runs, and read-only links, which users of the session itself create, count and withdraw."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, TypeVar

from fastapi import Query, Request, Response
from pydantic import Field
from starlette.datastructures import UploadFile

from ...base.assets import takes_gzip
from ...base.errors import ApiError, not_found
from ...base.keys import text_hash
from ...base.large_texts import LONG_TEXT, packed_window, window_count
from ...classroom.copies import check_copy
from ...reference.examples import example
from ...sessions.new_sessions import StatedChoices, copy_session, open_file
from ...sessions.source_files import check_sent
from ...sessions.view_links import is_link, key_for
from ...store import Position
from ...store.pending_writes import storage_error
from ...wire import requests as wire
from ...wire.program import CheckResult
from ...wire.questions import BINARY_TYPE
from ...wire.sessions import (
    InputSpec,
    NewSession,
    NewViewLink,
    OpenedFile,
    RunInfo,
    SessionInfo,
    SessionTitle,
    StartedRun,
    UploadedFile,
    ViewLinkCount,
)
from ...wire.surrogates import is_text
from ..cache_rules import FINAL
from ..routes import Routes
from .common import Engines, Service, run_while_connected
from .large import LargeTextRoute, json_response
from .typed_route import AnswerResponse

router = Routes("/api/sessions", LargeTextRoute)
PIECE_BYTES = 1 << 20
LONGEST_FILE_NAME = 80
MOST_SIZES = 100
TextChunk = Annotated[int, Query(ge=0, le=2**24)]
SizeName = Annotated[str, Field(pattern=r"^\w{1,100}=\d{1,15}$")]
"""A size of a dimension, such as `b=8`."""
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
async def create(request: wire.SessionRequest, sessions: Service) -> NewSession:
    """Create a session."""
    if request.copy_of is not None:
        identifier = await copy_session(sessions, request.copy_of, request.run)
        return {"id": identifier, "url": f"/s/{identifier}"}
    text, name, inputs = _start(request)
    grid = wire.plain_grid(request.grid)
    check_sent(request.sources, sessions.settings)
    identifier = await sessions.create(
        text, name, request.entry, inputs, grid, wire.plain_feeds(request.feeds)
    )
    await sessions.stored.keep_sources(identifier, request.sources)
    return {"id": identifier, "url": f"/s/{identifier}"}


@router.post("/from-file", status_code=201, openapi_extra=FORM_WITH_FILE)
async def create_from_file(
    request: Request,
    response: Response,
    sessions: Service,
    size: Annotated[list[SizeName] | None, Query(max_length=MOST_SIZES)] = None,
    platform: Annotated[str | None, Query(max_length=40)] = None,
) -> OpenedFile:
    """Create a session from a program file of any supported format.

    Formats: MLIR bytecode, portable artifact, protocol buffer, text, and any of them gzipped. If a `jax.export`
    serialisation leaves sizes or platforms open, and neither `size=b=8` nor `platform` states them, no session is created:
    the answer, with status 200, has the open choices with proposals.
    """
    sizes = dict(_named_size(text) for text in size or [])
    async with uploaded_file(request) as file:
        found = await open_file(
            request.app.state.conversions,
            sessions,
            name_of_upload(file),
            pieces_of_upload(file),
            StatedChoices(sizes, platform),
        )
    if found["id"] is None:
        response.status_code = 200
    return found


@router.post("/titles")
async def titles(request: wire.TitlesRequest, sessions: Service) -> list[SessionTitle | None]:
    """Name and position of each session; null for a deleted one. Does not open them."""
    return await sessions.stored.titles(request.sessions)


@router.get("/{session}")
async def info(
    session: str, sessions: Service, wait: bool = True, once: bool = False, apart: bool = False
) -> AnswerResponse[SessionInfo]:
    """The data with which a page opens the session; without `wait`, even while it is queued.

    With `once`, the text of the run is empty if it is that of the session.
    """
    found = await sessions.info(session, patient=wait)
    if found["run"]:
        run = _for_client(session, found["run"])
        # Link holders never see an unsaved draft.
        text = run["text"] if found["read_only"] else found["text"]
        run = {**run, "text": ""} if once and run["text"] == text else run
        found = {**found, "run": await _with_text_apart(run) if apart else run, "text": text}
    return await json_response(await _with_text_apart(found) if apart else found)


@router.get("/{session}/texts/{hash}")
async def text_window(
    session: str, hash: str, sessions: Service, request: Request, chunk: TextChunk = 0
) -> AnswerResponse[bytes]:
    """A window of a long text in UTF-8: of the session's draft, or of the program of one of its runs."""
    text = await sessions.long_text(session, hash)
    if chunk >= window_count(text):
        raise not_found("part of the text")
    accepted = request.headers.get("accept-encoding", "")
    body, encoding = await asyncio.to_thread(packed_window, text, chunk, takes_gzip(accepted))
    headers = {"Cache-Control": FINAL, "Vary": "Accept-Encoding", **encoding}
    return AnswerResponse(body, media_type=BINARY_TYPE, headers=headers)


@router.get("/{session}/runs/{number}")
async def run_info(
    session: str, number: int, sessions: Service, apart: bool = False
) -> AnswerResponse[RunInfo]:
    """A run of the session."""
    run = _for_client(session, await sessions.run_info(session, number))
    return await json_response(await _with_text_apart(run) if apart else run)


@router.post("/{session}/runs")
async def start_run(
    session: str,
    request: wire.RunRequest,
    client: Request,
    sessions: Service,
    engines: Engines,
    once: bool = False,
) -> AnswerResponse[StartedRun]:
    """Start a run, unless the program has errors. With `once`, its text is empty: it is that of the request."""
    await check_copy(sessions, session, request.text)
    inputs = None if request.inputs is None else wire.plain_inputs(request.inputs)
    feeds = None if request.feeds is None else wire.plain_feeds(request.feeds)
    grid = wire.plain_grid(request.grid)
    start = None if request.start is None else engines.start_of(session, request.start)
    starting = sessions.start_run(
        session, request.text, request.entry, inputs, request.breakpoints, grid, feeds, start
    )
    answer = await run_while_connected(client, sessions, session, starting)
    run = answer["run"]
    if run is not None:
        run = _for_client(session, {**run, "text": ""} if once else run)
    return await json_response({**answer, "run": run})


@router.post("/{session}/runs/{number}/feed")
async def feed_run(
    session: str, number: int, request: wire.Feed, sessions: Service
) -> AnswerResponse[RunInfo]:
    """Add items to a queue that the run reads from, and continue recording."""
    (feed,) = wire.plain_feeds([request])
    return await json_response(_for_client(session, await sessions.feed(session, number, feed)))


@router.post("/{session}/check")
async def check(session: str, request: wire.CheckRequest, sessions: Service) -> AnswerResponse[CheckResult]:
    """The diagnostics of a draft for the session; needs no token."""
    await sessions.session(session)
    await check_copy(sessions, session, request.text)
    return await json_response(await sessions.check(request.text, request.name, request.entry))


@router.put("/{session}/name", status_code=204, response_class=Response)
async def rename(session: str, request: wire.NameRequest, sessions: Service) -> None:
    """Rename the session."""
    await sessions.stored.rename(session, request.name)


@router.delete("/{session}", status_code=204, response_class=Response)
async def delete(session: str, sessions: Service) -> None:
    """Delete the session and its runs permanently."""
    await sessions.stored.delete(session)
    await sessions.follow_deletion()


@router.put("/{session}/draft", status_code=204, response_class=Response)
async def set_draft(session: str, request: wire.DraftRequest, sessions: Service) -> None:
    """Store the draft of the program."""
    await check_copy(sessions, session, request.text)
    await sessions.set_draft(session, request.text)


@router.put("/{session}/position", status_code=204, response_class=Response)
async def move(session: str, request: wire.PositionRequest, sessions: Service) -> None:
    """Store the user's position."""
    await sessions.move(session, Position(**request.model_dump()))


@router.post("/{session}/files", openapi_extra=FORM_WITH_FILE)
async def add_file(session: str, request: Request, sessions: Service) -> UploadedFile:
    """Upload an .npz or .npy file."""
    await sessions.session(session)  # read no body for an unknown session
    async with uploaded_file(request) as file:
        return await sessions.add_file(session, name_of_upload(file), pieces_of_upload(file))


@asynccontextmanager
async def uploaded_file(request: Request) -> AsyncIterator[UploadFile]:
    """The uploaded file of a form."""
    try:
        async with request.form(max_files=1, max_fields=4) as form:
            file = next((item for item in form.values() if isinstance(item, UploadFile)), None)
            if file is None:
                raise ApiError(422, "request", "The request holds no file.")
            yield file
    except OSError as error:  # of the temporary or the final disk
        raise storage_error(error) from error


def name_of_upload(file: UploadFile) -> str:
    """The user's name of the file, shortened for messages."""
    name = (file.filename or "").replace("\\", "/").rpartition("/")[2]
    if not name or not is_text(name):
        return "the file"
    half = LONGEST_FILE_NAME // 2
    return name if len(name) <= LONGEST_FILE_NAME else f"{name[:half]}…{name[-half:]}"


async def pieces_of_upload(file: UploadFile) -> AsyncIterator[bytes]:
    """The contents of a file, in pieces."""
    while piece := await file.read(PIECE_BYTES):
        yield piece


def _for_client(session: str, run: RunInfo) -> RunInfo:
    """The run with the recording's name for a client of this session id or link."""
    return {**run, "key": key_for(session, run["key"])}


Texted = TypeVar("Texted", SessionInfo, RunInfo)


async def _with_text_apart(found: Texted) -> Texted:
    """The answer; a long text is replaced by its hash and the number of its windows."""
    text = found["text"]
    if len(text) <= LONG_TEXT:
        return found
    hashed = await asyncio.to_thread(text_hash, text)
    return {**found, "text": "", "long_text": {"hash": hashed, "windows": window_count(text)}}


def _named_size(text: str) -> tuple[str, int]:
    name, _, size = text.partition("=")
    return name, int(size)


def _start(request: wire.SessionRequest) -> tuple[str, str, list[InputSpec | None]]:
    """Text, name and inputs of a new session; an example's text states its own inputs."""
    inputs = wire.plain_inputs(request.inputs)
    if request.text is not None:
        return request.text, request.name or "program.mlir", inputs
    if request.example is None:
        raise ApiError(422, "request", "A session needs a text or the name of an example.")
    found = example(request.example)
    if found is None:
        raise not_found("example")
    return found.text, request.name or found.file, inputs


link_router = Routes("/api/sessions")


@link_router.post("/{session}/links", status_code=201)
async def create_link(session: str, sessions: Service) -> NewViewLink:
    """Create a link for reading the session without the token: program, runs and values."""
    record = await sessions.session(session)
    link = await sessions.links.create(record.id_hash)
    return {"id": link, "url": f"/s/{link}", "embed_url": f"/embed/{link}"}


@link_router.get("/{session}/links")
async def links(session: str, sessions: Service) -> ViewLinkCount:
    """The number of read-only links, and the sites whose pages may embed the session."""
    if is_link(session):
        raise ApiError(403, "read_only", "A read-only link does not give access to the list of links.")
    record = await sessions.session(session)
    return {
        "links": await sessions.links.count(record.id_hash),
        "embed_sites": sessions.settings.embedding_sites(),
    }


@link_router.delete("/{session}/links", status_code=204, response_class=Response)
async def withdraw_links(session: str, sessions: Service) -> None:
    """Withdraw all read-only links to the session."""
    record = await sessions.session(session)
    await sessions.links.withdraw(record.id_hash)
    await sessions.dismiss_link_holders()
