"""The contents of a cell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.recording import Recording

from ...runs.recorded.values import RecordedValue

HEIGHT = 620
"""Height of the cell in pixels."""


@dataclass(frozen=True)
class CellContent:
    """A recording with the settings of its cell."""

    recording: Recording
    name: str
    html: Callable[[], str]
    """The static view for display without a kernel."""
    find: Callable[[Address | str], RecordedValue]
    """A value by its address or name."""
