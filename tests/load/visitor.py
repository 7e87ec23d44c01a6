"""One visitor of a class: opens a program, waits until it can be used, steps through it, as a page would."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from tests.programs import known_example
from tests.server_process import Server

from .wire import Browser, Lost, Response, Socket

JSON = dict[str, Any]
PATIENCE = 300.0
"""Seconds after which a visitor goes away."""
BUSY = (429, 503)
"""Answers after which a page asks again."""
MOST_STEPS = 128
SCALES = (0.05, 0.1, 0.09, 0.1, 0.12, 0.1, 1.0)
"""Of the MLP's weights, biases and input, in the order of its arguments."""


class Refused(Exception):
    """An answer that is neither a result nor "later"."""


@dataclass
class Tally:
    """What has happened to all visitors."""

    seconds: list[float] = field(default_factory=list)
    refusals: list[float] = field(default_factory=list)
    """Seconds until an answer that asks to come again."""
    asked_again: int = 0
    errors: list[str] = field(default_factory=list)


class Visitor:
    """A browser with one page."""

    def __init__(self, number: int, server: Server) -> None:
        self.number = number
        self._browser = Browser(server.port, server.cookie)
        self._line: Socket | None = None
        self._session, self._key = "", ""
        self._addresses: list[str] = []
        self._run = 0

    @property
    def usable(self) -> bool:
        """Whether it has seen values."""
        return bool(self._addresses)

    async def open(self, tally: Tally) -> None:
        """From the click on "open" until the values of the first steps are there."""
        begin = perf_counter()
        try:
            async with asyncio.timeout(PATIENCE):
                await self._open(tally)
        except (Refused, Lost, TimeoutError, OSError) as error:
            tally.errors.append(f"open: {type(error).__name__}: {error}")
        else:
            tally.seconds.append(perf_counter() - begin)

    async def _open(self, tally: Tally) -> None:
        body = _program(self.number)
        self._session = _json(await self._ask(tally, "POST", "/api/sessions", body))["id"]
        base = f"/api/sessions/{self._session}"
        await self._ask(tally, "GET", f"/s/{self._session}")
        run = _json(await self._ask(tally, "GET", base))["run"]
        while run is None:  # the session was made, but there was no room for a run
            await self._later(tally, 1.0)
            again = {name: body[name] for name in ("text", "inputs")}
            run = _json(await self._ask(tally, "POST", f"{base}/runs", again))["run"]
        self._key, self._run = run["key"], run["number"]
        self._line = await self._browser.listen(f"{base}/live", lambda text: None, lambda: None)
        await self._ask(tally, "GET", f"{self._recording}/program/window?chunk=0")
        while not self._addresses:
            outline = await self._ask(tally, "GET", f"{self._recording}/outline?chunk=0")
            count = min(int(outline.headers[b"x-steps"]), MOST_STEPS)
            wanted = ",".join(f"0.s{step}.0" for step in range(count))
            found = await self._ask(tally, "GET", f"{self._recording}/thumbnails?addresses={wanted}")
            self._addresses = list(_json(found))

    @property
    def _recording(self) -> str:
        return f"/api/recordings/{self._key}"

    async def step(self, number: int, tally: Tally) -> None:
        """Until the value of the next step is shown."""
        address = self._addresses[number % len(self._addresses)]
        begin = perf_counter()
        try:
            async with asyncio.timeout(PATIENCE):
                await self._step(address, tally)
        except (Refused, Lost, TimeoutError, OSError) as error:
            tally.errors.append(f"step: {type(error).__name__}: {error}")
        else:
            tally.seconds.append(perf_counter() - begin)

    async def _step(self, address: str, tally: Tally) -> None:
        if self._line is None or not self._line.is_open:
            raise Lost("the page's socket was closed")
        step = int(address.split(".")[1].removeprefix("s"))
        self._line.say(json.dumps({"type": "position", "run": self._run, "step": step}).encode())
        value = f"{self._recording}/values/{address}"
        summary = _json(await self._ask(tally, "GET", value))
        rows, columns = ("-1", "0") if len(summary["shape"]) == 1 else ("0", "1")
        if summary["shape"]:
            at = ",".join("0" for _ in summary["shape"])
            view = f"rows={rows}&columns={columns}&at={at}&from=0,0&size=64,64&level=0"
            await self._ask(tally, "GET", f"{value}/window?{view}")

    async def _ask(self, tally: Tally, method: str, path: str, body: JSON | None = None) -> Response:
        data = None if body is None else json.dumps(body).encode()
        while True:
            begin = perf_counter()
            answer = await self._browser.ask(method, path, data)
            if answer.status < 300:
                return answer
            if answer.status not in BUSY:
                path = path.split("?", maxsplit=1)[0]
                raise Refused(f"{method} {path}: {answer.status} {answer.body[:200]!r}")
            tally.refusals.append(perf_counter() - begin)
            await self._later(tally, float(answer.headers.get(b"retry-after", 1)))

    @staticmethod
    async def _later(tally: Tally, seconds: float) -> None:
        tally.asked_again += 1
        await asyncio.sleep(seconds)

    def close(self) -> None:
        """The page is closed."""
        self._browser.close()
        if self._line is not None and self._line.transport is not None:
            self._line.transport.close()


@asynccontextmanager
async def visitors(count: int, server: Server) -> AsyncIterator[list[Visitor]]:
    """Visitors that have signed in; each with connections of its own."""
    found = [Visitor(number, server) for number in range(count)]
    try:
        yield found
    finally:
        for visitor in found:
            visitor.close()


def _json(answer: Response) -> Any:
    packed = answer.headers.get(b"content-encoding") == b"gzip"
    return json.loads(gzip.decompress(answer.body) if packed else answer.body)


def _program(visitor: int) -> JSON:
    """An MLP as large as those that classes begin with; inputs of one's own: nobody gets what another recorded."""
    found = known_example("mlp")
    inputs = [{"kind": "normal", "seed": visitor, "scale": scale} for scale in SCALES]
    return {"text": found.text, "name": found.file, "inputs": inputs}
