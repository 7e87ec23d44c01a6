"""How far a command is, on standard error: one line that changes on a terminal, elsewhere a line now and then.

Nothing of it is coloured, so `NO_COLOR` has nothing to switch off. Where `CI` is set, or the terminal is a dumb one, a
line is never written over.
"""

from __future__ import annotations

import os
import sys
from time import monotonic
from typing import TextIO

TERMINAL_SECONDS = 0.1
"""Between two states of the line on a terminal, at least."""
LOG_SECONDS = 5.0
"""Between two lines elsewhere."""
_LONGEST = 100


class ProgressLine:
    """Tells how far something is; the first word comes after `patience` seconds."""

    def __init__(self, stream: TextIO | None = None, patience: float = 0.0, *, silent: bool = False) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._silent, self._rewrites, self._shown = silent, is_terminal(self._stream), False
        now = monotonic()
        self._due = now + (patience if self._rewrites else max(patience, LOG_SECONDS))

    def tell(self, words: str) -> None:
        """Says it, if it is time."""
        if self._silent or monotonic() < self._due:
            return
        if self._rewrites:
            self._stream.write(f"\r\x1b[K{words:.{_LONGEST}}")
        else:
            self._stream.write(f"hloscope: {words}\n")
        self._stream.flush()
        self._shown = self._rewrites
        self._due = monotonic() + (TERMINAL_SECONDS if self._rewrites else LOG_SECONDS)

    def end(self) -> None:
        """Takes the line of a terminal away."""
        if self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
            self._shown = False


def is_terminal(stream: TextIO) -> bool:
    """Whether a line can be written over."""
    return stream.isatty() and not os.environ.get("CI") and os.environ.get("TERM") != "dumb"
