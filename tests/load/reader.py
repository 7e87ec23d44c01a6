"""One reader of a link, as a browser with nothing in its cache: opens the page, steps by itself."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from gzip import decompress
from html import unescape
from time import perf_counter
from typing import Any

from .page_requests import RECORDED, PageRequests
from .wire import Browser, Lost, Response, Socket

BUSY = (429, 503)
NOT_RECORDED, RECORDING_SECONDS = b'"not_recorded"', 0.2
PATIENCE = 60.0
"""Seconds after which a reader goes away."""
NAMED = re.compile(r'(?:href|src)="(/[^"]+)"')


@dataclass
class Tally:
    """What has happened to all readers of a process."""

    opened: list[float] = field(default_factory=list)
    steps: list[float] = field(default_factory=list)
    """Of steps that asked the server for something."""
    silent: int = 0
    """Steps for which the page had everything."""
    asked_again: int = 0
    requests: int = 0
    bytes: int = 0
    errors: list[str] = field(default_factory=list)


class Reader:
    """A browser with one page, whose recording is `key`; its tab decides what a step asks for."""

    def __init__(
        self, port: int, link: str, key: str, tab: str, recorded: PageRequests, page: str = ""
    ) -> None:
        """`page`: its address, if it is not that of the link."""
        self._browser, self._page = Browser(port), page or f"/s/{link}"
        self._link, self._key, self._tab, self._recorded = link, key, tab, recorded
        self._kept: set[str] = set()
        """What the browser's own cache has."""
        self._socket: Socket | None = None
        self._welcome = asyncio.Event()

    async def open(self, tally: Tally) -> None:
        """From the click on the link until the page can be used: all that it asks for is there."""
        begin = perf_counter()
        if await self._in_time("open", tally, self._open(tally)):
            tally.opened.append(perf_counter() - begin)

    async def _open(self, tally: Tally) -> None:
        page = await self._get(f"{self._page}?tab={self._tab}", tally)
        html = decompress(page.body) if page.headers.get(b"content-encoding") == b"gzip" else page.body
        named = {unescape(path) for path in NAMED.findall(html.decode())}
        listening = asyncio.create_task(self._listen())
        await asyncio.gather(*(self._get(path, tally) for path in named if _is_fetched(path)))
        await self._ask_for_more(tally)
        await listening
        await self._welcome.wait()

    async def _ask_for_more(self, tally: Tally) -> None:
        """What the page's modules ask for: each request once as many were answered as when it was recorded."""
        answered, came = 0, asyncio.Condition()

        async def ask(path: str, after: int) -> None:
            nonlocal answered
            async with came:
                await came.wait_for(lambda: answered >= after)
            await self._get(self._path(path), tally)
            async with came:
                answered += 1
                came.notify_all()

        await asyncio.gather(*(ask(item["path"], item["after"]) for item in self._recorded["open"]))

    async def step(self, number: int, tally: Tally) -> None:
        """Until what the page asks for at that step of the walk is there."""
        if not self._wanted(number):
            tally.silent += 1
            return
        begin = perf_counter()
        if await self.fetch_step(number, tally):
            tally.steps.append(perf_counter() - begin)

    def _wanted(self, number: int) -> list[str]:
        walk = self._recorded["walks"][self._tab]
        paths = [self._path(path) for path in walk[number % len(walk)]]
        return [path for path in paths if path not in self._kept]

    async def fetch_step(self, number: int, tally: Tally) -> bool:
        """Get what the page asks for at a step of the walk, if it has not got it; whether that could be had."""
        work = asyncio.gather(*(self._get(path, tally) for path in self._wanted(number)))
        return await self._in_time("step", tally, work)

    async def fetch_value(self, step: int, tally: Tally) -> bool:
        """Get the summary of a value, whatever the browser's cache has; whether that could be had."""
        return await self._in_time(
            "value", tally, self._get(self._path(f"{RECORDED}values/0.s{step}.0"), tally)
        )

    async def listen(self, path: str, heard: Callable[[bytes], None], ended: Callable[[], None]) -> Socket:
        """Another WebSocket of the page."""
        return await self._browser.listen(path, heard, ended)

    async def _in_time(self, what: str, tally: Tally, work: Any) -> bool:
        try:
            async with asyncio.timeout(PATIENCE):
                await work
        except (Lost, TimeoutError, OSError, ValueError) as error:
            tally.errors.append(f"{what}: {type(error).__name__}: {error}")
            return False
        return True

    def _path(self, path: str) -> str:
        return path.replace(RECORDED, f"/api/recordings/{self._key}/")

    async def _get(self, path: str, tally: Tally) -> Response:
        self._kept.add(path)
        while (pause := _pause_after(answer := await self._browser.get(path))) is not None:
            tally.asked_again += 1
            await asyncio.sleep(pause)
        tally.requests += 1
        tally.bytes += len(answer.body)
        if answer.status != 200:
            raise ValueError(f"{path}: {answer.status} {answer.body[:200]!r}")
        return answer

    async def _listen(self) -> None:
        path = f"/api/sessions/{self._link}/live"
        self._socket = await self._browser.listen(path, self._heard, lambda: None)

    def _heard(self, text: bytes) -> None:
        if json.loads(text)["type"] == "welcome":
            self._welcome.set()

    def close(self) -> None:
        """The page is closed."""
        self._browser.close()
        if self._socket is not None and self._socket.transport is not None:
            self._socket.transport.close()


def _pause_after(answer: Response) -> float | None:
    """For how long a page waits before it asks again; None if it does not."""
    if answer.status in BUSY:
        return float(answer.headers.get(b"retry-after", b"1"))
    # A run that was begun again is not yet where it was: the page asks once it hears that it is.
    return RECORDING_SECONDS if answer.status == 404 and NOT_RECORDED in answer.body else None


def _is_fetched(path: str) -> bool:
    """Whether a browser fetches what a page names so: not the pages that it links to."""
    return path.startswith(("/static/", "/api/"))
