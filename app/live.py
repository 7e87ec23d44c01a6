"""Who listens to which session. A slow listener gets the latest state of each run, never a queue of old ones."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import Any

JSON = dict[str, Any]


class Listener:
    """The latest message about each thing, until it is taken."""

    def __init__(self) -> None:
        self._latest: dict[str, JSON] = {}
        self._ready = asyncio.Event()

    def put(self, about: str, message: JSON) -> None:
        """Replace what was to be said about the same thing."""
        self._latest[about] = message
        self._ready.set()

    async def take(self) -> list[JSON]:
        """What there is to say, as soon as there is something."""
        await self._ready.wait()
        self._ready.clear()
        messages, self._latest = list(self._latest.values()), {}
        return messages


class Hub:
    """The listeners of each session."""

    def __init__(self) -> None:
        self._listeners: defaultdict[str, set[Listener]] = defaultdict(set)

    @property
    def count(self) -> int:
        """How many listen."""
        return sum(map(len, self._listeners.values()))

    def listening(self, session: str) -> bool:
        """Whether anybody listens to the session."""
        return session in self._listeners

    def join(self, session: str) -> Listener:
        """A new listener."""
        listener = Listener()
        self._listeners[session].add(listener)
        return listener

    def leave(self, session: str, listener: Listener) -> None:
        """The listener is gone."""
        self._listeners[session].discard(listener)
        if not self._listeners[session]:
            del self._listeners[session]

    def tell(self, session: str, about: str, message: JSON) -> None:
        """Tell everybody who listens to the session."""
        for listener in self._listeners.get(session, ()):
            listener.put(about, message)
