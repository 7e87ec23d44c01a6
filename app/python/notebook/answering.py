"""Serve a page from a recording of this process, with the server's routes but no server.

No port is opened. A path is passed to the routes as an ASGI request, and they read the recording.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Thread
from types import SimpleNamespace
from typing import Any, TypeVar

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.types import Message, Scope

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.entry import find_entry

from ...answers.question import BadQuestion, NotRecorded, RecordingQuestion, answer
from ...base.errors import ApiError
from ...base.faults import sentence
from ...export.one_file.session import NAME, Inputs, session_of
from ...reference import op_list, op_page
from ...runs.run import Run
from ...web.api import TOPICS
from ...web.routes import Routes
from ...wire.questions import Answer
from ...wire.sessions import SessionInfo

A = TypeVar("A")
ANSWERED = ("Recordings", "Process grid", "Index maps", "Provenance", "Findings", "Search")
"""Topics of the API that a recording alone can serve."""
ABSENT = ApiError(
    404, "not_in_notebook", "This is missing in a notebook: hloscope.debug opens a page that has it."
)


@dataclass(frozen=True)
class KernelAnswer:
    """The response to a path."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class _Recorded:
    """The stand-in for a server's recordings: one run, in this process."""

    def __init__(self, run: Run) -> None:
        self.run = run

    async def ask(self, key: str, question: RecordingQuestion[A], *, patient: bool = True) -> Answer[A]:
        try:
            return answer(self.run, question)
        except NotRecorded:
            raise ApiError(404, "not_recorded", "This is not recorded.") from None
        except BadQuestion as error:
            raise ApiError(422, "request", str(error)) from None


class KernelAnswers:
    """The responses to a page about a recording."""

    def __init__(self, recording: Recording, sources: Mapping[str, str]) -> None:
        entry = find_entry(recording.program, recording.entry)
        run = Run(NAME, recording)
        self._sources = sources
        self._session: SessionInfo = session_of(recording, entry, (), Inputs())
        self._app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
        self._app.state.sessions = SimpleNamespace(recordings=_Recorded(run))
        for topic in ANSWERED:
            for router in TOPICS[topic]:
                self._app.router.routes += router.routes
        self._app.router.routes += self._own_routes().routes
        self._app.add_exception_handler(HTTPException, _on_http_error)
        self._app.add_exception_handler(RequestValidationError, _on_invalid_request)
        self._app.add_exception_handler(Exception, _on_failure)

    def answer(self, path: str) -> KernelAnswer:
        """The response to a path with its query. It blocks: a kernel does one thing at a time."""
        found: list[KernelAnswer] = []
        # The thread of a kernel already runs an event loop, and cannot run a second one.
        thread = Thread(target=lambda: found.append(asyncio.run(self._ask(path))))
        thread.start()
        thread.join()
        return found[0]

    async def _ask(self, path: str) -> KernelAnswer:
        parts: list[Message] = []

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Message) -> None:
            parts.append(message)

        try:
            await self._app(_scope(path), receive, send)
        except Exception:
            # The response has been sent before: it reports an error in hloscope itself.
            if not parts:
                raise
        headers = {name.decode().lower(): value.decode() for name, value in parts[0]["headers"]}
        body = b"".join(part.get("body", b"") for part in parts[1:])
        return KernelAnswer(parts[0]["status"], headers, body)

    def _own_routes(self) -> Routes:
        """The routes that a session has on a server, as far as they exist without one."""
        router = Routes("/api")

        @router.get("/sessions/{session}")
        async def session(session: str) -> JSONResponse:
            return JSONResponse(self._session)

        @router.get("/sessions/{session}/runs/{number}")
        async def run(session: str, number: int) -> JSONResponse:
            return JSONResponse(self._session["run"])

        @router.get("/source")
        async def source(file: str) -> JSONResponse:
            text = self._sources.get(file)
            lines = None if text is None else text.splitlines()
            reason = "The file is not on the machine of the kernel." if text is None else None
            return JSONResponse({"file": file, "lines": lines, "reason": reason})

        @router.get("/ops")
        async def ops() -> JSONResponse:
            return JSONResponse(op_list())

        @router.get("/ops/{name}")
        async def op(name: str) -> JSONResponse:
            found = op_page(name)
            if found is None:
                raise ApiError(404, "not_found", "There is no such op.")
            return JSONResponse({**found, "example": None, "hlo_example": None})

        return router


def _scope(path: str) -> Scope:
    name, _, query = path.partition("?")
    return {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "scheme": "http",
        "path": name, "raw_path": name.encode(), "query_string": query.encode(), "root_path": "", "headers": [],
        "client": None, "server": None, "state": {},
    }  # fmt: skip


async def _on_http_error(request: Request, error: Exception) -> Response:
    known = error if isinstance(error, ApiError) else ABSENT
    return JSONResponse(known.body(), known.status)


async def _on_invalid_request(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first: Any = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    return JSONResponse(ApiError(422, "request", f"{place}: {first['msg']}").body(), 422)


async def _on_failure(request: Request, error: Exception) -> Response:
    return JSONResponse(ApiError(500, "internal", sentence(error)).body(), 500)
