"""Rate limit for wrong room codes, by browser and by address."""

from __future__ import annotations

import time
from collections.abc import Callable

from ..base.errors import ApiError
from ..base.recent import Recent

BY_BROWSER, BY_ADDRESS = 10, 300
"""Maximum wrong codes in a minute; an address may be shared by a whole class."""


class Guesses:
    """The wrong guesses of the last minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._wrong = Recent(clock)

    def check(self, browser: str | None, address: str) -> None:
        """Raise `ApiError` 429 after too many wrong codes."""
        for name, most in self._counted(browser, address):
            if self._wrong.count(name) >= most:
                raise ApiError(
                    429, "guesses", "Too many wrong codes were typed here.",
                    hint="Wait a minute, or ask for the link of the room.",
                )  # fmt: skip

    def note_wrong(self, browser: str | None, address: str) -> None:
        """Count a wrong code."""
        for name, _ in self._counted(browser, address):
            self._wrong.note(name)

    def _counted(self, browser: str | None, address: str) -> list[tuple[str, int]]:
        named = [(f"browser {browser}", BY_BROWSER)] if browser else []
        return [*named, (f"address {address}", BY_ADDRESS)]
