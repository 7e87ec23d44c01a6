"""Cache of recent reads from the store, valid until the next write."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from time import monotonic
from typing import Any

MOST = 64
"""Maximum number of cached results."""
MOST_CHARACTERS = 1 << 20
"""Maximum characters of a cached text; larger programs are read each time."""
SECONDS = 1.0
"""Maximum age of cached results: another server may write to the same store."""


class RecalledReads:
    """Results by query; `writes` returns the number of the store's writes."""

    def __init__(self, writes: Callable[[], int]) -> None:
        self._writes = writes
        self._found: dict[Hashable, Any] = {}
        self._state, self._until = -1, 0.0

    def look(self) -> dict[Hashable, Any]:
        """The valid cached results."""
        state, now = self._writes(), monotonic()
        if state != self._state or now > self._until:
            self._found = {}
            self._state, self._until = state, now + SECONDS
        return self._found

    def keep(self, query: Hashable, result: Any, cache: dict[Hashable, Any]) -> None:
        """Cache a result that was read after `look` returned `cache`."""
        if cache is self.look() and len(cache) < MOST and _characters(result) <= MOST_CHARACTERS:
            cache[query] = result


def _characters(result: Any) -> int:
    """The number of characters of a result's text."""
    text = result if isinstance(result, str) else getattr(result, "draft", None)
    return len(text or "")
