"""Requests that share a response. Pages of links and the state of their sessions: many who ask at once share an answer that was begun after they asked."""

import asyncio
from functools import partial
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from hloscope.app.base.assets import FOR_EVER
from hloscope.app.base.cache import Cache
from hloscope.app.web.cache_rules import rule_of_built_files, rule_of_links
from hloscope.app.web.complete_response import is_small_success
from hloscope.app.web.response_cache import CacheRule, ResponseCache

pytestmark = pytest.mark.anyio
PAGE = "/s/view-abc"


class Application:
    """Answers each request with its number, when it is told to."""

    def __init__(self, status: int = 200) -> None:
        self.begun, self.status, self.goes = 0, status, asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.begun += 1
        body = str(self.begun).encode()
        await self.goes.wait()
        headers = [(b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": body})


async def settle() -> None:
    for _ in range(12):
        await asyncio.sleep(0)


async def nothing() -> Message:
    return {"type": "http.request"}


async def get(app: Any, path: str, query: str = "", method: str = "GET") -> tuple[int, bytes]:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"].append((b"added", b"by the guard"))  # must not reach the others
        sent.append(message)

    scope = {"type": "http", "method": method, "path": path, "query_string": query.encode(), "headers": []}
    await app(scope, nothing, send)
    assert len(sent[0]["headers"]) == 2
    return sent[0]["status"], b"".join(message["body"] for message in sent[1:])


async def test_who_comes_later_gets_an_answer_that_was_begun_later() -> None:
    inner = Application()
    shared = ResponseCache(inner, [rule_of_links()])
    first = asyncio.create_task(get(shared, PAGE))
    await settle()
    others = [asyncio.create_task(get(shared, PAGE)) for _ in range(200)]
    await settle()
    assert inner.begun == 1
    inner.goes.set()
    assert await first == (200, b"1")
    assert set(await asyncio.gather(*others)) == {(200, b"2")}
    assert await get(shared, PAGE) == (200, b"3")  # nothing is kept


async def test_what_fails_is_asked_for_by_each() -> None:
    inner = Application(503)
    inner.goes.set()
    shared = ResponseCache(inner, [rule_of_links()])
    found = await asyncio.gather(*(get(shared, PAGE) for _ in range(3)))
    assert {status for status, _ in found} == {503}
    assert len({body for _, body in found}) == 3


async def test_who_asks_for_all_may_leave() -> None:
    inner = Application()
    shared = ResponseCache(inner, [rule_of_links()])
    first = asyncio.create_task(get(shared, PAGE))
    await settle()
    leading, other = (asyncio.create_task(get(shared, PAGE)) for _ in range(2))
    await settle()
    leading.cancel()
    await settle()
    inner.goes.set()
    assert await first == (200, b"1")
    assert (await other)[0] == 200


@pytest.mark.parametrize(
    ("path", "query", "method"),
    [
        ("/s/abc", "", "GET"),
        ("/api/sessions/view-abc", "", "GET"),
        ("/api/sessions/view-abc/runs/1", "wait=false&once=true&apart=true", "GET"),
        ("/api/sessions/abc", "wait=false&once=true&apart=true", "GET"),
        (PAGE, "", "HEAD"),
    ],
)
async def test_other_requests_are_their_own(path: str, query: str, method: str) -> None:
    inner = Application()
    shared = ResponseCache(inner, [rule_of_links()])
    tasks = [asyncio.create_task(get(shared, path, query, method)) for _ in range(3)]
    await settle()
    assert inner.begun == 3
    inner.goes.set()
    await asyncio.gather(*tasks)


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/embed/view-abc", "tab=index"),
        ("/room/room-abc", ""),
        ("/api/sessions/view-abc", "wait=false&once=true&apart=true"),
    ],
)
async def test_what_is_shared(path: str, query: str) -> None:
    inner = Application()
    shared = ResponseCache(inner, [rule_of_links()])
    tasks = [asyncio.create_task(get(shared, path, query)) for _ in range(5)]
    await settle()
    inner.goes.set()
    await asyncio.gather(*tasks)
    assert inner.begun == 1  # all came before it was begun


