"""Memory cache of bundled files, for a class of 200 browsers that open a link together."""

from __future__ import annotations

import re

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..base.assets import BUILT, FOR_EVER, takes_gzip
from .collected_answer import CollectedAnswer, is_small_success, send_answer

FILE = re.compile(rf"/static/{BUILT}/[\w.-]+")
MOST_BYTES = 1 << 22
"""Maximum size of a cached file."""
MOST_FILES = 24
"""Maximum number of cached files: more than all pages use; old bundles are evicted."""


class BuiltFiles:
    """ASGI wrapper that reads each bundled file once; their names change with their contents."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._kept: dict[tuple[str, bool], tuple[Message, bytes]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET" or not FILE.fullmatch(scope["path"]):
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        if b"range" in headers or b"if-none-match" in headers or b"if-modified-since" in headers:
            await self._app(scope, receive, send)
            return
        cache_key = scope["path"], takes_gzip(headers.get(b"accept-encoding", b"").decode("latin-1"))
        if (found := self._kept.get(cache_key)) is not None:
            await send_answer(*found, send)
            return

        async def keep(start: Message, body: bytes) -> None:
            if len(self._kept) >= MOST_FILES:
                self._kept.pop(next(iter(self._kept)), None)
            self._kept[cache_key] = start, body
            await send_answer(start, body, send)

        await self._app(scope, receive, CollectedAnswer(send, _can_be_kept, keep, _nothing).send)


def _nothing() -> None:
    """Do nothing: no request waits for an answer that is not cached."""


def _can_be_kept(start: Message) -> bool:
    is_for_ever = (b"cache-control", FOR_EVER.encode()) in start["headers"]
    return is_for_ever and is_small_success(start, MOST_BYTES)
