"""Collected answers of an ASGI application, for caches in front of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.types import Message, Send

from ..base.large_texts import PIECE


class CollectedAnswer:
    """A replacement for `send` that collects an answer.

    If the first message is `wanted`, the body is collected, and `finish` gets both and sends them. Any other answer is
    sent unchanged after a call of `pass_on`.
    """

    def __init__(
        self,
        send: Send,
        wanted: Callable[[Message], bool],
        finish: Callable[[Message, bytes], Awaitable[None]],
        pass_on: Callable[[], None],
    ) -> None:
        self._send, self._wanted, self._finish, self._pass_on = send, wanted, finish, pass_on
        self._start: Message = {}
        self._pieces: list[bytes] | None = None

    async def send(self, message: Message) -> None:
        """Handle a message of the application."""
        if message["type"] == "http.response.start":
            if self._wanted(message):
                self._start, self._pieces = message, []
                return
            self._pass_on()
        if self._pieces is None:
            await self._send(message)
            return
        self._pieces.append(bytes(message.get("body", b"")))
        if not message.get("more_body", False):
            await self._finish(self._start, b"".join(self._pieces))


def is_small_success(start: Message, most_bytes: int) -> bool:
    """Whether an answer with this start is a success with a body of at most `most_bytes`."""
    length = next((value for name, value in start["headers"] if name == b"content-length"), b"")
    return start["status"] == 200 and length.isdigit() and int(length) <= most_bytes


async def send_answer(start: Message, body: bytes, send: Send) -> None:
    """Send an answer; a large body goes in pieces, so that a slow client limits the buffer."""
    await send(
        {**start, "headers": list(start["headers"])}
    )  # a new list each time, because outer wrappers add headers to it
    for at in range(0, max(1, len(body)), PIECE):
        piece = body if len(body) <= PIECE else body[at : at + PIECE]
        await send({"type": "http.response.body", "body": piece, "more_body": at + PIECE < len(body)})
