"""How often somebody may guess a code. Of a class behind one address each browser has its own, smaller limit."""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable

from ..base.errors import ApiError

SECONDS = 60.0
BY_BROWSER, BY_ADDRESS = 10, 300
MOST_KNOWN = 10_000


class Guesses:
    """The wrong guesses of the last minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._wrong: OrderedDict[str, deque[float]] = OrderedDict()

    def check(self, browser: str | None, address: str) -> None:
        """Raises `ApiError` 429 where too many were wrong."""
        for name, most in self._counted(browser, address):
            if self._recent(name) >= most:
                raise ApiError(
                    429, "guesses", "Too many wrong codes were typed here.",
                    hint="Wait a minute, or ask for the link of the room.",
                )  # fmt: skip

    def note_wrong(self, browser: str | None, address: str) -> None:
        """One more."""
        for name, _ in self._counted(browser, address):
            self._wrong.setdefault(name, deque()).append(self._clock())
            self._wrong.move_to_end(name)
        while len(self._wrong) > MOST_KNOWN:
            self._wrong.popitem(last=False)

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
