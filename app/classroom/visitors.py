"""Limits of visitors: of runs without the token, which occupy the workers of everybody, and of wrong room codes by address."""

import contextlib
import time
from collections.abc import Callable, Iterator

from ..base.cache import Cache
from ..base.errors import ApiError
from ..base.fair_shares import Shares, current_principal
from ..base.recent import Recent

WRONG_PER_MINUTE = 300
"""Wrong codes from an address in a minute, beyond which codes lead only to rooms of people at this address."""
MOST_KNOWN = 20_000
"""Maximum pairs of a room and an address in memory."""


class Guesses:
    """The wrong codes of the last minute, and the addresses at which rooms are known: guessing finds no room."""

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
