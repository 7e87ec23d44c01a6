"""The interface of a second engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from ..processes.arrays import Array
from ..xla.engine import ALONE, Grid, Overrides, Versions

Function = Callable[..., object]
"""Takes the arguments of a program; returns one result array or a sequence of them."""


class SecondEngine(Protocol):
    """The interface of `XlaEngine`, for tests too. Methods raise `XlaFailed` without a result."""

    seconds: float
    """Time limit of one request."""

    def versions(self) -> Versions:
        """The versions of the engine."""

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
        """The results of HLO text without passes."""

    def dump(self, text: str, directory: Path, overrides: Overrides | None = None) -> str:
        """Dump the text after each pass into a directory; the optimised HLO."""
