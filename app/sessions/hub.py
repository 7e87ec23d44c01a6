"""Who listens to which session. A slow listener gets the latest state of each run, never a queue of old ones."""

from __future__ import annotations

import asyncio
from collections import defaultdict

from ..wire.live import ServerMessage


class Listener:
    """The latest message about each thing, until it is taken."""

    def __init__(self, *, reads: bool = False) -> None:
        self.reads = reads
        self._latest: dict[str, ServerMessage] = {}
        self._ready = asyncio.Event()

    def put(self, about: str, message: ServerMessage) -> None:
        """Replaces the message about the same subject that was not sent yet."""
        self._latest[about] = message
        self._ready.set()

    def put_first(self, about: str, message: ServerMessage) -> None:
        """What was so when it was asked for; news that came meanwhile stays."""
        self.put(about, self._latest.get(about, message))

    async def take(self) -> list[ServerMessage]:
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
        """The number of listeners of all sessions."""
        return sum(map(len, self._listeners.values()))

    def has_listeners(self, session: str) -> bool:
        """Whether the session has a listener."""
        return session in self._listeners

    def is_worked_on(self, session: str) -> bool:
        """Whether one of its listeners does more than read it by a link."""
        return any(not listener.reads for listener in self._listeners.get(session, ()))

    def join(self, session: str, *, reads: bool = False) -> Listener:
        """Adds a listener for the session; one who `reads` has come by a link."""
        listener = Listener(reads=reads)
        self._listeners[session].add(listener)
        return listener

    def leave(self, session: str, listener: Listener) -> None:
        """Removes a listener."""
        self._listeners[session].discard(listener)
        if not self._listeners[session]:
            del self._listeners[session]

    def tell(self, session: str, about: str, message: ServerMessage) -> None:
        """Tell everybody who listens to the session."""
        for listener in self._listeners.get(session, ()):
            listener.put(about, message)
