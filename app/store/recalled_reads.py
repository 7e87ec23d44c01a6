"""What was read from the store lately: the same until something is written there."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from time import monotonic
from typing import Any

MOST = 64
MOST_CHARACTERS = 1 << 20
"""Of a text that is kept; larger programs are read each time."""
SECONDS = 1.0
"""After so long it is read again in any case: another server may write to the same store."""


class RecalledReads:
    """Results by what was asked; `writes` counts what the store has written."""

    def __init__(self, writes: Callable[[], int]) -> None:
        self._writes = writes
        self._found: dict[Hashable, Any] = {}
        self._state, self._until = -1, 0.0

    def look(self) -> dict[Hashable, Any]:
        """What is known and still true."""
        state, now = self._writes(), monotonic()
        if state != self._state or now > self._until:
            self._found = {}
            self._state, self._until = state, now + SECONDS
        return self._found

    def keep(self, asked: Hashable, result: Any, looked: dict[Hashable, Any]) -> None:
        """Note a result that was read after `look` gave `looked`."""
        if looked is self.look() and len(looked) < MOST and _characters(result) <= MOST_CHARACTERS:
            looked[asked] = result


def _characters(result: Any) -> int:
    """Of the text that a result is, or has."""
    text = result if isinstance(result, str) else getattr(result, "draft", None)
    return len(text or "")
