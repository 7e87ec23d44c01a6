"""HTTP/1.1 and WebSockets over bare asyncio: hundreds of browsers in one process, which must not be what is measured."""

from __future__ import annotations

import asyncio
import os
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

HEAD_END = b"\r\n\r\n"
NO_BODY = (204, 304)
SWITCHING = 101
TEXT, CLOSE, PING, PONG = 1, 8, 9, 10
CONNECTIONS = 6
"""How many connections a browser opens to one server."""


@dataclass(frozen=True)
class Response:
    """What a server answers; the body as it came, compressed or not."""

    status: int
    headers: dict[bytes, bytes]
    body: bytes


class Lost(Exception):
    """The connection ended before the answer did."""


class Connection(asyncio.Protocol):
    """One connection: a request at a time."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self._received = bytearray()
        self._head: tuple[int, dict[bytes, bytes]] | None = None
        self._length = 0
        self._waiting: asyncio.Future[Response] | None = None
        self._has_ended = False

    @property
    def is_open(self) -> bool:
        """Whether a request can be sent."""
        return self.transport is not None and not self._has_ended and not self.transport.is_closing()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keeps the transport."""
        self.transport = cast(asyncio.Transport, transport)

    def send(self, request: bytes) -> asyncio.Future[Response]:
        """Sends a request; its answer."""
        if not self.is_open:  # it was lost before anything was said
            raise Lost("closed")
        assert self.transport is not None
        self._waiting = asyncio.get_running_loop().create_future()
        self.transport.write(request)
        return self._waiting

    def data_received(self, data: bytes) -> None:
        """Collects until the answer is complete."""
        self._received += data
        if self._head is None:
            end = self._received.find(HEAD_END)
            if end < 0:
                return
            self._head = _parsed(bytes(self._received[:end]))
            status, headers = self._head
            self._length = 0 if status in (*NO_BODY, SWITCHING) else int(headers.get(b"content-length", 0))
            del self._received[: end + len(HEAD_END)]
        if len(self._received) >= self._length:
            self._answered()

    def _answered(self) -> None:
        assert self._head is not None
        (status, headers), self._head = self._head, None
        body = bytes(self._received[: self._length])
        del self._received[: self._length]
        waiting, self._waiting = self._waiting, None
        if waiting is not None and not waiting.done():
            waiting.set_result(Response(status, headers, body))

    def connection_lost(self, exc: Exception | None) -> None:
        """Tells who waits."""
        self._has_ended = True
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(Lost(str(exc or "closed")))


class Socket(Connection):
    """A WebSocket: `heard` gets each text as bytes, with the time at which it came; `ended` is called once."""

    def __init__(self, heard: Callable[[bytes], None], ended: Callable[[], None]) -> None:
        super().__init__()
        self._heard, self._ended, self._is_upgraded = heard, ended, False

    def _answered(self) -> None:
        assert self._head is not None
        self._is_upgraded = self._head[0] == SWITCHING
        rest = bytes(self._received) if self._is_upgraded else b""
        super()._answered()
        if self._is_upgraded:
            self._received = bytearray(rest)
            self._read_frames()

    def data_received(self, data: bytes) -> None:
        """Takes frames apart once the connection is upgraded."""
        if not self._is_upgraded:
            super().data_received(data)
            return
        self._received += data
        self._read_frames()

    def _read_frames(self) -> None:
        received, at = self._received, 0
        while (found := _frame(received, at)) is not None:
            kind, start, at = found
            if kind == TEXT:
                self._heard(bytes(received[start:at]))
            elif kind == PING:
                self._write(PONG, bytes(received[start:at]))
            elif kind == CLOSE and self.transport is not None:
                self.transport.close()
        del received[:at]

    def say(self, text: bytes) -> None:
        """Sends a text."""
        self._write(TEXT, text)

    def _write(self, kind: int, payload: bytes) -> None:
        if self.is_open:
            assert self.transport is not None
            self.transport.write(_masked(kind, payload))

    def connection_lost(self, exc: Exception | None) -> None:
        """Tells who waits, and who listens."""
        super().connection_lost(exc)
        self._ended()


