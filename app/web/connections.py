"""What a connection may cost before its request has reached the guard.

uvicorn's own protocol keeps whatever comes for as long as it comes: a head that never ends, a body of a byte a
minute, ten thousand connections on which nothing is said. Here all that comes is counted before it is parsed, each
part of a request has its time, and the connection that has waited the longest makes room for a new one.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import resource
import time
from asyncio.events import TimerHandle
from http import HTTPStatus
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from ..base.errors import ApiError, over_limit
from ..base.settings import Settings

PIECE_BYTES = 8 << 10
"""What is parsed at once: a limit is passed by no more than this, and what follows a request is not lost count of."""
CHUNK_BYTES = 16
"""What a chunk of a body may have around it; chunks that are smaller than this count as headers do."""
MOST_PIPELINED = 1_000
"""Requests that wait on one connection for the answers to others."""
OTHER_FILES = 1_024
"""Open files beside connections: of the store, of uploads, and one for each worker."""


def bounded_protocol(settings: Settings) -> type[BoundedProtocol]:
    """The protocol under the limits of these settings."""
    return type("BoundedProtocol", (BoundedProtocol,), {"settings": settings})


def allow_open_files(connections: int) -> None:
    """Raises the limit of open files to what so many connections need, as far as the system allows it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(ValueError, OSError):
            most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


class BoundedProtocol(HttpToolsProtocol):
    """One connection. Between requests it waits for a head; `_came` counts the bytes of one request."""

    settings: ClassVar[Settings] = Settings()

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._in_head = True
        self._came = self._body_bytes = self._chunks = 0
        self._body_bytes_before = 0
        """What there was of a body when the present period began."""
        self._idle_since = time.monotonic()
        self._alarm: TimerHandle | None = None

    # The transport's side.

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Starts the clock of the first request, and makes room if there are too many connections."""
        super().connection_made(transport)
        self._await(self.settings.header_time_limit_ms)
        if len(self.connections) > self.settings.max_connections:
            self._make_room()

    def data_received(self, data: bytes) -> None:
        """Feeds the data in pieces, until something is wrong or another protocol has taken over."""
        if self._alarm is None and self._in_head:
            self._await(self.settings.header_time_limit_ms)
        for start in range(0, len(data), PIECE_BYTES):
            if self.transport.is_closing() or self.transport.get_protocol() is not self:
                return
            piece = data[start : start + PIECE_BYTES]
            self._came += len(piece)
            super().data_received(piece)
            self._check_size()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stops the clock of the connection."""
        self._disarm()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self) -> None:
        """Hands the connection over to the WebSocket protocol."""
        self._disarm()
        super().handle_websocket_upgrade()

    # The parser's side.

    def on_header(self, name: bytes, value: bytes) -> None:
        """Headers that come after the body mean nothing here, and are not kept."""
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Starts the time limit of the body."""
        self._in_head = False
        self._await(self.settings.body_time_limit_ms)
        super().on_headers_complete()

    def on_chunk_header(self) -> None:
        """Counts the start of a chunk of a body."""
        self._chunks += 1

    def on_body(self, body: bytes) -> None:
        """Counts a part of the body."""
        self._body_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The next head may begin at any time; how long nothing comes is uvicorn's to watch."""
        self._in_head = True
        self._came = self._body_bytes = self._chunks = 0
        self._idle_since = time.monotonic()
        self._disarm()
        super().on_message_complete()

    # Size.

    def _check_size(self) -> None:
        limit, chunks = self.settings.max_header_bytes, CHUNK_BYTES * self._chunks
        if max(self._came - self._body_bytes - chunks, chunks - self._body_bytes) > limit:
            message = f"The headers of the request have more than {limit:,} bytes."
            self._refuse(over_limit(431, "max_header_bytes", limit, message))
        elif len(self.pipeline) > MOST_PIPELINED:
            self.transport.close()

    # Time.

    def _await(self, milliseconds: int) -> None:
        self._body_bytes_before = self._body_bytes
        self._disarm()
        if milliseconds:
            self._alarm = self.loop.call_later(milliseconds / 1000, self._time_out)

    def _disarm(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _time_out(self) -> None:
        name = "header_time_limit_ms" if self._in_head else "body_time_limit_ms"
        limit: int = getattr(self.settings, name)
        if self.flow.read_paused or self._comes_fast_enough(limit):
            self._await(limit)
        elif self._in_head and not self._came:
            self.transport.close()  # browsers open connections in advance, and would show what comes unasked
        else:
            part = "head" if self._in_head else "body"
            message = f"The {part} of the request came too slowly."
            self._refuse(over_limit(408, name, limit, message))

    def _comes_fast_enough(self, limit: int) -> bool:
        """Whether enough of a body has come in the last period; what comes after the answer is never enough."""
        if self._in_head or self.cycle is None or self.cycle.response_complete:
            return False
        needed = self.settings.body_bytes_per_s * limit / 1000
        return self._body_bytes - self._body_bytes_before >= needed

    # Refusing, and making room.

    @property
    def idle(self) -> bool:
        """Whether no request of it is being read or answered: it is new, or waits for a next head."""
        answered = self.cycle is None or self.cycle.response_complete
        return self._in_head and answered and not self.pipeline and not self.transport.is_closing()

    def _make_room(self) -> None:
        others = (other for other in self.connections if isinstance(other, BoundedProtocol))
        idle = [other for other in others if other.idle and other is not self]
        if idle:
            min(idle, key=lambda other: other._idle_since).transport.close()
        else:
            limit = self.settings.max_connections
            self._refuse(over_limit(503, "max_connections", limit, "Too many connections are open."))

    def _refuse(self, error: ApiError) -> None:
        """Close; with the reason, unless it would be taken for the answer to another request."""
        if self.transport.is_closing():
            return
        if self.idle or self._is_unanswered:
            self.transport.write(_answer(error))
        if self.cycle is not None:
            self.cycle.disconnected = True
        self.transport.close()

    @property
    def _is_unanswered(self) -> bool:
        """Whether the request whose body comes is the one to be answered next, and its answer has not begun."""
        return not self._in_head and not self.pipeline and not self.cycle.response_started


def _answer(error: ApiError) -> bytes:
    body = json.dumps(error.body()).encode()
    head = (
        f"HTTP/1.1 {error.status} {HTTPStatus(error.status).phrase}\r\ncontent-type: application/json\r\n"
        f"content-length: {len(body)}\r\ncache-control: no-store\r\nconnection: close\r\n\r\n"
    )
    return head.encode() + body
