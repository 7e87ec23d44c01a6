"""What a server counts while it runs: refusals by kind, and how long answers took. `/-/metrics` presents it."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection
from itertools import accumulate

from .errors import ApiError

BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds of the buckets of times, in seconds; the last bucket has none."""
MOST_KINDS = 200
"""Maximum kinds of refusals that are counted separately."""


class Times:
    """A histogram of times."""

    def __init__(self) -> None:
        self._counts = [0] * (len(BOUNDS) + 1)
        self.seconds = 0.0
        """The sum of all times."""

    def note(self, seconds: float) -> None:
        """Count a time."""
        self._counts[bisect_left(BOUNDS, seconds)] += 1
        self.seconds += seconds

    def buckets(self) -> list[tuple[str, float]]:
        """The upper bound of each bucket, and how many times are at most that."""
        names = [*map(str, BOUNDS), "+Inf"]
        return list(zip(names, map(float, accumulate(self._counts)), strict=True))


class Tallies:
    """The counts of one server."""

    def __init__(self) -> None:
        self.refusals = Counter[tuple[int, str]]()
        """Refused requests and sockets by status and by limit or kind; no text of a visitor is in it."""
        self.steps = Times()
        """Times of answers about recordings, which pages ask for at each step."""
        self.connections: Collection[object] = ()
        """The open connections of the server."""

    def refuse(self, error: ApiError) -> None:
        """Count a refusal."""
        name = (error.status, error.limit or error.kind)
        self.refusals[name if name in self.refusals or len(self.refusals) < MOST_KINDS else (0, "other")] += 1
