"""Progress of a command on standard error: one line that is overwritten on a terminal, else a line now and then.

It has no colours, so `NO_COLOR` changes nothing. With `CI` set, or on a dumb terminal, lines are never overwritten.
"""

import os
import sys
from time import monotonic
from typing import TextIO

TERMINAL_SECONDS = 0.1
"""Minimum interval between updates on a terminal."""
LOG_SECONDS = 5.0
"""Interval between lines elsewhere."""
_LONGEST = 100


class ProgressLine:
    """Reports progress; the first report appears after `patience` seconds."""

    def __init__(self, stream: TextIO | None = None, patience: float = 0.0, *, silent: bool = False) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._silent, self._rewrites, self._shown = silent, is_terminal(self._stream), False
        now = monotonic()
        self._due = now + (patience if self._rewrites else max(patience, LOG_SECONDS))

    def tell(self, words: str) -> None:
        """Print `words`, unless the last report was too recent."""
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
        """Erase the line on a terminal."""
        if self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
            self._shown = False


def is_terminal(stream: TextIO) -> bool:
    """Whether lines can be overwritten."""
    return stream.isatty() and not os.environ.get("CI") and os.environ.get("TERM") != "dumb"
