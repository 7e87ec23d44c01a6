"""Rate limit for wrong room codes, by browser and by address."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from ..base.cache import Cache
from ..base.errors import ApiError

SECONDS = 60.0
"""Period in which wrong codes are counted."""
BY_BROWSER, BY_ADDRESS = 10, 300
"""Maximum wrong codes in a period; an address may be shared by a whole class."""
MOST_KNOWN = 10_000
"""Maximum number of browsers and addresses in memory."""


class Guesses:
    """The wrong guesses of the last minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._wrong = Cache[str, deque[float]](MOST_KNOWN)

    def check(self, browser: str | None, address: str) -> None:
        """Raise `ApiError` 429 after too many wrong codes."""
        for name, most in self._counted(browser, address):
            if self._recent(name) >= most:
                raise ApiError(
                    429, "guesses", "Too many wrong codes were typed here.",
                    hint="Wait a minute, or ask for the link of the room.",
                )  # fmt: skip

    def note_wrong(self, browser: str | None, address: str) -> None:
        """Count a wrong code."""
        for name, _ in self._counted(browser, address):
            times = self._wrong.get(name) or deque()
            times.append(self._clock())
            self._wrong[name] = times

    def _counted(self, browser: str | None, address: str) -> list[tuple[str, int]]:
        named = [(f"browser {browser}", BY_BROWSER)] if browser else []
        return [*named, (f"address {address}", BY_ADDRESS)]

    def _recent(self, name: str) -> int:
        times = self._wrong.get(name)
        if times is None:
            return 0
        while times and times[0] <= self._clock() - SECONDS:
            times.popleft()
        return len(times)
