"""Messages of the Debug Adapter Protocol: a length, a blank line, JSON.

A separate thread reads, so that a long move can be interrupted.
"""

import json
from collections.abc import Mapping
from queue import SimpleQueue
from threading import Event, Lock, Thread
from typing import Any, BinaryIO

MOST_HEADER, MOST_BODY = 4096, 64 << 20
INTERRUPTING = ("pause", "disconnect", "terminate")


class BadMessage(Exception):
    """Received bytes are not a message of the protocol; nothing after them can be read."""


def read_message(stream: BinaryIO) -> dict[str, Any] | None:
    """The next message; `None` at the end of the stream."""
    length = _length(stream)
    if length is None:
        return None
    body = stream.read(length)
    if len(body) < length:
        raise BadMessage(f"the stream ends {length - len(body):,} bytes before the message does")
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise BadMessage(f"a message is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise BadMessage("a message is an object")
    return found


def _length(stream: BinaryIO) -> int | None:
    length = None
    while line := stream.readline(MOST_HEADER):
        name, _, value = line.decode("latin-1").partition(":")
        if not line.strip() and length is not None:
            return length
        if name.strip().lower() == "content-length":
            if not value.strip().isdecimal() or int(value) > MOST_BODY:
                raise BadMessage(
                    f"Content-Length is a number up to {MOST_BODY:,}, not {value.strip()[:40]!r}"
                )
            length = int(value)
        elif line.strip() and not value:
            raise BadMessage(f"{line[:40]!r} is not a header: messages begin with Content-Length")
    return None


class Connection:
    """Send responses and events, and deliver requests in order."""

    def __init__(self, source: BinaryIO, sink: BinaryIO) -> None:
        self._source, self._sink = source, sink
        self._number, self._lock = 0, Lock()
        self._waiting: SimpleQueue[dict[str, Any] | BadMessage | None] = SimpleQueue()
        self.interrupted = Event()
        """Set as soon as the client requests a pause or the end, also during a move."""
        self.cancelled: set[int] = set()
        """Requests that the client has cancelled."""

    def start(self) -> None:
        """Start reading."""
        Thread(target=self._read, daemon=True, name="dap-reader").start()

    def _read(self) -> None:
        try:
            while (message := read_message(self._source)) is not None:
                if message.get("command") in INTERRUPTING:
                    self.interrupted.set()
                if message.get("command") == "cancel":
                    self.cancelled.add(message.get("arguments", {}).get("requestId", -1))
                self._waiting.put(message)
                if message.get("command") == "disconnect":
                    return  # nothing follows, and a blocked reader would keep the process alive
            self.interrupted.set()
            self._waiting.put(None)
        except (BadMessage, OSError, ValueError) as error:
            self.interrupted.set()
            self._waiting.put(error if isinstance(error, BadMessage) else None)

    def next_request(self) -> dict[str, Any] | None:
        """The next request; `None` after the client has left, `BadMessage` for invalid bytes."""
        while True:
            found = self._waiting.get()
            if isinstance(found, BadMessage):
                raise found
            if found is None or found.get("type") == "request":
                return found

    def event(self, name: str, body: Mapping[str, Any] | None = None) -> None:
        """Send an event to the client."""
        self._send({"type": "event", "event": name, **({"body": body} if body is not None else {})})

    def respond(self, request: Mapping[str, Any], body: Mapping[str, Any] | None = None) -> None:
        """Send the response to a request."""
        self._answer(request, True, {"body": body} if body is not None else {})

    def refuse(self, request: Mapping[str, Any], message: str, *, show: bool = True) -> None:
        """Send the error of a request; `show` it to the user."""
        error = {"id": 1, "format": "{text}", "variables": {"text": message}, "showUser": show}
        self._answer(request, False, {"message": message, "body": {"error": error}})

    def _answer(self, request: Mapping[str, Any], success: bool, rest: Mapping[str, Any]) -> None:
        head = {"type": "response", "request_seq": request.get("seq", 0), "success": success}
        self._send({**head, "command": request.get("command", ""), **rest})

    def _send(self, message: Mapping[str, Any]) -> None:
        with self._lock:
            self._number += 1
            body = json.dumps({"seq": self._number, **message}, ensure_ascii=False, allow_nan=False).encode()
            self._sink.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            self._sink.flush()
