"""Limit of wrong room codes by address: who guesses finds no room, and a class keeps its own."""

from __future__ import annotations

import time
from collections.abc import Callable

from ..base.cache import Cache
from ..base.recent import Recent

WRONG_PER_MINUTE = 300
"""Wrong codes from an address in a minute, beyond which codes lead only to rooms of people at this address."""
MOST_KNOWN = 20_000
"""Maximum pairs of a room and an address in memory."""


class Guesses:
    """The wrong codes of the last minute, and the addresses at which rooms are known."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._wrong = Recent(clock)
        self._known = Cache[tuple[str, str], bool](MOST_KNOWN)

    def may_find(self, room: str | None, network: str) -> bool:
        """Whether a code may lead from an address to a room, by its hash; None: to no room."""
        if self._wrong.count(network) < WRONG_PER_MINUTE:
            return True
        return room is not None and self._known.get((room, network)) is not None

    def note_wrong(self, network: str) -> None:
        """Count a wrong code."""
        self._wrong.note(network)

    def note_known(self, room: str, network: str) -> None:
        """Note that somebody at an address has opened a room, or is in it."""
        self._known[room, network] = True
