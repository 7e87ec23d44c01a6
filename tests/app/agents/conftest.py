"""Agents: the SDK's client over both transports, with one server and one process for all tests."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import httpx2
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from tests.app.listening import Listening, listening
from tests.app.serving import PATIENCE, TOKEN
from tests.server_process import ROOT

T = TypeVar("T")
FEW_BYTES = 100_000
"""The setting max_program_bytes of both."""


class Agent:
    """An agent's client, which lives in a loop of its own."""

    def __init__(self, loop: asyncio.AbstractEventLoop, client: Client, local: bool) -> None:
        self.loop, self.client, self.local = loop, client, local

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of `work` in the client's loop."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(PATIENCE)

    def ask(self, tool: str, **arguments: Any) -> tuple[str, bool]:
        """The text of an answer, and whether it is an error."""
        answer = self.run(self.client.call_tool(tool, arguments))
        return "\n".join(getattr(part, "text", "(a picture)") for part in answer.content), bool(
            answer.is_error
        )

    def lines(self, tool: str, **arguments: Any) -> list[dict[str, Any]]:
        """The lines of an answer that is no error."""
        text, is_error = self.ask(tool, **arguments)
        assert not is_error, text
        return [json.loads(line) for line in text.splitlines()]

    def error(self, tool: str, **arguments: Any) -> str:
        """The sentence of an error."""
        text, is_error = self.ask(tool, **arguments)
        assert is_error, text
        assert "Traceback" not in text
        return text


@contextmanager
def connected(connect: Callable[[], Any], *, local: bool) -> Iterator[Agent]:
    """An agent until the end of the block."""
    loop, ready, made = asyncio.new_event_loop(), threading.Event(), list[Client]()
    ending = asyncio.Event()

    async def live() -> None:
        async with connect() as client:
            made.append(client)
            ready.set()
            await ending.wait()

    def serve() -> None:
        try:
            loop.run_until_complete(live())
        finally:
            ready.set()

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        ready.wait(PATIENCE)
        yield Agent(loop, made[0], local)
    finally:
        loop.call_soon_threadsafe(ending.set)
        thread.join()
        loop.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Listening]:
    with listening(tmp_path_factory.mktemp("server"), max_program_bytes=FEW_BYTES) as found:
        yield found


@pytest.fixture(scope="module")
def remote(server: Listening) -> Iterator[Agent]:
    """An agent of the server."""

    @asynccontextmanager
    async def connect() -> AsyncIterator[Client]:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as http,
            Client(streamable_http_client(f"{server.origin}/mcp", http_client=http)) as client,
        ):
            yield client

    with connected(connect, local=False) as agent:
        yield agent


@pytest.fixture(scope="module")
def errors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the process writes to standard error."""
    return tmp_path_factory.mktemp("errors") / "errors.txt"


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory, errors: Path) -> Iterator[Agent]:
    """An agent of `hloscope mcp`."""
    folder = tmp_path_factory.mktemp("local")
    places = os.pathsep.join([str(ROOT / "app" / "public"), str(ROOT)])
    settings = [f"data_dir={folder}", f"max_program_bytes={FEW_BYTES}"]
    started = StdioServerParameters(
        command=sys.executable,
        args=["-m", "hloscope", "mcp", *(part for setting in settings for part in ("--set", setting))],
        env={**os.environ, "PYTHONPATH": places},
    )

    @asynccontextmanager
    async def connect() -> AsyncIterator[Client]:
        with errors.open("w") as stream:
            async with Client(stdio_client(started, errlog=stream)) as client:
                yield client

    with connected(connect, local=True) as agent:
        yield agent


@pytest.fixture(params=["local", "remote"])
def agent(request: pytest.FixtureRequest) -> Agent:
    """An agent over each transport."""
    found: Agent = request.getfixturevalue(request.param)
    return found
