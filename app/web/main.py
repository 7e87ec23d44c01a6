"""Assembly of the application, and the server that runs it."""

import asyncio
import contextlib
import logging
import os
import secrets
import socket
import threading
import time
import webbrowser
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import quote, urlencode

import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from hloscope.engine.source import Source

from ..base.assets import Assets, folder, import_map, script_hash
from ..base.cache import drop_about
from ..base.errors import ApiError, internal
from ..base.fair_cache import FairCache
from ..base.large_texts import ESCAPES
from ..base.logs import set_up_logging
from ..base.plugins import PANEL_FILES, panel_folders
from ..base.settings import Settings
from ..classroom.lesson_sessions import Lessons
from ..classroom.service import Rooms
from ..classroom.visitors import Visitors
from ..comparing.jobs import EngineJobs
from ..export.session_pages import is_saved_session, open_page
from ..lessons.shipped import Shelf
from ..lessons.sources import original_of
from ..passes.dumps.service import Dumps
from ..runs.formats.program_file import ProgramFile
from ..runs.formats.service import Conversions
from ..runs.saved_runs import is_saved_run
from ..sessions.collected_sources import texts_of_text
from ..sessions.new_sessions import create_of_program
from ..sessions.sessions import Sessions
from ..sessions.source_files import SourceFiles, serves_others
from ..store.failures import cause_of
from ..store.pending_writes import StoreThread
from ..workers.cluster import sentence
from . import agents, lesson_pages, pages, step_pages
from .api import all_routes
from .cache_rules import rule_of_built_files, rule_of_links, rule_of_recordings
from .complete_response import CompleteResponse
from .connections import allow_open_files, bounded_protocol
from .guard import AGENTS, Guard, GuardRules, allowed_hosts
from .housekeeping import Housekeeping
from .local_server import announce, withdraw
from .page_files import PageFiles
from .pages import Pages, pages_of
from .readiness import Readiness
from .response_cache import CacheKey, ResponseCache
from .starting import (
    DEFAULT_PORT,
    FAULT,
    NO_CLUSTER,
    NO_FOLDER,
    NOT_OPENED,
    SERVER,
    TOKEN,
    TOKEN_FILE,
    Data,
    StartError,
    check_public,
    check_tokens,
    listen,
    no_folder,
    open_data,
    open_folder,
)

log = logging.getLogger("hloscope")

SOCKET_MESSAGE_BYTES = 1 << 18
PROGRAM_PATHS = ("/api/check", "/api/try", "/api/sessions", "/api/lessons", AGENTS)
LOOK_SECONDS = 0.2
"""Minimum interval between checks whether the sources of pages have changed."""
MEMBER_PATHS = ("/api/sessions/own-", "/api/rooms/")
LARGEST_PART = 8
"""Maximum share of the cache for one answer, as a divisor; larger ones are not cached."""


