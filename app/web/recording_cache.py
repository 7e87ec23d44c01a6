"""Answers about recordings from memory: without FastAPI, without a worker, and without asking twice at once.

It stands behind the guard, whose checks every request has passed, and in front of the application. What an answer may
be kept for ever says its Cache-Control; a refusal, a time-out or an answer that still grows is never kept. While a
question is on its way, others who ask the same wait for its answer; if it has none that can be kept, each asks for itself.
Who reads by a link is let in by `recording_of`, each time: a link that was withdrawn reads nothing from here.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..base.assets import takes_gzip
from ..base.large_texts import LARGE
from ..sessions.complete_answers import FINAL, CompleteAnswers, KeptAnswer, Place, kept_answer
from .collected_answer import CollectedAnswer, is_small_success, send_answer

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
        """Have the application answer, and keep that; the others wait for it, and for no slow reader."""
        asked = self._asked[place] = asyncio.Event()

        def settle() -> None:
            if self._asked.get(place) is asked:
                del self._asked[place]
            asked.set()

        async def keep(start: Message, body: bytes) -> None:
            answer = kept_answer(body, (pair for pair in start["headers"] if pair[0] not in OWN_HEADERS))
            self._answers.keep(place, answer)
            settle()
            self._compress(place, answer)
            await _respond(answer, scope, send)

        try:
            await self._app(scope, receive, CollectedAnswer(send, self._can_be_kept, keep, settle).send)
        finally:
            settle()

    def _can_be_kept(self, start: Message) -> bool:
        headers = dict(start["headers"])
        return (
            headers.get(b"cache-control") == FINAL.encode()
            and b"content-disposition" not in headers
            and is_small_success(start, self._answers.largest)
        )

    def _compress(self, place: Place, answer: KeptAnswer) -> None:
        if len(answer.body) < LARGE:
            self._answers.replace(place, answer.shrunk())
            return

        async def compress() -> None:
            self._answers.replace(place, await asyncio.to_thread(answer.shrunk))

        task = asyncio.create_task(compress())
        self._compressing.add(task)
        task.add_done_callback(self._compressing.discard)


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
        await send_answer({"type": "http.response.start", "status": 304, "headers": headers}, b"", send)
        return
    body = kept.body if is_packed else kept.plain
    headers += [*kept.headers, (b"content-length", str(len(body)).encode())]
    if is_packed:
        headers.append((b"content-encoding", b"gzip"))
    await send_answer({"type": "http.response.start", "status": 200, "headers": headers}, body, send)
