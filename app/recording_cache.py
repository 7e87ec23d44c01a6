"""Answers about recordings from memory: without FastAPI, without a worker, and without asking twice at once.

It stands behind the guard, whose checks every request has passed, and in front of the application. What an answer may
be kept for ever says `Cache-Control` (FINAL); a refusal, a time-out or an answer that still grows is never kept. While a
question is on its way, others who ask the same wait for its answer; if it has none that can be kept, each asks for itself.
Who reads by a link is let in by `recording_of`, each time: a link that was withdrawn reads nothing from here.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .assets import takes_gzip
from .complete_answers import FINAL, CompleteAnswers, KeptAnswer, Place, kept_answer
from .large_texts import LARGE, PIECE

RECORDING = re.compile(r"/api/recordings/([^/]+)/(?!comparison/|comparison$)(.+)")
"""Not what is compared: it names a second recording, which has a link of its own."""
OWN_HEADERS = frozenset({b"content-length", b"cache-control"})


class RecordingCache:
    """Wraps the application. `recording_of`: the key of what a request calls so, or an `HTTPException`."""

    def __init__(
        self, app: ASGIApp, answers: CompleteAnswers, recording_of: Callable[[str], Awaitable[str]]
    ) -> None:
        self._app, self._answers, self._recording_of = app, answers, recording_of
        self._asked: dict[Place, asyncio.Event] = {}
        """What is on its way; the event is set once it is kept, or will not be."""
        self._compressing: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        place = await self._place(scope)
        if place is None:
            await self._app(scope, receive, send)
            return
        kept = self._answers.get(place)
        if kept is None and (asked := self._asked.get(place)) is not None:
            await asked.wait()
            # The link may have been withdrawn meanwhile.
            kept = self._answers.get(place) if await self._place(scope) is not None else None
        if kept is not None:
            await _respond(kept, scope, send)
        elif place in self._asked:
            await self._app(scope, receive, send)
        else:
            await self._ask(place, scope, receive, send)

    async def _place(self, scope: Scope) -> Place | None:
        """What a request asks for; None if that is nothing of a recording that it may read."""
        if scope["type"] != "http" or scope["method"] != "GET":
            return None
        found = RECORDING.fullmatch(scope["path"])
        if found is None:
            return None
        try:
            key = await self._recording_of(found[1])
        except HTTPException:
            return None  # the application says why
        return key, f"{found[2]}?{scope['query_string'].decode('latin-1')}"

    async def _ask(self, place: Place, scope: Scope, receive: Receive, send: Send) -> None:
        """Have the application answer, and keep that."""
        settled = self._asked[place] = asyncio.Event()

        def settle(answer: KeptAnswer | None) -> None:
            if answer is not None:
                self._answers.keep(place, answer)
                self._compress(place, answer)
            if self._asked.get(place) is settled:
                del self._asked[place]
            settled.set()

        try:
            await self._app(scope, receive, _Collected(scope, send, self._answers.largest, settle).send)
        finally:
            if not settled.is_set():
                settle(None)

    def _compress(self, place: Place, answer: KeptAnswer) -> None:
        if len(answer.body) < LARGE:
            self._answers.replace(place, answer.shrunk())
            return

        async def compress() -> None:
            self._answers.replace(place, await asyncio.to_thread(answer.shrunk))

        task = asyncio.create_task(compress())
        self._compressing.add(task)
        task.add_done_callback(self._compressing.discard)


class _Collected:
    """Sends an answer on, and settles what becomes of it as soon as that is known: the others wait for no slow reader."""

    def __init__(
        self, scope: Scope, send: Send, largest: int, settle: Callable[[KeptAnswer | None], None]
    ) -> None:
        self._scope, self._send, self._largest, self._settle = scope, send, largest, settle
        self._start: Message = {}
        self._pieces: list[bytes] | None = None
        """Of a body that can be kept."""

    async def send(self, message: Message) -> None:
        """What the application sends; a body that can be kept goes on once it is complete."""
        if message["type"] == "http.response.start" and _can_be_kept(message, self._largest):
            self._start, self._pieces = message, []
        elif self._pieces is None:
            if message["type"] == "http.response.start":
                self._settle(None)
            await self._send(message)
        else:
            self._pieces.append(bytes(message.get("body", b"")))
            if not message.get("more_body", False):
                await self._finish(b"".join(self._pieces))

    async def _finish(self, body: bytes) -> None:
        headers = [(name, value) for name, value in self._start["headers"] if name not in OWN_HEADERS]
        answer = kept_answer(body, headers)
        self._settle(answer)
        await _respond(answer, self._scope, self._send)


def _can_be_kept(start: Message, largest: int) -> bool:
    headers = dict(start["headers"])
    length = headers.get(b"content-length", b"")
    return (
        start["status"] == 200
        and headers.get(b"cache-control") == FINAL.encode()
        and b"content-disposition" not in headers
        and length.isdigit()
        and int(length) <= largest
    )


async def _respond(kept: KeptAnswer, scope: Scope, send: Send) -> None:
    asked = {
        name: value for name, value in scope["headers"] if name in (b"accept-encoding", b"if-none-match")
    }
    is_packed = kept.compressed and takes_gzip(asked.get(b"accept-encoding", b"").decode("latin-1"))
    headers = [
        (b"cache-control", FINAL.encode()),
        (b"vary", b"Accept-Encoding"),
        (b"etag", f'"{kept.name}{"-gzip" if is_packed else ""}"'.encode()),
    ]
    if kept.name.encode() in asked.get(b"if-none-match", b""):
        await send({"type": "http.response.start", "status": 304, "headers": headers})
        await send({"type": "http.response.body", "body": b""})
        return
    body = kept.body if is_packed else kept.plain
    headers += [*kept.headers, (b"content-length", str(len(body)).encode())]
    if is_packed:
        headers.append((b"content-encoding", b"gzip"))
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await _send_body(body, send)


async def _send_body(body: bytes, send: Send) -> None:
    for start in range(0, max(1, len(body)), PIECE):
        piece = body if len(body) <= PIECE else body[start : start + PIECE]
        await send({"type": "http.response.body", "body": piece, "more_body": start + PIECE < len(body)})
