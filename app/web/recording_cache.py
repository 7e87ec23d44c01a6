"""Memory cache of answers about recordings, in front of FastAPI and workers.

The guard has checked every request before it arrives here. Only answers whose Cache-Control is immutable are cached,
never errors, timeouts or answers about a recording that still grows. While a request is in progress, equal requests wait
for its answer; if that cannot be cached, each is sent on its own. `recording_of` checks read-only links on every request,
so a withdrawn link reads nothing from the cache.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..base.assets import takes_gzip
from ..base.large_texts import LARGE
from ..sessions.complete_answers import FINAL, CacheKey, CompleteAnswers, KeptAnswer, kept_answer
from .collected_answer import CollectedAnswer, is_small_success, send_answer

RECORDING = re.compile(r"/api/recordings/([^/]+)/(?!comparison/|comparison$)(.+)")
"""Comparisons are excluded: they name a second recording with its own link."""
OWN_HEADERS = frozenset({b"content-length", b"cache-control"})


class RecordingCache:
    """ASGI wrapper with the cache; `recording_of` returns a key or raises `HTTPException`."""

    def __init__(
        self, app: ASGIApp, answers: CompleteAnswers, recording_of: Callable[[str], Awaitable[str]]
    ) -> None:
        self._app, self._answers, self._recording_of = app, answers, recording_of
        self._in_progress: dict[CacheKey, asyncio.Event] = {}
        """Requests in progress; the event is set once the answer is cached or cannot be."""
        self._compressing: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        key = await self._cache_key(scope)
        if key is None:
            await self._app(scope, receive, send)
            return
        kept = self._answers.get(key)
        if kept is None and (settled := self._in_progress.get(key)) is not None:
            await settled.wait()
            # The link may have been withdrawn meanwhile.
            kept = self._answers.get(key) if await self._cache_key(scope) is not None else None
        if kept is not None:
            await _respond(kept, scope, send)
        elif key in self._in_progress:
            await self._app(scope, receive, send)
        else:
            await self._ask(key, scope, receive, send)

    async def _cache_key(self, scope: Scope) -> CacheKey | None:
        """The cache key of a request; None unless it is for a recording that it may read."""
        if scope["type"] != "http" or scope["method"] != "GET":
            return None
        found = RECORDING.fullmatch(scope["path"])
        if found is None:
            return None
        try:
            key = await self._recording_of(found[1])
        except HTTPException:
            return None  # the application reports the error
        return key, f"{found[2]}?{scope['query_string'].decode('latin-1')}"

    async def _ask(self, key: CacheKey, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a request and cache the answer before sending it: others wait for no slow client."""
        settled = self._in_progress[key] = asyncio.Event()

        def settle() -> None:
            if self._in_progress.get(key) is settled:
                del self._in_progress[key]
            settled.set()

        async def keep(start: Message, body: bytes) -> None:
            answer = kept_answer(body, (pair for pair in start["headers"] if pair[0] not in OWN_HEADERS))
            self._answers.keep(key, answer)
            settle()
            self._compress(key, answer)
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

    def _compress(self, key: CacheKey, answer: KeptAnswer) -> None:
        if len(answer.body) < LARGE:
            self._answers.replace(key, answer.shrunk())
            return

        async def compress() -> None:
            self._answers.replace(key, await asyncio.to_thread(answer.shrunk))

        task = asyncio.create_task(compress())
        self._compressing.add(task)
        task.add_done_callback(self._compressing.discard)


async def _respond(kept: KeptAnswer, scope: Scope, send: Send) -> None:
    conditions = {
        name: value for name, value in scope["headers"] if name in (b"accept-encoding", b"if-none-match")
    }
    is_packed = kept.compressed and takes_gzip(conditions.get(b"accept-encoding", b"").decode("latin-1"))
    headers = [
        (b"cache-control", FINAL.encode()),
        (b"vary", b"Accept-Encoding"),
        (b"etag", f'"{kept.name}{"-gzip" if is_packed else ""}"'.encode()),
    ]
    if kept.name.encode() in conditions.get(b"if-none-match", b""):
        await send_answer({"type": "http.response.start", "status": 304, "headers": headers}, b"", send)
        return
    body = kept.body if is_packed else kept.plain
    headers += [*kept.headers, (b"content-length", str(len(body)).encode())]
    if is_packed:
        headers.append((b"content-encoding", b"gzip"))
    await send_answer({"type": "http.response.start", "status": 200, "headers": headers}, body, send)
