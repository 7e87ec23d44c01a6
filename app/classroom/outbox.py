"""Outgoing messages of a listener; a slow one gets the latest of each kind, no backlog."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from ..base.errors import ApiError
from ..wire.rooms import RoomServerMessage
from .members import Member
from .state import Actor

MOST_ERRORS = 8
"""Maximum unsent errors; further ones replace the oldest."""


def as_text(message: RoomServerMessage | Mapping[str, Any]) -> str:
    """The JSON text of a message."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"))


class Outbox:
    """The latest unsent text about each subject."""

    def __init__(self) -> None:
        self._latest: dict[str, str] = {}
        self._ready = asyncio.Event()
        self._errors = 0
        self.closed: ApiError | None = None
        """The reason for closing the connection, once it is set."""

    def put(self, about: str, text: str) -> None:
        """Add a text; it replaces an unsent one about the same subject."""
        self._latest[about] = text
        self._ready.set()

    def put_error(self, error: ApiError) -> None:
        """Add the error of a refused message."""
        self._errors = (self._errors + 1) % MOST_ERRORS
        self.put(f"error {self._errors}", as_text({"type": "error", **error.body()["error"]}))

    def close(self, reason: ApiError) -> None:
        """Close the connection once all texts are sent."""
        self.closed = reason
        self._ready.set()

    @property
    def waiting(self) -> int:
        """The number of unsent texts."""
        return len(self._latest)

    async def take(self) -> list[str]:
        """The unsent texts, as soon as there are any; empty at the end."""
        await self._ready.wait()
        if self.closed is None:
            self._ready.clear()
        texts, self._latest = list(self._latest.values()), {}
        return texts


class Listener:
    """A connection to a room: its actor and its outgoing messages."""

    def __init__(
        self,
        actor: Actor,
        name: str,
        member: Member | None = None,
        secret: str | None = None,
        network: str = "",
    ) -> None:
        self.actor, self.name, self.member, self.secret = actor, name, member, secret
        self.network = network
        self.outbox = Outbox()
        self.version = -1
        """The version of the room in the welcome message."""
