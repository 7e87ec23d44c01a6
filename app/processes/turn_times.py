"""Estimate queue waiting times from the recent intervals between turns."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from time import monotonic

MOST = 16
OLD_SECONDS = 600.0
"""Maximum age of a turn that the estimate uses: later the programs are different ones."""


class TurnTimes:
    """Intervals between turns while a session waited, independent of the number of workers."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._pauses: deque[tuple[float, float]] = deque(maxlen=MOST)
        """The end and the length of each interval."""
        self._since = clock()

    def begin(self) -> None:
        """Note that the queue is no longer empty."""
        self._since = self._clock()

    def count(self) -> None:
        """Note that a waiting session got a worker."""
        now = self._clock()
        self._pauses.append((now, now - self._since))
        self._since = now

    def estimate(self, before: int) -> int | None:
        """Approximate seconds until the turn of a session with `before` sessions ahead; None without recent turns."""
        now = self._clock()
        pauses = [pause for at, pause in self._pauses if now - at < OLD_SECONDS]
        if not pauses:
            return None
        waited = now - self._since
        if waited > sum(pauses) / len(pauses):  # the next turn is late, and later ones may be too
            pauses.append(waited)
        typical = sum(pauses) / len(pauses)
        left = typical - waited if waited < typical else typical
        return _rough(before * typical + left)


def _rough(seconds: float) -> int:
    """Round to the precision of the estimate: to 1 up to 10 seconds, then to 5, from a minute on to 30."""
    unit = 1 if seconds <= 10 else 5 if seconds <= 60 else 30
    return max(1, unit * math.ceil(seconds / unit))
