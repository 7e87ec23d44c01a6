"""How long those wait who wait for a worker, by how often somebody had their turn lately."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from time import monotonic

MOST = 16
OLD_SECONDS = 600.0
"""After so long nothing is concluded from a turn any more: other programs are run by then."""


class TurnTimes:
    """The pauses between two turns while somebody waited; however many workers there are, and whatever they do."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._pauses: deque[tuple[float, float]] = deque(maxlen=MOST)
        """When each ended, and how long it was."""
        self._since = clock()

    def begin(self) -> None:
        """Somebody waits, and nobody did before."""
        self._since = self._clock()

    def count(self) -> None:
        """Somebody who waited has their turn now."""
        now = self._clock()
        self._pauses.append((now, now - self._since))
        self._since = now

    def estimate(self, before: int) -> int | None:
        """Seconds until it is the turn of who has so many before them, roughly; None where nothing is known of late."""
        now = self._clock()
        pauses = [pause for at, pause in self._pauses if now - at < OLD_SECONDS]
        if not pauses:
            return None
        waited = now - self._since
        if waited > sum(pauses) / len(pauses):  # the next turn is late, and perhaps those after it
            pauses.append(waited)
        typical = sum(pauses) / len(pauses)
        left = typical - waited if waited < typical else typical
        return _rough(before * typical + left)


def _rough(seconds: float) -> int:
    """As exactly as it can be known, and not told anew each second: up to 10, in steps of 5, of 30 from a minute on."""
    unit = 1 if seconds <= 10 else 5 if seconds <= 60 else 30
    return max(1, unit * math.ceil(seconds / unit))
