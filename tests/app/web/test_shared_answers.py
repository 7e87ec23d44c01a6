"""Pages of links and the state of their sessions: many who ask at once share an answer that was begun after they asked."""

import asyncio
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from hloscope.app.web.shared_answers import SharedAnswers

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
    for _ in range(6):
        await asyncio.sleep(0)


async def get(app: Any, path: str, query: str = "", method: str = "GET") -> tuple[int, bytes]:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"].append((b"added", b"by the guard"))  # must not reach the others
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.request"}

    scope = {"type": "http", "method": method, "path": path, "query_string": query.encode(), "headers": []}
    await app(scope, receive, send)
    assert len(sent[0]["headers"]) == 2
    return sent[0]["status"], b"".join(message["body"] for message in sent[1:])


def test_who_comes_later_gets_an_answer_that_was_begun_later() -> None:
    async def ask() -> None:
        inner = Application()
        shared = SharedAnswers(inner)
        first = asyncio.create_task(get(shared, PAGE))
        await settle()
        others = [asyncio.create_task(get(shared, PAGE)) for _ in range(200)]
        await settle()
        assert inner.begun == 1
        inner.goes.set()
        assert await first == (200, b"1")
        assert set(await asyncio.gather(*others)) == {(200, b"2")}
        assert await get(shared, PAGE) == (200, b"3")  # nothing is kept

    asyncio.run(ask())


def test_what_fails_is_asked_for_by_each() -> None:
    async def ask() -> None:
        inner = Application(503)
        inner.goes.set()
        shared = SharedAnswers(inner)
        found = await asyncio.gather(*(get(shared, PAGE) for _ in range(3)))
        assert {status for status, _ in found} == {503}
        assert len({body for _, body in found}) == 3

    asyncio.run(ask())


def test_who_asks_for_all_may_leave() -> None:
    async def ask() -> None:
        inner = Application()
        shared = SharedAnswers(inner)
        first = asyncio.create_task(get(shared, PAGE))
        await settle()
        leading, other = (asyncio.create_task(get(shared, PAGE)) for _ in range(2))
        await settle()
        leading.cancel()
        await settle()
        inner.goes.set()
        assert await first == (200, b"1")
        assert (await other)[0] == 200

    asyncio.run(ask())


@pytest.mark.parametrize(
    ("path", "query", "method"),
    [
        ("/s/abc", "", "GET"),
        ("/api/sessions/view-abc", "", "GET"),
        ("/api/sessions/view-abc/runs/1", "wait=false", "GET"),
        ("/api/sessions/abc", "wait=false", "GET"),
        (PAGE, "", "HEAD"),
    ],
)
def test_other_requests_are_their_own(path: str, query: str, method: str) -> None:
    async def ask() -> None:
        inner = Application()
        shared = SharedAnswers(inner)
        tasks = [asyncio.create_task(get(shared, path, query, method)) for _ in range(3)]
        await settle()
        assert inner.begun == 3
        inner.goes.set()
        await asyncio.gather(*tasks)

    asyncio.run(ask())


@pytest.mark.parametrize(
    ("path", "query"),
    [("/embed/view-abc", "tab=index"), ("/room/room-abc", ""), ("/api/sessions/view-abc", "wait=false")],
)
def test_what_is_shared(path: str, query: str) -> None:
    async def ask() -> None:
        inner = Application()
        shared = SharedAnswers(inner)
        tasks = [asyncio.create_task(get(shared, path, query)) for _ in range(5)]
        await settle()
        inner.goes.set()
        await asyncio.gather(*tasks)
        assert inner.begun == 2

    asyncio.run(ask())
