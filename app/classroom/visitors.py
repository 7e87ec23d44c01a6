"""Limits of visitors without the token, whose exercises and playgrounds occupy the workers of everybody."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from ..base.errors import ApiError
from ..base.recent import Recent

MOST_AT_ONCE = 32
"""Maximum runs of all visitors at the same time."""
BY_ADDRESS = 600
"""Maximum runs in a minute; an address may be shared by a whole class."""


class Visitors:
    """The runs of visitors."""

    def __init__(self) -> None:
        self._recent, self._running = Recent(), 0

    @contextlib.contextmanager
    def turn(self, address: str) -> Iterator[None]:
        """Admit one run; raises `ApiError` 429 or 503 beyond the limits."""
        if self._recent.count(address) >= BY_ADDRESS:
            message = f"More than {BY_ADDRESS} runs came from this network within a minute."
            raise ApiError(429, "visitors", message, hint="Wait a minute, then try again.")
        if self._running >= MOST_AT_ONCE:
            message = f"{MOST_AT_ONCE} visitors of this server run something at this moment."
            raise ApiError(503, "visitors", message, hint="Try again in some seconds.")
        self._recent.note(address)
        self._running += 1
        try:
            yield
        finally:
            self._running -= 1
