"""Counts of recent events by name, for limits of rates."""

import time
from collections import deque
from collections.abc import Callable

from .cache import Cache

SECONDS = 60.0
"""Period in which events are counted."""
MOST_KNOWN = 10_000
"""Maximum number of names in memory."""


class Recent:
    """The events of the last minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._times = Cache[str, deque[float]](MOST_KNOWN)

    def note(self, name: str) -> None:
        """Count an event."""
        times = self._times.get(name) or deque()
        times.append(self._clock())
        self._times[name] = times

    def count(self, name: str) -> int:
        """The number of recent events with a name."""
        times = self._times.get(name)
        if times is None:
            return 0
        while times and times[0] <= self._clock() - SECONDS:
            times.popleft()
        return len(times)
