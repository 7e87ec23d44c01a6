"""Limits of a connection: of its request before that reaches the guard, and of its answers after that left it.

uvicorn's own protocol has no such limits: it accepts an endless head, a body of one byte a minute, and ten thousand
silent connections. Here, all data is counted before it is parsed, each part of a request has a timeout, and where there
are too many connections, one of the network with the most is closed for a new one, the longest idle one first. An answer goes out in pieces, as fast as its client reads; a client that reads
nothing is disconnected after a time, and earlier where answers that wait for their clients take too much memory.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import resource
import select
import time
from asyncio.events import TimerHandle
from collections import Counter
from functools import partial
from http import HTTPStatus
from typing import Any, ClassVar

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from ..base.errors import ApiError, over_limit
from ..base.fair_shares import network_of
from ..base.large_texts import PIECE
from ..base.settings import Settings
from ..base.tallies import Tallies

PIECE_BYTES = 8 << 10
"""Maximum bytes parsed together, by which a limit may be exceeded."""
CHUNK_BYTES = 16
"""Bytes of overhead of a chunk of a body; smaller chunks count towards the header limit."""
RESERVED = 16
"""Connections beyond the maximum that may ask for the server's health."""
HEALTH = frozenset({b"/-/health", b"/-/ready"})
MOST_PIPELINED = 1_000
"""Maximum pipelined requests of a connection."""
OTHER_FILES = 1_024
"""Open files besides connections: the store, uploads and workers."""


def bounded_protocol(settings: Settings, tallies: Tallies) -> type[BoundedProtocol]:
    """The protocol class with the limits of these settings, which counts its refusals in `tallies`."""
    return type(
        "BoundedProtocol",
        (BoundedProtocol,),
        {"settings": settings, "tallies": tallies, "networks": Counter[str]()},
    )


