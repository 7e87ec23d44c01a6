"""A server that listens on a real socket, in a thread of this process: what it takes and does can be counted."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from hloscope.app.base.settings import Settings
from hloscope.app.web.main import create_app, server_config
from tests.app.serving import PATIENCE, TOKEN, until
from tests.app.shared_fork_server import shared


@dataclass(frozen=True)
class Listening:
    """Where it is, and the loop that it runs in."""

    port: int
    server: uvicorn.Server
    loop: asyncio.AbstractEventLoop

    @property
    def origin(self) -> str:
        """As browsers name it."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def headers(self) -> dict[str, str]:
        """Of who has signed in and may change something."""
        return {"Origin": self.origin, "Cookie": f"hloscope-{self.port}={TOKEN}"}

    def client(self) -> httpx.Client:
        """Signed in."""
        return httpx.Client(base_url=self.origin, headers=self.headers, timeout=PATIENCE)

    def connect(self) -> socket.socket:
        """A bare connection."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def head(self, request: str, **more: str) -> bytes:
        """The head of a request of who has signed in."""
        headers = {"Host": f"127.0.0.1:{self.port}", **self.headers, **more}
        lines = [
            f"{request} HTTP/1.1",
            *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items()),
        ]
        return "\r\n".join([*lines, "", ""]).encode()

    @property
    def connections(self) -> int:
        """How many are open."""
        return len(self.server.server_state.connections)


@contextmanager
def listening(folder: Path, **settings: Any) -> Iterator[Listening]:
    """Runs until the end of the block."""
    bound = socket.create_server(("127.0.0.1", 0))
    port: int = bound.getsockname()[1]
    given = Settings(data_dir=str(folder), token=TOKEN, **settings)
    config = server_config(create_app(given, port=port), given)
    server, loops = uvicorn.Server(config), []

    async def serve() -> None:
        loops.append(asyncio.get_running_loop())
        await server.serve(sockets=[bound])

    def run() -> None:
        with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
            runner.run(serve())

    thread = threading.Thread(target=run)
    with shared(), bound:
        thread.start()
        try:
            until(lambda: server.started or not thread.is_alive())
            yield Listening(port, server, loops[0])
        finally:
            server.should_exit = True
            thread.join()
