"""The time that counts for what is kept: seconds that a server was seen running on the data folder."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

Ticks = Callable[[], float]


class RunningClock:
    """Goes on from where the store says that it has come to.

    The clock of a machine may be years ahead at one start and right at the next; nothing that is deleted by it comes
    back. This one knows no date: it counts while a server runs, and several at the same time do not make it faster.
    """

    def __init__(self, kept: str | None, ticks: Ticks = time.monotonic) -> None:
        self._start = _seconds(kept)
        self._ticks, self._began = ticks, ticks()

    def now(self) -> float:
        """Seconds, never fewer than before."""
        return self._start + self._ticks() - self._began

    def later(self, kept: str | None) -> str:
        """What to keep, where another server has kept something else meanwhile."""
        return repr(max(_seconds(kept), self.now()))


def _seconds(kept: str | None) -> float:
    try:
        seconds = float(kept or 0)
    except ValueError:
        return 0.0
    return seconds if math.isfinite(seconds) else 0.0
