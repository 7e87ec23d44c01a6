"""Shared answers for requests of a whole class that opens a link at the same time.

The answers change, so none is cached: callers join the next run of a request, never one already in progress. The answers
do not depend on the client.
"""

from __future__ import annotations

import asyncio
import re

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .collected_answer import CollectedAnswer, is_small_success, send_answer

BY_LINK = re.compile(r"/(?:(?:s|embed)/view-[^/]+|room/room-[^/]+|api/sessions/view-[^/]+(?=\?wait=false$))")
"""Pages of read-only links and rooms, and the state of their sessions."""
MOST_BYTES = 1 << 20
"""Maximum size of a shared answer."""


class _PendingRequest:
    """A request made for all clients that arrive before it starts."""

    def __init__(self) -> None:
        self.settled = asyncio.Event()
        self.answer: tuple[Message, bytes] | None = None


class SharedAnswers:
    """ASGI wrapper that shares answers between waiting clients."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._begun: dict[str, _PendingRequest] = {}
        self._next: dict[str, _PendingRequest] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        key = _request_key(scope)
        if key is None:
            await self._app(scope, receive, send)
        elif (pending := self._next.get(key)) is None:
            await self._ask(key, scope, receive, send)
        else:
            await pending.settled.wait()
            if pending.answer is not None:
                await send_answer(*pending.answer, send)
            else:
                await self._app(scope, receive, send)

    async def _ask(self, key: str, scope: Scope, receive: Receive, send: Send) -> None:
        pending = self._next[key] = _PendingRequest()

        async def share(start: Message, body: bytes) -> None:
            pending.answer = start, body
            settle()
            await send_answer(start, body, send)

        def settle() -> None:
            for requests in (self._begun, self._next):
                if requests.get(key) is pending:
                    del requests[key]
            pending.settled.set()

        try:
            if (before := self._begun.get(key)) is not None:
                await before.settled.wait()
            del self._next[key]
            self._begun[key] = pending
            await self._app(scope, receive, CollectedAnswer(send, _is_shared, share, settle).send)
        finally:
            settle()


def _is_shared(start: Message) -> bool:
    return is_small_success(start, MOST_BYTES)


def _request_key(scope: Scope) -> str | None:
    """The path and query of a shared request; None for any other."""
    if scope["type"] != "http" or scope["method"] != "GET":
        return None
    query = scope["query_string"].decode("latin-1")
    key = f"{scope['path']}?{query}"
    return key if BY_LINK.match(key) else None
