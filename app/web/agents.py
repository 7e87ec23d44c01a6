"""`/mcp`: the tools for agents on this server, for clients that send its token."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from ..base.errors import ApiError
from ..base.settings import Settings
from ..comparing.jobs import EngineJobs
from ..passes.dumps.service import Dumps
from ..sessions.sessions import Sessions
from .guard import AGENTS

if TYPE_CHECKING:
    from ..agents.server import Endpoint

_ORIGIN = ContextVar("_ORIGIN", default="")
"""The origin of the current request, for addresses of pages."""


class Agents:
    """The tools of a server, which the first request loads."""

    def __init__(
        self, settings: Settings, sessions: Sessions, dumps: Dumps, engines: EngineJobs, *, may_start: bool
    ) -> None:
        self._settings, self._sessions, self._dumps, self._engines = settings, sessions, dumps, engines
        self._may_start = may_start
        self._endpoint: Endpoint | None = None

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that the guard has let in."""
        request = Request(scope)
        _ORIGIN.set(request.app.state.origin_of(scope["scheme"], request.headers["host"]))
        try:
            if self._endpoint is None:
                self._endpoint = self._load()
        except ImportError:
            missing = ApiError(
                501, "not_installed", "This server has no tools for agents.",
                hint="Install them where it runs: pip install 'hloscope[mcp]'.",
            )  # fmt: skip
            await JSONResponse(missing.body(), missing.status)(scope, receive, send)
            return
        await self._endpoint(scope, receive, send)

    def _load(self) -> Endpoint:
        from ..agents.desk import Desk
        from ..agents.server import Endpoint

        turn = asyncio.Semaphore(max(1, self._settings.max_second_engines))
        return Endpoint(
            Desk(self._settings, self._sessions, self._dumps, self._engines, _page, turn, self._may_start)
        )

    async def stop(self) -> None:
        """End the requests in progress."""
        if self._endpoint is not None:
            await self._endpoint.close()


class _Endpoint:
    """An ASGI application, which Starlette gives the request itself."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found: Agents = scope["app"].state.agents
        await found.answer(scope, receive, send)


def route() -> Route:
    """The route. It offers no event stream, so agents only send POST requests."""
    return Route(AGENTS, _Endpoint(), methods=["POST"])


async def _page(path: str) -> str:
    return f"{_ORIGIN.get()}{path}"
