"""The clock of retention: seconds during which a server ran on the data folder."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

Ticks = Callable[[], float]


class RunningClock:
    """Continues from the time that is stored.

    A machine's clock may be years ahead at one start and right at the next, and deleted data does not come back. This
    clock has no date: it counts while a server runs, and several servers at the same time do not make it faster.
    """

    def __init__(self, kept: str | None, ticks: Ticks = time.monotonic) -> None:
        self._start = _seconds(kept)
        self._ticks, self._began = ticks, ticks()

    def now(self) -> float:
        """The seconds so far; never decreasing."""
        return self._start + self._ticks() - self._began

    def later(self, kept: str | None) -> str:
        """The value to store: the maximum of this clock and the stored value."""
        return repr(max(_seconds(kept), self.now()))


def _seconds(kept: str | None) -> float:
    try:
        seconds = float(kept or 0)
    except ValueError:
        return 0.0
    return seconds if math.isfinite(seconds) else 0.0
