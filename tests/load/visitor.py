"""One visitor of a class: opens a program, waits until it can be used, steps through it, as a page would."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from json import dumps
from time import perf_counter
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect

from tests.programs import known_example
from tests.server_process import Server

JSON = dict[str, Any]
PATIENCE = 300.0
"""Seconds after which a visitor goes away."""
BUSY = (429, 503)
"""Answers after which a page asks again."""
KEPT_SECONDS = 3
"""For how long a connection waits for the next request; less than the server keeps it."""
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

    def __init__(self, number: int, server: Server, client: httpx.AsyncClient, lines: AsyncExitStack) -> None:
        self.number = number
        self._server, self._client, self._lines = server, client, lines
        self._line: ClientConnection | None = None
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
        except (Refused, TimeoutError, OSError, httpx.HTTPError) as error:
            tally.errors.append(f"open: {type(error).__name__}: {error}")
        else:
            tally.seconds.append(perf_counter() - begin)

    async def _open(self, tally: Tally) -> None:
        body = _program(self.number)
        self._session = (await self._ask(tally, "POST", "/api/sessions", json=body)).json()["id"]
        base = f"/api/sessions/{self._session}"
        await self._ask(tally, "GET", f"/s/{self._session}")
        run = (await self._ask(tally, "GET", base)).json()["run"]
        while run is None:  # the session was made, but there was no room for a run
            await self._later(tally, 1.0)
            run = (
                await self._ask(
                    tally, "POST", f"{base}/runs", json={name: body[name] for name in ("text", "inputs")}
                )
            ).json()["run"]
        self._key, self._run = run["key"], run["number"]
        await self._listen()
        await self._ask(tally, "GET", f"{self._recording}/program/window?chunk=0")
        while not self._addresses:
            outline = await self._ask(tally, "GET", f"{self._recording}/outline?chunk=0")
            count = min(int(outline.headers["X-Steps"]), MOST_STEPS)
            wanted = ",".join(f"0.s{step}.0" for step in range(count))
            found = await self._ask(tally, "GET", f"{self._recording}/thumbnails?addresses={wanted}")
            self._addresses = list(found.json())

    @property
    def _recording(self) -> str:
        return f"/api/recordings/{self._key}"

    async def _listen(self) -> None:
        origin = self._server.origin
        url = f"{origin.replace('http', 'ws', 1)}/api/sessions/{self._session}/live"
        headers = {"Origin": origin, "Cookie": self._server.cookie}
        line = connect(url, additional_headers=headers, open_timeout=PATIENCE, compression=None)
        self._line = await self._lines.enter_async_context(line)
        self._heard = asyncio.create_task(_hear(self._line))

    async def step(self, number: int, tally: Tally) -> None:
        """Until the value of the next step is shown."""
        address = self._addresses[number % len(self._addresses)]
        begin = perf_counter()
        try:
            async with asyncio.timeout(PATIENCE):
                await self._step(address, tally)
        except (Refused, TimeoutError, OSError, httpx.HTTPError) as error:
            tally.errors.append(f"step: {type(error).__name__}: {error}")
        else:
            tally.seconds.append(perf_counter() - begin)

    async def _step(self, address: str, tally: Tally) -> None:
        assert self._line is not None
        step = int(address.split(".")[1].removeprefix("s"))
        await self._line.send(dumps({"type": "position", "run": self._run, "step": step}))
        value = f"{self._recording}/values/{address}"
        summary = (await self._ask(tally, "GET", value)).json()
        rows, columns = ("-1", "0") if len(summary["shape"]) == 1 else ("0", "1")
        if summary["shape"]:
            at = ",".join("0" for _ in summary["shape"])
            view = f"rows={rows}&columns={columns}&at={at}&from=0,0&size=64,64&level=0"
            await self._ask(tally, "GET", f"{value}/window?{view}")

    async def _ask(self, tally: Tally, method: str, path: str, **body: Any) -> httpx.Response:
        while True:
            answer = await self._answer(method, path, **body)
            if answer.is_success:
                return answer
            if answer.status_code not in BUSY:
                raise Refused(
                    f"{method} {path.split('?', maxsplit=1)[0]}: {answer.status_code} {answer.text[:200]}"
                )
            tally.refusals.append(answer.elapsed.total_seconds())
            await self._later(tally, float(answer.headers.get("Retry-After", 1)))

    async def _answer(self, method: str, path: str, **body: Any) -> httpx.Response:
        try:
            return await self._client.request(method, path, **body)
        except httpx.RemoteProtocolError:
            # The server has closed the idle connection at this moment; a browser takes another one.
            return await self._client.request(method, path, **body)

    @staticmethod
    async def _later(tally: Tally, seconds: float) -> None:
        tally.asked_again += 1
        await asyncio.sleep(seconds)


@asynccontextmanager
async def visitors(count: int, server: Server) -> AsyncIterator[list[Visitor]]:
    """Visitors that have signed in; each with connections of its own."""
    async with AsyncExitStack() as clients, AsyncExitStack() as lines:
        found = []
        for number in range(count):
            client = httpx.AsyncClient(
                base_url=server.origin,
                headers={"Origin": server.origin, "Cookie": server.cookie},
                timeout=PATIENCE,
                limits=httpx.Limits(keepalive_expiry=KEPT_SECONDS),
                verify=False,
            )
            await clients.enter_async_context(client)
            found.append(Visitor(number, server, client, lines))
        yield found


async def _hear(line: ClientConnection) -> None:
    """Reads what the server says, as a page does: a line that nobody reads from is a slow one."""
    async for _ in line:
        pass


def _program(visitor: int) -> JSON:
    """An MLP as large as those that classes begin with; inputs of one's own: nobody gets what another recorded."""
    found = known_example("mlp")
    inputs = [{"kind": "normal", "seed": visitor, "scale": scale} for scale in SCALES]
    return {"text": found.text, "name": found.file, "inputs": inputs}
