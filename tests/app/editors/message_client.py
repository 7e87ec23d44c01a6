"""What clients of both protocols share: messages in frames, and waiting for one that is wanted."""

from __future__ import annotations

from collections.abc import Callable
from queue import Empty, Queue
from typing import IO, Any

SECONDS = 120
Message = dict[str, Any]


class MessageClient:
    """Keeps all that it is told, in order. A thread of the client's own puts what comes into `queue`, and None at the end."""

    def __init__(self, sink: IO[bytes]) -> None:
        self._sink = sink
        self.heard: list[Message] = []
        """Everything that came, in order."""
        self.queue: Queue[Message | None] = Queue()

    def send_bytes(self, body: bytes) -> None:
        """Sends the body of a message."""
        self._sink.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._sink.flush()

    def received(self, message: Message) -> None:
        """What is to be done at once with a message that came."""

    def wait(self, wanted: Callable[[Message], bool], start: int = 0) -> Message:
        """The first message from number `start` on that is wanted."""
        place = start
        while True:
            while place < len(self.heard):
                if wanted(self.heard[place]):
                    return self.heard[place]
                place += 1
            try:
                message = self.queue.get(timeout=SECONDS)
            except Empty:
                raise AssertionError(f"nothing came for {SECONDS} s; heard {self.heard[-3:]}") from None
            if message is None:
                raise AssertionError(f"the other side has ended; heard {self.heard[-3:]}")
            self.received(message)
            self.heard.append(message)
