"""What a whole class asks for at the same moment when it opens a link: found out once for all who wait by then.

These answers change, so none is kept: who asks gets one that was begun after that, as if nobody else had asked. Nothing
in them depends on who asks.
"""

from __future__ import annotations

import asyncio
import re

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .collected_answer import CollectedAnswer, is_small_success, send_answer

BY_LINK = re.compile(r"/(?:(?:s|embed)/view-[^/]+|room/room-[^/]+|api/sessions/view-[^/]+(?=\?wait=false$))")
"""Pages of read-only links and of rooms, and how the session is now."""
MOST_BYTES = 1 << 20


class _Asked:
    """A question that somebody asks for all who come before it is begun."""

    def __init__(self) -> None:
        self.settled = asyncio.Event()
        self.answer: tuple[Message, bytes] | None = None


class SharedAnswers:
    """Wraps the application."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._begun: dict[str, _Asked] = {}
        self._next: dict[str, _Asked] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        place = _place(scope)
        if place is None:
            await self._app(scope, receive, send)
        elif (asked := self._next.get(place)) is None:
            await self._ask(place, scope, receive, send)
        else:
            await asked.settled.wait()
            if asked.answer is not None:
                await send_answer(*asked.answer, send)
            else:
                await self._app(scope, receive, send)

    async def _ask(self, place: str, scope: Scope, receive: Receive, send: Send) -> None:
        asked = self._next[place] = _Asked()

        async def share(start: Message, body: bytes) -> None:
            asked.answer = start, body
            settle()
            await send_answer(start, body, send)

        def settle() -> None:
            for asked_now in (self._begun, self._next):
                if asked_now.get(place) is asked:
                    del asked_now[place]
            asked.settled.set()

        try:
            if (before := self._begun.get(place)) is not None:
                await before.settled.wait()
            del self._next[place]
            self._begun[place] = asked
            await self._app(scope, receive, CollectedAnswer(send, _is_shared, share, settle).send)
        finally:
            settle()


def _is_shared(start: Message) -> bool:
    return is_small_success(start, MOST_BYTES)


def _place(scope: Scope) -> str | None:
    """Path and query of what is asked at once; None if that is something else."""
    if scope["type"] != "http" or scope["method"] != "GET":
        return None
    query = scope["query_string"].decode("latin-1")
    asked = f"{scope['path']}?{query}"
    return asked if BY_LINK.match(asked) else None