def allow_open_files(connections: int) -> None:
    """Raise the limit of open files for this many connections, as far as the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(ValueError, OSError):
            most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


class BoundedProtocol(HttpToolsProtocol):
    """A connection with limits; `_came` counts the received bytes of the current request."""

    settings: ClassVar[Settings] = Settings()
    tallies: ClassVar[Tallies] = Tallies()
    networks: ClassVar[Counter[str]] = Counter()
    """The connections of each network."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._is_extra = False
        """Whether the connection came when the maximum was reached by others that are not idle."""
        self._in_head = True
        self._came = self._body_bytes = self._chunks = 0
        self._body_bytes_before = 0
        """Bytes of the body received before the current period."""
        self._idle_since = time.monotonic()
        self._network = ""
        """The network of the client, or of the proxy before it."""
        self._alarm: TimerHandle | None = None
        self.app = self._in_pieces(self.app)
        self._held = 0
        """Bytes of the current answer that were not given to the transport yet."""
        self._unread_since = 0.0
        """When the client last read something while data waits for it; 0 while none waits."""
        self._unread_alarm: TimerHandle | None = None

    # The transport's side.

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the head's timeout, and close an idle connection beyond the maximum."""
        super().connection_made(transport)
        self._network = network_of(self.client[0]) if self.client else ""
        self._count(1)
        self.tallies.connections = self.connections
        self._await(self.settings.receive_time_limit_ms)
        if len(self.connections) > self.settings.max_connections:
            self._make_place()

    def data_received(self, data: bytes) -> None:
        """Parse the data in pieces, until the connection closes or changes its protocol."""
        if self._alarm is None and self._in_head:
            self._await(self.settings.receive_time_limit_ms)
        for start in range(0, len(data), PIECE_BYTES):
            if self.transport.is_closing() or self.transport.get_protocol() is not self:
                return
            piece = data[start : start + PIECE_BYTES]
            self._came += len(piece)
            super().data_received(piece)
            self._check_size()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timeouts."""
        self._count(-1)
        self._disarm()
        self._await_reader(0)
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Start the client's timeout, and make room if too much waits for clients."""
        super().pause_writing()
        self._unread_since = time.monotonic()
        self._await_reader(self.settings.receive_time_limit_ms)
        self._bound_unsent()

    def resume_writing(self) -> None:
        """Cancel the timeout: the client has read what was sent."""
        self._unread_since = 0.0
        self._await_reader(0)
        super().resume_writing()

    def timeout_keep_alive_handler(self) -> None:
        """Close an idle connection, unless its next request came while the loop was busy: uvloop runs timers before it reads."""
        if self.transport.is_closing() or not self._has_unread():
            super().timeout_keep_alive_handler()

    def _has_unread(self) -> bool:
        """Whether the system has data of the client that was not read yet."""
        waiting = select.poll()
        waiting.register(self.transport.get_extra_info("socket").fileno(), select.POLLIN)
        return bool(waiting.poll(0))

    def handle_websocket_upgrade(self) -> None:
        """Hand the connection over to the WebSocket protocol."""
        self._count(-1)  # max_sockets limits those
        self._disarm()
        super().handle_websocket_upgrade()

    # The parser's side.

    def on_header(self, name: bytes, value: bytes) -> None:
        """Ignore trailers, the headers after a body."""
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Start the timeout of the body."""
        if self._is_extra and self.url not in HEALTH:
            self._refuse(self._too_many())
            return
        self._in_head = False
        self._await(self.settings.receive_time_limit_ms)
        super().on_headers_complete()

    def on_chunk_header(self) -> None:
        """Count a chunk of the body."""
        self._chunks += 1

    def on_body(self, body: bytes) -> None:
        """Count bytes of the body."""
        self._body_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Reset the counters for the next request; uvicorn has a timeout for idle connections."""
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
        limit = self.settings.receive_time_limit_ms
        if self.flow.read_paused or self._comes_fast_enough(limit):
            self._await(limit)
        elif self._in_head and not self._came:
            self.transport.close()  # browsers open connections in advance, and would show an unrequested answer
        else:
            part = "head" if self._in_head else "body"
            message = f"The {part} of the request came too slowly."
            self._refuse(over_limit(408, "receive_time_limit_ms", limit, message))

    def _comes_fast_enough(self, limit: int) -> bool:
        """Whether the body arrives fast enough; never after the answer is complete."""
        if self._in_head or self.cycle is None or self.cycle.response_complete:
            return False
        needed = self.settings.body_bytes_per_s * limit / 1000
        return self._body_bytes - self._body_bytes_before >= needed

    # Answers.

    def _in_pieces(self, app: ASGIApp) -> ASGIApp:
        """The application, whose answers go to the transport piece by piece."""

        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            async def send_pieces(message: Message) -> None:
                body, more = message.get("body", b""), message.get("more_body", False)
                for end in range(PIECE, len(body), PIECE):
                    self._held = len(body) - end
                    await send({**message, "body": body[end - PIECE : end], "more_body": True})
                self._held = 0
                if len(body) > PIECE:
                    message = {**message, "body": body[-(len(body) % PIECE or PIECE) :], "more_body": more}
                await send(message)

            await app(scope, receive, send_pieces)

        return answer

    @property
    def unsent_bytes(self) -> int:
        """Bytes of the current answer that the system has not taken yet."""
        return self._held + self.transport.get_write_buffer_size()

    def _await_reader(self, milliseconds: int) -> None:
        if self._unread_alarm is not None:
            self._unread_alarm.cancel()
            self._unread_alarm = None
        if milliseconds:
            late = partial(self._time_out_reader, self.unsent_bytes)
            self._unread_alarm = self.loop.call_later(milliseconds / 1000, late)

    def _time_out_reader(self, before: int) -> None:
        """Disconnect a client that read too little since `before` bytes waited for it."""
        limit = self.settings.receive_time_limit_ms
        if before - self.unsent_bytes >= self.settings.body_bytes_per_s * limit / 1000:
            self._await_reader(limit)
        else:
            self._drop()

    def _bound_unsent(self) -> None:
        """Disconnect clients until the others' data is few enough; never the last one.

        Of the network with the most unsent bytes, the one goes first that has read nothing for longest.
        """
        waiting = [c for c in self.connections if isinstance(c, BoundedProtocol) and c._unread_since]
        unsent = Counter[str]()
        for connection in waiting:
            unsent[connection._network] += connection.unsent_bytes
        while len(waiting) > 1 and unsent.total() > self.settings.max_unsent_bytes:
            late = max(waiting, key=lambda one: (unsent[one._network], -one._unread_since))
            waiting.remove(late)
            unsent[late._network] -= late.unsent_bytes
            late._drop()

    def _drop(self) -> None:
        """Disconnect without sending what waits."""
        self._held, self._unread_since = 0, 0.0
        self.transport.abort()

    # Refusals and eviction.

    @property
    def idle(self) -> bool:
        """Whether the connection is reading and answering no request."""
        answered = self.cycle is None or self.cycle.response_complete
        return self._in_head and answered and not self.pipeline and not self.transport.is_closing()

    def _make_place(self) -> None:
        """Close a connection for this one: of the network with the most, and an idle one if there is one."""
        others = [other for other in self.connections if other is not self]
        idle = [other for other in others if isinstance(other, BoundedProtocol) and other.idle]
        is_full = len(others) - len(idle) >= self.settings.max_connections
        ours = self.networks[self._network] - 1
        if is_full and max(self.networks.values()) > ours + 1:
            busy = [other for other in others if isinstance(other, BoundedProtocol) and not other.idle]
            late = max(busy, key=BoundedProtocol._claim, default=self)
            self._is_extra = self.networks[late._network] <= ours + 1
            if not self._is_extra:
                late._refuse(self._too_many())
        else:
            self._is_extra = is_full
        if len(idle) > (RESERVED if is_full else 0):
            longest = max(idle, key=BoundedProtocol._claim)
            if self.networks[longest._network] >= ours:
                longest._make_room()

    def _claim(self) -> tuple[int, bool, float]:
        """The larger, the sooner this connection is closed for another one."""
        return self.networks[self._network], not self._in_head, -self._idle_since

    def _count(self, change: int) -> None:
        """Count this connection in its network, or count it no more."""
        self.networks[self._network] += change
        if not self.networks[self._network]:
            del self.networks[self._network]

    def _make_room(self) -> None:
        if self._is_extra:
            self._refuse(self._too_many())
        else:
            self.transport.close()

    def _too_many(self) -> ApiError:
        limit = self.settings.max_connections
        return over_limit(503, "max_connections", limit, "Too many connections are open.")

    def _refuse(self, error: ApiError) -> None:
        """Close the connection; send the error unless it would look like another answer."""
        if self.transport.is_closing():
            return
        self.tallies.refuse(error)
        if self.idle or self._is_unanswered:
            self.transport.write(_answer(error))
        if self.cycle is not None:
            self.cycle.disconnected = True
        self.transport.close()

    @property
    def _is_unanswered(self) -> bool:
        """Whether the request being received is the next to be answered, and still unanswered."""
        return not self._in_head and not self.pipeline and not self.cycle.response_started


def _answer(error: ApiError) -> bytes:
    body = json.dumps(error.body()).encode()
    more = "".join(f"{name}: {value}\r\n" for name, value in error.retry_headers.items())
    head = (
        f"HTTP/1.1 {error.status} {HTTPStatus(error.status).phrase}\r\ncontent-type: application/json\r\n{more}"
        f"content-length: {len(body)}\r\ncache-control: no-store\r\nconnection: close\r\n\r\n"
    )
    return head.encode() + body
