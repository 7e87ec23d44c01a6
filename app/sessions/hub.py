"""Listeners of sessions; a slow one gets the latest state of each run, never a backlog."""

from __future__ import annotations

import asyncio
from collections import defaultdict

from ..base.errors import ApiError, over_limit
from ..base.fair_shares import Full, Shares, current_principal
from ..wire.live import ServerMessage


class Listener:
    """The latest unsent message about each subject."""

    def __init__(self, link: str | None = None) -> None:
        self.link = link
        """The read-only link that the listener came by."""
        self.dismissed: ApiError | None = None
        """Why the listener receives no more messages."""
        self._latest: dict[str, ServerMessage] = {}
        self._ready = asyncio.Event()

    def put(self, about: str, message: ServerMessage) -> None:
        """Add a message; it replaces an unsent one about the same subject."""
        self._latest[about] = message
        self._ready.set()

    def put_first(self, about: str, message: ServerMessage) -> None:
        """Add an initial state, unless a newer message about the subject is waiting."""
        self.put(about, self._latest.get(about, message))

    async def take(self) -> list[ServerMessage]:
        """The unsent messages, as soon as there is one."""
        await self._ready.wait()
        self._ready.clear()
        messages, self._latest = list(self._latest.values()), {}
        return messages

    def dismiss(self, reason: ApiError) -> None:
        """Send the listener the reason, and nothing after it."""
        self.dismissed = reason
        self._latest.clear()
        self._ready.set()


class Hub:
    """The listeners of each session, at most `most`; beyond that, the principal with the most listeners loses one."""

    def __init__(self, most: int) -> None:
        self._places = Shares[Listener](most)
        self._listeners: defaultdict[str, set[Listener]] = defaultdict(set)

    @property
    def count(self) -> int:
        """The number of listeners of all sessions."""
        return len(self._places)

    def has_listeners(self, session: str) -> bool:
        """Whether the session has a listener."""
        return session in self._listeners

    def is_worked_on(self, session: str) -> bool:
        """Whether the session has a listener that is not a link holder."""
        return any(listener.link is None for listener in self._listeners.get(session, ()))

    def link_holders(self) -> list[Listener]:
        """The listeners of all sessions that came by a link."""
        return [one for listeners in self._listeners.values() for one in listeners if one.link is not None]

    def join(self, session: str, link: str | None = None) -> Listener:
        """Add a listener for the session, of a page or of the holder of a link; `ApiError` if there are too many."""
        listener = Listener(link)
        try:
            late = self._places.admit(listener, current_principal())
        except Full:
            raise self._too_many() from None
        if late is not None:
            late.dismiss(self._too_many())
        self._listeners[session].add(listener)
        return listener

    def _too_many(self) -> ApiError:
        most = self._places.most
        return over_limit(429, "max_sockets", most, "The limit max_sockets of open pages is reached.")

    def leave(self, session: str, listener: Listener) -> None:
        """Remove a listener."""
        self._places.remove(listener)
        self._listeners[session].discard(listener)
        if not self._listeners[session]:
            del self._listeners[session]

    def notify(self, session: str, about: str, message: ServerMessage) -> None:
        """Send a message to all listeners of the session."""
        for listener in self._listeners.get(session, ()):
            listener.put(about, message)