class Browser:
    """One visitor: up to six connections, and what the browser would say of itself."""

    def __init__(self, port: int, cookie: str = "", address: str | None = None) -> None:
        """`address`: of this machine, such as 127.0.0.9, from which the visitor comes."""
        self._port, self._from = port, (address, 0) if address else None
        more = f"Cookie: {cookie}\r\n" if cookie else ""
        self._common = (
            f"Host: 127.0.0.1:{port}\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n"
            f"Sec-Fetch-Site: same-origin\r\n{more}"
        )
        self._idle: list[Connection] = []
        self._places = asyncio.Semaphore(CONNECTIONS)
        self.bytes = self.requests = 0

    async def get(self, path: str) -> Response:
        """The answer to a GET."""
        return await self.ask("GET", path)

    async def ask(self, method: str, path: str, body: bytes | None = None) -> Response:
        """The answer to a request; a connection that the server had closed meanwhile is replaced, as browsers do."""
        more = "" if body is None else f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        request = f"{method} {path} HTTP/1.1\r\n{self._common}{more}\r\n".encode() + (body or b"")
        async with self._places:
            try:
                found = await self._ask(request)
            except Lost:
                found = await self._ask(request)
        self.requests += 1
        self.bytes += len(found.body)
        return found

    async def _ask(self, request: bytes) -> Response:
        while self._idle and not self._idle[-1].is_open:
            self._idle.pop()
        connection = self._idle.pop() if self._idle else await self._connect(Connection)
        found = await connection.send(request)
        self._idle.append(connection)
        return found

    async def _connect(self, kind: Callable[[], Any]) -> Any:
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_connection(kind, "127.0.0.1", self._port, local_addr=self._from)
        return connection

    async def listen(self, path: str, heard: Callable[[bytes], None], ended: Callable[[], None]) -> Socket:
        """A WebSocket; `Lost` if the server does not open it."""
        socket: Socket = await self._connect(lambda: Socket(heard, ended))
        key = b64encode(os.urandom(16)).decode()
        head = (
            f"GET {path} HTTP/1.1\r\n{self._common}Origin: http://127.0.0.1:{self._port}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        try:
            answer = await socket.send(head.encode())
            if answer.status != SWITCHING:
                raise Lost(f"{path}: {answer.status}")
        except BaseException:  # who waits no longer leaves no socket behind
            if socket.transport is not None:
                socket.transport.abort()
            raise
        return socket

    def close(self) -> None:
        """Ends the connections that are kept."""
        for connection in self._idle:
            if connection.transport is not None:
                connection.transport.close()


def _parsed(head: bytes) -> tuple[int, dict[bytes, bytes]]:
    first, *lines = head.split(b"\r\n")
    pairs = (line.partition(b":") for line in lines)
    return int(first[9:12]), {name.lower(): value.strip() for name, _, value in pairs}


def _frame(data: bytearray, at: int) -> tuple[int, int, int] | None:
    """Kind, start and end of the frame at a place, if it is there as a whole; servers mask nothing."""
    if len(data) < at + 2:
        return None
    kind, length, start = data[at] & 15, data[at + 1] & 127, at + 2
    if length >= 126:
        size = 2 if length == 126 else 8
        if len(data) < start + size:
            return None
        length, start = int.from_bytes(data[start : start + size], "big"), start + size
    return (kind, start, start + length) if len(data) >= start + length else None


def _masked(kind: int, payload: bytes) -> bytes:
    """A frame of a client, with a mask of zeros, which the protocol allows and nothing has to compute."""
    size = len(payload)
    if size < 126:
        head = bytes((128 | kind, 128 | size))
    elif size < 1 << 16:
        head = bytes((128 | kind, 128 | 126)) + size.to_bytes(2, "big")
    else:
        head = bytes((128 | kind, 128 | 127)) + size.to_bytes(8, "big")
    return head + bytes(4) + payload
