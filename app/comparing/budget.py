"""The time budget of an attribution, and its progress reports."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import TextIO

from hloscope.engine.limits import Limits

from ..base.progress_line import ProgressLine

SECONDS = 120.0


@dataclass
class Budget:
    """A time budget that starts now. At its end, results so far are reported with the omissions."""

    seconds: float = SECONDS
    tell: Callable[[str], None] = lambda _: None
    """Receives the current activity in words; often, so it must be fast."""
    _end: float = field(init=False)

    def __post_init__(self) -> None:
        self._end = monotonic() + self.seconds

    @property
    def left(self) -> float:
        """Remaining seconds; never less than 0."""
        return max(0.0, self._end - monotonic())

    def within(self, limits: Limits) -> Limits:
        """The limits of our own run that must end within the budget."""
        return replace(limits, run_seconds=min(limits.run_seconds, max(0.01, self.left)))

    @property
    def is_spent(self) -> bool:
        """Whether no new work may start."""
        return monotonic() >= self._end


@contextmanager
def told_to_terminal(stream: TextIO | None = None) -> Iterator[Callable[[str], None]]:
    """A progress reporter: one updated line on a terminal, occasional lines elsewhere."""
    line = ProgressLine(stream)
    try:
        yield lambda words: line.tell(f"{words} …")
    finally:
        line.end()
