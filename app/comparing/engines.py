"""What a second engine must be able to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from ..processes.arrays import Array
from ..xla.engine import ALONE, Grid, Overrides, Versions

Function = Callable[..., object]
"""Takes the arguments of a program, and gives its results: an array, or a sequence of such."""


class SecondEngine(Protocol):
    """What `XlaEngine` does; a test may hand in one of its own. Each question raises `XlaFailed` where there is no answer."""

    seconds: float
    """How long a question may take."""

    def versions(self) -> Versions:
        """What answers."""

    def run(
        self,
        text: str,
        arguments: Sequence[Array] = (),
        overrides: Overrides | None = None,
        grid: Grid = ALONE,
    ) -> list[Array]:
        """The results of a program, compiled with all passes."""

    def run_emitted(
        self,
        text: str,
        arguments: Sequence[Array] = (),
        overrides: Overrides | None = None,
        grid: Grid = ALONE,
    ) -> list[Array]:
        """The results of HLO text as it is written."""

    def dump(self, text: str, directory: Path, overrides: Overrides | None = None) -> str:
        """The text after each pass into a directory; the optimised HLO."""