class Streaming:
    """Sends a response of two pieces, the second when it is told to."""

    def __init__(self, length: int) -> None:
        self.begun, self.length, self.goes = 0, length, asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.begun += 1
        headers = [(b"content-length", str(self.length).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"first ", "more_body": True})
        await self.goes.wait()
        await send({"type": "http.response.body", "body": b"second"})


async def _of_path(scope: Scope) -> tuple[str, str]:
    return scope["path"], ""


def cached(most_bytes: int) -> CacheRule:
    return CacheRule(_of_path, partial(is_small_success, most_bytes=most_bytes), Cache(10))


async def test_requests_wait_for_a_response_that_is_cached() -> None:
    inner = Streaming(12)
    app = ResponseCache(inner, [cached(100)])
    first = asyncio.create_task(get(app, PAGE))
    await settle()
    late = [asyncio.create_task(get(app, PAGE)) for _ in range(3)]
    await settle()
    first.cancel()
    await settle()
    inner.goes.set()
    assert set(await asyncio.gather(*late)) == {(200, b"first second")}
    assert await get(app, PAGE) == (200, b"first second")
    assert inner.begun == 1


async def test_nobody_waits_for_a_response_that_is_too_large_to_share() -> None:
    inner = Streaming(1_000)
    app = ResponseCache(inner, [cached(100)])
    tasks = [asyncio.create_task(get(app, PAGE)) for _ in range(3)]
    await settle()
    assert inner.begun == 3
    inner.goes.set()
    assert set(await asyncio.gather(*tasks)) == {(200, b"first second")}


async def test_a_client_that_does_not_read_holds_nobody_up() -> None:
    inner = Streaming(12)
    inner.goes.set()
    app = ResponseCache(inner, [cached(100)])

    async def send(message: Message) -> None:
        await asyncio.Event().wait()

    scope = {"type": "http", "method": "GET", "path": PAGE, "query_string": b"", "headers": []}
    slow = asyncio.create_task(app(scope, nothing, send))
    await settle()
    assert await get(app, PAGE) == (200, b"first second")
    assert inner.begun == 1
    slow.cancel()


async def test_a_failure_is_raised_for_each_request() -> None:
    begun = 0

    async def fail(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal begun
        begun += 1
        raise ValueError

    app = ResponseCache(fail, [cached(100)])
    found = await asyncio.gather(*(get(app, PAGE) for _ in range(3)), return_exceptions=True)
    assert [type(each) for each in found] == [ValueError] * 3
    assert begun == 3


@pytest.mark.parametrize(
    ("headers", "begun"),
    [
        ([], 1),
        ([(b"accept-encoding", b"gzip")], 1),
        ([(b"range", b"bytes=0-1")], 2),
        ([(b"if-none-match", b'"x"')], 2),
    ],
)
async def test_bundled_files_are_read_once(headers: list[tuple[bytes, bytes]], begun: int) -> None:
    count = 0

    async def read(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal count
        count += 1
        kept = [(b"cache-control", FOR_EVER.encode()), (b"content-length", b"1"), (b"etag", b'"its own"')]
        await send({"type": "http.response.start", "status": 200, "headers": kept})
        await send({"type": "http.response.body", "body": b"x"})

    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    app = ResponseCache(read, [rule_of_built_files()])
    scope = {
        "type": "http", "method": "GET", "path": "/static/built/page-1A.js", "query_string": b"",
        "headers": headers,
    }  # fmt: skip
    for _ in range(2):
        await app(scope, nothing, send)
    assert count == begun
    assert sent[0]["headers"] == sent[2]["headers"]
    assert (b"etag", b'"its own"') in sent[2]["headers"]
