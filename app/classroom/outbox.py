"""What there is to say to one who listens. Who is slow gets the latest of each kind, never a queue of old ones."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from ..base.errors import ApiError
from ..wire.rooms import RoomServerMessage
from .members import Member
from .state import Actor

MOST_ERRORS = 8
"""Errors that wait to be sent; who makes more of them is not told of each."""


def as_text(message: RoomServerMessage | Mapping[str, Any]) -> str:
    """A message as it is sent, to one or to all."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"))


class Outbox:
    """The latest text about each thing, until it is taken."""

    def __init__(self) -> None:
        self._latest: dict[str, str] = {}
        self._ready = asyncio.Event()
        self._errors = 0
        self.closed: ApiError | None = None
        """Why the connection ends, once it does."""

    def put(self, about: str, text: str) -> None:
        """Replaces the text about the same thing that was not sent yet."""
        self._latest[about] = text
        self._ready.set()

    def put_error(self, error: ApiError) -> None:
        """What was asked for and cannot be."""
        self._errors = (self._errors + 1) % MOST_ERRORS
        self.put(f"error {self._errors}", as_text({"type": "error", **error.body()["error"]}))

    def close(self, reason: ApiError) -> None:
        """Ends the connection once what there is was sent."""
        self.closed = reason
        self._ready.set()

    @property
    def waiting(self) -> int:
        """How many texts wait to be sent."""
        return len(self._latest)

    async def take(self) -> list[str]:
        """What there is to send, as soon as there is something; nothing at the end."""
        await self._ready.wait()
        if self.closed is None:
            self._ready.clear()
        texts, self._latest = list(self._latest.values()), {}
        return texts


class Listener:
    """A connection to a room: who it is, and what is to be said to them."""

    def __init__(
        self, actor: Actor, name: str, member: Member | None = None, secret: str | None = None
    ) -> None:
        self.actor, self.name, self.member, self.secret = actor, name, member, secret
        self.outbox = Outbox()
        self.version = -1
        """The version of the room that they were welcomed with."""