def create_app(
    settings: Settings,
    *,
    port: int = DEFAULT_PORT,
    data: Data | None = None,
    source_files: SourceFiles | None = None,
    host: str = "",
    lesson: Path | None = None,
) -> Guard:
    """The application behind its guard.

    Without `data`, it opens the data folder of the settings on startup. `lesson`: the file of a lesson in preparation, listed
    with the others.
    """
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, lifespan=_lifespan)
    app.state.settings, app.state.data = settings, data
    app.state.address = settings.server_address or f"http://{socket.gethostname()}:{port}"
    app.state.source_files = source_files or SourceFiles.of(settings)
    app.state.serves_others = serves_others(settings, host)
    app.state.pages = Pages(PageFiles(dev=bool(settings.dev), look_seconds=LOOK_SECONDS))
    for part in (*all_routes(), step_pages.router, pages.router, lesson_pages.router):
        app.router.routes += part.routes
    for name, path in panel_folders().items():
        app.mount(f"{PANEL_FILES}/{name}", Assets(directory=path, check_dir=False))
    app.router.routes.append(agents.route())
    app.mount("/static", Assets(directory=folder("static"), check_dir=False))
    app.add_exception_handler(HTTPException, _on_http_error)
    app.add_exception_handler(RequestValidationError, _on_invalid_request)
    app.add_exception_handler(Exception, _on_failure)
    rules = guard_rules(settings, port)
    app.state.cookie, app.state.origin_of = rules.cookie, rules.origin_of
    app.state.shelf, app.state.secret = Shelf(lesson), rules.token
    guard = Guard(app, rules, _response_cache(app, 2 * settings.cached_answers_bytes // 3))
    app.state.tallies = guard.tallies
    return guard


def _response_cache(app: FastAPI, most_bytes: int) -> ResponseCache:
    """The cache in front of the app; `app.state.answers` are its answers about recordings."""
    answers = app.state.answers = FairCache[CacheKey, CompleteResponse](
        most_bytes, lambda answer: answer.size
    )

    async def recording_of(name: str) -> str:
        sessions: Sessions = app.state.sessions
        return await sessions.links.recording_of(name)

    recordings = rule_of_recordings(answers, most_bytes // LARGEST_PART, recording_of)
    return ResponseCache(app, (recordings, rule_of_built_files(), rule_of_links()))


def guard_rules(settings: Settings, port: int) -> GuardRules:
    """The rules of the guard: allowed hosts, the token, and maximum sizes of requests."""

    def body_limit(path: str) -> tuple[str, int]:
        if path.startswith("/api/sessions/own-") and path.endswith("/files"):
            return "copy_upload_bytes", settings.copy_upload_bytes
        if path.startswith(MEMBER_PATHS) or (settings.open_lessons and path.startswith("/api/lessons/")):
            return "copy_program_bytes", ESCAPES * settings.copy_program_bytes + settings.max_body_bytes
        if path == "/api/sessions/from-file":
            return "max_program_bytes", settings.max_program_bytes + settings.max_body_bytes
        if path.startswith("/api/sessions/") and path.endswith("/files"):
            return "max_upload_bytes", settings.max_upload_bytes
        if path in ("/api/pages", "/api/dumps"):
            return "max_upload_bytes", settings.max_upload_bytes
        if path.startswith("/api/dumps/") and path.endswith("/inputs"):
            return "max_upload_bytes", settings.max_upload_bytes
        if path.startswith(PROGRAM_PATHS):
            texts = settings.max_program_bytes + settings.max_sources_bytes
            return "max_program_bytes", ESCAPES * texts + settings.max_body_bytes
        return "max_body_bytes", settings.max_body_bytes

    check_tokens(settings)
    return GuardRules(
        hosts=allowed_hosts(port, settings.allowed_hosts),
        token=token_of(settings),
        cookie=f"hloscope-{port}",
        body_limit=body_limit,
        script_hashes=(script_hash(import_map()),),
        embed_sites=tuple(settings.embedding_sites()),
        open_lessons=bool(settings.open_lessons),
        metrics_token=settings.metrics_token,
    )


def token_of(settings: Settings) -> str:
    """The configured token, or a generated one, stored so that pages survive a restart."""
    if settings.token:
        return settings.token
    path = open_folder(settings) / TOKEN_FILE
    try:
        token = _read_or_make_token(path)
    except OSError as error:
        raise no_folder(str(path), error) from error
    if not TOKEN.fullmatch(token):
        raise StartError(
            f"{path} contains no valid token: delete it, and hloscope creates a new one", NO_FOLDER
        )
    return token


def _alone(settings: Settings, others: bool) -> str:
    """What has its data folder alone, if anything: servers of one store share it."""
    return SERVER if others and not settings.store else ""


def _read_or_make_token(path: Path) -> str:
    with contextlib.suppress(FileExistsError):
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(handle, "w") as stream:
                stream.write(secrets.token_urlsafe(24))
        except OSError:
            path.unlink()  # never keep a partial token
            raise
    return path.read_bytes().decode(errors="replace").strip()


def serve(
    settings: Settings,
    *,
    host: str,
    port: int | None,
    browser: bool,
    file: ProgramFile | Path | None,
    start_at: int | str | None = None,
    on: str | None = None,
    lesson: Path | None = None,
) -> None:
    """Serve until interrupted; opens a program or an XLA dump. `StartError` if it cannot start.

    `start_at`: the line or value at which the run starts; XLA computes the ops before it. `on`: the engine that computes
    the values of the run. `lesson`: the file of a lesson in preparation.
    """
    set_up_logging(as_json=bool(settings.json_logs))
    check_public(settings)
    with contextlib.closing(listen(host, port)) as listening:
        sources = SourceFiles.of(settings, host=host, opened=_folder_of(file))
        opening = Opening(browser, file, start_at, lesson, on)
        _serve_at(listening, settings, sources, host, opening)


def _folder_of(file: ProgramFile | Path | None) -> Path | None:
    """The folder of a program or recording, beside which its sources may be; `None` for pages, which have theirs, and dumps."""
    if isinstance(file, Path):
        return file.parent if is_saved_run(file) else None
    return Path(file.name).parent if file else None


@dataclass(frozen=True)
class Opening:
    """The file or lesson to open once the server answers, and whether to open a browser."""

    browser: bool
    file: ProgramFile | Path | None
    start_at: int | str | None = None
    lesson: Path | None = None
    on: str | None = None

    @property
    def name(self) -> str:
        """The name printed with the address."""
        shown = self.lesson or (self.file.name if self.file else "")
        return Path(shown).name


def _serve_at(
    listening: socket.socket, settings: Settings, sources: SourceFiles, host: str, opening: Opening
) -> None:
    bound: int = listening.getsockname()[1]
    allow_open_files(settings.max_connections)
    with contextlib.closing(
        open_data(settings, alone=_alone(settings, serves_others(settings, host)))
    ) as data:
        guard = create_app(
            settings, port=bound, data=data, source_files=sources, host=host, lesson=opening.lesson
        )
        config = server_config(guard, settings)
        server = _Server(config, guard, bound, opening, end_idle_s=settings.end_idle_s)
        server.announced_in = None if serves_others(settings, host) else open_folder(settings)
        server.run(sockets=[listening])
        if server.failure is not None:
            raise server.failure
        if not server.started:
            raise StartError("the server did not start; the message above says why", FAULT)


def server_config(guard: Guard, settings: Settings) -> uvicorn.Config:
    """The only valid uvicorn configuration: its protocol is a part of the guard."""
    return uvicorn.Config(
        guard, http=bounded_protocol(settings, guard.tallies), timeout_keep_alive=settings.connection_idle_s, log_config=None,
        access_log=False, server_header=False, timeout_graceful_shutdown=1, ws_max_size=SOCKET_MESSAGE_BYTES,
        ws_per_message_deflate=False, lifespan="on",
    )  # fmt: skip


class _Server(uvicorn.Server):
    """A server that prints its address as soon as it answers."""

    def __init__(
        self, config: uvicorn.Config, guard: Guard, port: int, opening: Opening, *, end_idle_s: int = 0
    ) -> None:
        super().__init__(config)
        self._guard, self._port, self._opening = guard, port, opening
        self._file, self._start_at, self._name = opening.file, opening.start_at, opening.name
        self._on = opening.on
        self._end_idle_s = end_idle_s
        self.announced_in: Path | None = None
        """The data folder in which this server is announced to its user's Python code."""
        self._busy = (0, time.monotonic())
        """Number of requests so far, and the time of the last one."""
        self.failure: StartError | None = None
        """The reason why the file or dump could not be opened."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if not self.started:
            return
        try:
            await self._join_cluster()
            path = await self._path()
        except StartError as error:
            # Raised after an orderly shutdown; otherwise the shutdown would be logged as a failure.
            self.failure, self.should_exit = error, True
            await self.shutdown(sockets)
            return
        if self.announced_in is not None:
            try:
                announce(self.announced_in, self._port, self._guard.rules.token)
            except OSError as error:  # Python code then does not find this server; pages do
                log.warning("%s: %s", self.announced_in, cause_of(error))
        print(f"hloscope is at {self._url('/')}", flush=True)
        if self._name:
            print(f"{self._name} is at {self._url(path)}", flush=True)
        if self._opening.browser:
            # Finding a browser may take seconds, and some browsers stay in the foreground.
            threading.Thread(target=webbrowser.open, args=(self._url(path),), daemon=True).start()

    async def _join_cluster(self) -> None:
        app = self._guard.app
        assert isinstance(app, FastAPI)
        if (cluster := app.state.sessions.supervisor.cluster) is not None:
            try:
                found = await cluster.joined()
            except ApiError as error:
                raise StartError(f"{error.message} {error.hint or ''}".strip(), NO_CLUSTER) from error
            print(f"Workers run on {sentence(found)}", flush=True)

    async def on_tick(self, counter: int) -> bool:
        """Whether to end the server; uvicorn calls this ten times a second."""
        return await super().on_tick(counter) or self._is_long_idle()

    def _is_long_idle(self) -> bool:
        state, now = self.server_state, time.monotonic()
        requests, since = self._busy
        if state.connections or state.total_requests != requests:
            self._busy = (state.total_requests, now)
            return False
        return 0 < self._end_idle_s < now - since

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self.announced_in is not None:
            withdraw(self.announced_in)  # before the shutdown, after which a signal ends the process
        await super().shutdown(sockets)

    def _url(self, path: str) -> str:
        joint = "&" if "?" in path else "?"
        return f"http://127.0.0.1:{self._port}{path}{joint}{urlencode({'token': self._guard.rules.token})}"

    async def _path(self) -> str:
        """The path of the opened page; a lesson's page creates its session."""
        if (lesson := self._opening.lesson) is not None:
            language = f"?language={lesson.absolute().parent.name}" if original_of(lesson) else ""
            return f"/lessons/{quote(lesson.stem)}{language}"
        return await self._opened_path() if self._file else "/"

    async def _opened_path(self) -> str:
        app = self._guard.app
        assert isinstance(app, FastAPI)
        sessions: Sessions = app.state.sessions
        try:
            if isinstance(self._file, Path) and await asyncio.to_thread(is_saved_session, self._file):
                return f"/s/{await open_page(sessions, self._file)}"
            if not isinstance(self._file, ProgramFile):
                return f"/passes/{await app.state.dumps.create_of_path(self._file)}"
            identifier = await create_of_program(sessions, self._file, self._name)
            # If the server may not read source files, store them with the session.
            if app.state.source_files.opened is None:
                texts = await asyncio.to_thread(
                    texts_of_text, Source(self._file.text, self._file.name), sessions.settings
                )
                await sessions.stored.keep_sources(identifier, texts)
            if self._start_at is not None or self._on:
                await self._begin_with_engine(identifier)
            return f"/s/{identifier}"
        except ApiError as error:
            # Messages may lack a full stop, because pages show the hint separately.
            text = f"{error.message.rstrip('.')}. {error.hint or ''}".strip()
            raise StartError(f"{self._name} cannot be opened: {text}", NOT_OPENED) from error
        except OSError as error:
            raise StartError(f"{self._name} cannot be opened: {error}", NOT_OPENED) from error

    async def _begin_with_engine(self, session: str) -> None:
        """Start a run at a line or value, or on an engine; if that fails, print why and keep our own run."""
        app = self._guard.app
        assert isinstance(app, FastAPI)
        assert isinstance(self._file, ProgramFile)
        sessions: Sessions = app.state.sessions
        engines: EngineJobs = app.state.engines
        what = f"what comes before {self._start_at}" if self._start_at is not None else "all values"
        print(f"{self._name}: XLA computes {what} …", flush=True)
        begun = await engines.start(session, 1, self._on or "xla", self._start_at, records=bool(self._on))
        job = await engines.finished(session, begun["id"])
        print(f"{self._name}: {job['message']} {job['hint']}".rstrip(), flush=True)
        if job["state"] == "done":
            start = engines.start_of(session, job["id"])
            await sessions.start_run(session, self._file.text, None, None, None, start=start)


@contextlib.asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    settings: Settings = app.state.settings
    data: Data = app.state.data or open_data(settings, alone=_alone(settings, app.state.serves_others))
    thread = app.state.store_thread = StoreThread(data.store)
    sessions = Sessions(
        settings, thread, data.files, partial(drop_about, app.state.answers), app.state.address
    )
    app.state.sessions = sessions
    allowed = settings.allows_second_engine(serves_others=app.state.serves_others)
    dumps = app.state.dumps = Dumps(settings, thread, data.files, sessions, converts=allowed)
    engines = app.state.engines = EngineJobs(settings, sessions, serves_others=app.state.serves_others)
    lessons = app.state.lessons = Lessons(sessions, app.state.shelf, app.state.secret)
    app.state.visitors = Visitors()
    app.state.data_folder = open_folder(settings)
    app.state.readiness = Readiness(settings, thread, sessions, app.state.data_folder)
    app.state.conversions = Conversions(settings, converts=allowed)
    housekeeping = Housekeeping(settings, thread, sessions.sweep_files)
    app.state.agents = agents.Agents(settings, sessions, dumps, engines, may_start=allowed)
    rooms = app.state.rooms = Rooms(sessions, thread, app.state.secret, lessons)
    sessions.start()
    rooms.start()
    dumps.start()
    await housekeeping.start()
    try:
        yield
    finally:
        await app.state.agents.stop()
        await rooms.stop()
        await lessons.stop()
        await engines.close()
        await dumps.stop()
        await sessions.stop()
        await housekeeping.stop()
        thread.close()


async def _on_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    known = (
        error if isinstance(error, ApiError) else ApiError(error.status_code, "request", str(error.detail))
    )
    request.app.state.tallies.refuse(known)
    if "text/html" in request.headers.get("accept", ""):
        message = "There is no such page." if known.message == "Not Found" else known.message
        title = f"Error {known.status} · hloscope"
        return pages_of(request).page(
            "error.html", title, status=known.status, message=message, hint=known.hint or ""
        )
    return JSONResponse(known.body(), known.status, headers=known.retry_headers)


async def _on_invalid_request(request: Request, error: Exception) -> Response:
    """The error of an invalid request, without its content, which may be a program."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    location = ".".join(str(part) for part in first["loc"])
    refused = ApiError(422, "request", f"{location}: {first['msg']}")
    request.app.state.tallies.refuse(refused)
    return JSONResponse(refused.body(), 422)


async def _on_failure(request: Request, error: Exception) -> Response:
    """The answer to an internal error, which the guard logs."""
    return JSONResponse(internal().body(request.state.number), 500)
