"""What pages are made of, from memory: a class that opens a link has 200 browsers ask for the same files."""

from __future__ import annotations

import re

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..base.assets import BUILT, FOR_EVER, takes_gzip
from .collected_answer import CollectedAnswer, is_small_success, send_answer

FILE = re.compile(rf"/static/{BUILT}/[\w.-]+")
MOST_BYTES = 1 << 22
MOST_FILES = 24
"""More than all pages together have; of an older bundle none is kept for long."""


class BuiltFiles:
    """Wraps the application; a bundled file is read from the disk once. A name never stands for another content."""

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
        place = scope["path"], takes_gzip(headers.get(b"accept-encoding", b"").decode("latin-1"))
        if (found := self._kept.get(place)) is not None:
            await send_answer(*found, send)
            return

        async def keep(start: Message, body: bytes) -> None:
            if len(self._kept) >= MOST_FILES:
                self._kept.pop(next(iter(self._kept)), None)
            self._kept[place] = start, body
            await send_answer(start, body, send)

        await self._app(scope, receive, CollectedAnswer(send, _can_be_kept, keep, _nothing).send)


def _nothing() -> None:
    """Nobody waits for it."""


def _can_be_kept(start: Message) -> bool:
    is_for_ever = (b"cache-control", FOR_EVER.encode()) in start["headers"]
    return is_for_ever and is_small_success(start, MOST_BYTES)
