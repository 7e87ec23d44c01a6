"""The cache between guard and FastAPI, for a class of 200 that sends the same requests at the same time.

A rule names the requests, and computes the key under which equal ones share a response:

- A response that never changes is cached. Requests that come while it is made wait for it.
- A response that may change is not cached. Requests that come while it is made wait for the next one, which is begun
  after they came.

Errors and large responses are not shared; each of the waiting requests is then sent on its own. The guard has checked
every request before it comes here, and the key of a request depends on its read-only link, so a withdrawn link reads
nothing from the cache.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Iterable
from dataclasses import dataclass

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..base.cache import Cache
from ..base.large_texts import LARGE
from ..base.shared_work import SharedWork
from .complete_response import CompleteResponse

CacheKey = tuple[str, Hashable]
"""The subject of a request, such as a recording, and the rest of the request."""
AT_ONCE = 4 << 20
"""Maximum bytes of JSON that is compressed before the first client gets it."""
Responses = Cache[CacheKey, CompleteResponse]


@dataclass(frozen=True)
class CacheRule:
    """A rule: the GET requests that share a response, and whether it is cached."""

    key_of: Callable[[Scope], Awaitable[CacheKey | None]]
    """The key of a request; None if the rule does not apply to it."""
    is_shared: Callable[[Message], bool]
    """Whether a response with this start is shared: it has the same body for all clients."""
    cache: Responses | None = None
    """None if the responses may change."""
    is_compressed: bool = False
    """Whether the cache adds an ETag to a response, and compresses it once."""


class ResponseCache:
    """ASGI wrapper that sends each request on, or answers it by the first rule that applies."""

    def __init__(self, app: ASGIApp, rules: Iterable[CacheRule]) -> None:
        self._app, self._rules = app, tuple(rules)
        self._in_progress = SharedWork[CompleteResponse | None]()
        self._compressing: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "GET":
            for rule in self._rules:
                if (key := await rule.key_of(scope)) is not None:
                    await self._answer(rule, key, scope, receive, send)
                    return
        await self._app(scope, receive, send)

    async def _answer(
        self, rule: CacheRule, key: CacheKey, scope: Scope, receive: Receive, send: Send
    ) -> None:
        if rule.cache is not None and (cached := rule.cache.get(key)) is not None:
            await cached.send(scope, send)
            return
        own = _Request(self._app, rule, scope, receive, send)
        join = self._in_progress.join_next if rule.cache is None else self._in_progress.join
        response = await join(key, lambda: self._make(rule, key, own))
        if own.task is not None:
            if response is not None:
                await response.send(scope, send)
            await own.task
        elif response is not None and await rule.key_of(scope) == key:  # the link may be withdrawn by now
            await response.send(scope, send)
        else:
            await self._app(scope, receive, send)

    async def _make(self, rule: CacheRule, key: CacheKey, request: _Request) -> CompleteResponse | None:
        """The response for all that wait, which is cached before the first client gets it."""
        response = await request.response()
        if response is None or rule.cache is None:
            return response
        if rule.is_compressed:
            response = response.tagged()
            if len(response.body) < LARGE:
                response = response.compressed()
            elif response.is_json and len(response.body) <= AT_ONCE:
                response = await asyncio.to_thread(response.compressed)
            else:
                self._compress_later(rule.cache, key, response)
        rule.cache[key] = response
        return response

    def _compress_later(self, cache: Responses, key: CacheKey, response: CompleteResponse) -> None:
        async def compress() -> None:
            compressed = await asyncio.to_thread(response.compressed)
            if cache.get(key) is response:
                cache[key] = compressed

        task = asyncio.create_task(compress())
        self._compressing.add(task)
        task.add_done_callback(self._compressing.discard)


class _Request:
    """A request that the application answers: completely, or else directly to its own client."""

    def __init__(self, app: ASGIApp, rule: CacheRule, scope: Scope, receive: Receive, send: Send) -> None:
        self._app, self._is_shared, self._scope, self._receive = app, rule.is_shared, scope, receive
        self._send = send
        self.task: asyncio.Task[None] | None = None
        """The application at work, once the request is sent to it."""
        self._response: asyncio.Future[CompleteResponse | None] = asyncio.get_running_loop().create_future()
        self._headers: list[tuple[bytes, bytes]] | None = None
        self._pieces: list[bytes] = []

    async def response(self) -> CompleteResponse | None:
        """The complete response; None as soon as it is known that it is not shared."""
        self.task = asyncio.ensure_future(self._app(self._scope, self._receive, self._take))
        self.task.add_done_callback(lambda _: self._settle(None))
        try:
            return await self._response
        except asyncio.CancelledError:  # no client waits any more
            self.task.cancel()
            raise

    async def _take(self, message: Message) -> None:
        """Collect a message of a shared response; send any other one to the client."""
        if message["type"] == "http.response.start":
            if self._is_shared(message):
                self._headers = list(message["headers"])
                return
            self._settle(None)
        if self._headers is None:
            await self._send(message)
            return
        self._pieces.append(bytes(message.get("body", b"")))
        if not message.get("more_body", False):
            self._settle(CompleteResponse(tuple(self._headers), b"".join(self._pieces)))

    def _settle(self, response: CompleteResponse | None) -> None:
        if not self._response.done():
            self._response.set_result(response)
