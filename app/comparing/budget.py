"""How long an inquiry may take, and whom it tells what it is doing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import TextIO

from hloscope.engine.limits import Limits

from ..base.progress_line import ProgressLine

SECONDS = 120.0


def _say_nothing(_: str) -> None:
    return


@dataclass
class Budget:
    """Counts from when it is made. What an inquiry has found by its end it tells, and says what it left out."""

    seconds: float = SECONDS
    tell: Callable[[str], None] = _say_nothing
    """Is told what is being done, in words; often, so that it must not take long."""
    _end: float = field(init=False)

    def __post_init__(self) -> None:
        self._end = monotonic() + self.seconds

    @property
    def left(self) -> float:
        """Seconds; never less than 0."""
        return max(0.0, self._end - monotonic())

    def within(self, limits: Limits) -> Limits:
        """The limits of a run of ours that must be over by then."""
        return replace(limits, run_seconds=min(limits.run_seconds, max(0.01, self.left)))

    @property
    def is_spent(self) -> bool:
        """Whether nothing more is to be begun."""
        return monotonic() >= self._end


@contextmanager
def told_to_terminal(stream: TextIO = sys.stderr) -> Iterator[Callable[[str], None]]:
    """What takes the words and shows the last ones in one line of a terminal; elsewhere in a line now and then."""
    line = ProgressLine(stream)
    try:
        yield lambda words: line.tell(f"{words} …")
    finally:
        line.end()
