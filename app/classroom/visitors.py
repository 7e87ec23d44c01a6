"""Limits of visitors without the token, whose exercises and playgrounds occupy the workers of everybody."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from ..base.errors import ApiError
from ..base.fair_shares import Shares, current_principal
from ..base.recent import Recent

MOST_AT_ONCE, OF_ONE_NETWORK = 32, 24
"""Maximum runs at the same time: of all visitors, and of those of one network."""
BY_ADDRESS = 600
"""Maximum runs in a minute; an address may be shared by a whole class."""


class Visitors:
    """The runs of visitors."""

    def __init__(self) -> None:
        self._recent, self._running = Recent(), Shares[object](MOST_AT_ONCE)

    @contextlib.contextmanager
    def turn(self, address: str) -> Iterator[None]:
        """Admit one run; raises `ApiError` 429 or 503 beyond the limits."""
        if self._recent.count(address) >= BY_ADDRESS:
            message = f"More than {BY_ADDRESS} runs came from this network within a minute."
            hint = "Wait a minute, then try again."
            raise ApiError(429, "visitors", message, hint=hint, parts=[str(BY_ADDRESS)])
        turn, principal = object(), current_principal()
        of_network = self._running.counts(principal)[0]
        if len(self._running) >= MOST_AT_ONCE or of_network >= OF_ONE_NETWORK:
            message = f"{of_network} visitors of this network, {len(self._running)} of all, run something at this moment."
            raise ApiError(
                503, "visitors_busy", message, hint="Try again in some seconds.",
                parts=[str(of_network), str(len(self._running))],
            )  # fmt: skip
        self._recent.note(address)
        self._running.add(turn, principal)
        try:
            yield
        finally:
            self._running.remove(turn)
