"""What a cell shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.recording import Recording

from ..recorded.values import RecordedValue

HEIGHT = 620
"""Pixels of the cell."""


@dataclass(frozen=True)
class CellContent:
    """A recording, and what a cell has to know of it besides."""

    recording: Recording
    name: str
    html: Callable[[], str]
    """What is shown of it where no kernel runs."""
    find: Callable[[Address | str], RecordedValue]
    """A value by its address or name."""
