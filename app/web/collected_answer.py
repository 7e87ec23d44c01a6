"""The answer of an ASGI application as a whole, before it goes to whoever asked: what is in front of it may keep it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.types import Message, Send

from ..base.large_texts import PIECE


class CollectedAnswer:
    """Stands where the application sends to.

    Of an answer that is `wanted`, by its first message, the body is collected; `finish` gets both and sends them. Any
    other goes on as it comes, and `pass_on` is told.
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
        """What the application sends."""
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
    """Whether an answer that begins so is a success, whose body has at most so many bytes."""
    length = next((value for name, value in start["headers"] if name == b"content-length"), b"")
    return start["status"] == 200 and length.isdigit() and int(length) <= most_bytes


async def send_answer(start: Message, body: bytes, send: Send) -> None:
    """Sends an answer, a large body in pieces: no more is on its way than a slow reader takes."""
    await send(
        {**start, "headers": list(start["headers"])}
    )  # who adds headers of their own does so once for each
    for at in range(0, max(1, len(body)), PIECE):
        piece = body if len(body) <= PIECE else body[at : at + PIECE]
        await send({"type": "http.response.body", "body": piece, "more_body": at + PIECE < len(body)})
