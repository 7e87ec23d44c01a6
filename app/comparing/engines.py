"""The interface of a second engine, and an engine whose requests end with the time budget."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from ..processes.arrays import Array
from ..xla.engine import ALONE, Grid, Overrides, Versions
from ..xla.executor import Engine
from ..xla.failures import XlaTimedOut
from .budget import Budget

A = TypeVar("A")
LEAST_SECONDS = 1.0
"""Minimum remaining time for a new request: restarting XLA's process takes as long."""
Function = Callable[..., object]
"""Takes the arguments of a program; returns one result array or a sequence of them."""


class SecondEngine(Engine, Protocol):
    """The interface of `XlaEngine`, for tests too. Methods raise `XlaFailed` without a result."""

    seconds: float
    """Time limit of one request."""

    def dump(self, text: str, directory: Path, overrides: Overrides | None = None, grid: Grid = ALONE) -> str:
        """Dump the text after each pass into a directory; the optimised HLO."""


@dataclass
class TimedEngine:
    """Forward requests to another engine, within its own time limit and the budget."""

    engine: SecondEngine
    budget: Budget

    def __post_init__(self) -> None:
        self.seconds = self.engine.seconds

    def versions(self) -> Versions:
        """The versions of the engine."""
        return self.engine.versions()

    def run(
        self,
        text: str,
        arguments: Sequence[Array] = (),
        overrides: Overrides | None = None,
        grid: Grid = ALONE,
        *,
        as_written: bool = False,
    ) -> list[Array]:
        """The results of a program, compiled with all passes, or of HLO text as written, without passes."""
        return self._in_time(lambda: self.engine.run(text, arguments, overrides, grid, as_written=as_written))

    def optimize(self, text: str, overrides: Overrides | None = None, grid: Grid = ALONE) -> str:
        """The HLO of a program after all passes."""
        return self._in_time(lambda: self.engine.optimize(text, overrides, grid))

    def dump(self, text: str, directory: Path, overrides: Overrides | None = None, grid: Grid = ALONE) -> str:
        """Dump the text after each pass into a directory; the optimised HLO."""
        return self._in_time(lambda: self.engine.dump(text, directory, overrides, grid))

    def _in_time(self, ask: Callable[[], A]) -> A:
        own, left = self.engine.seconds, self.budget.left
        if left < LEAST_SECONDS:
            raise XlaTimedOut(left)
        self.engine.seconds = min(own, left)
        try:
            return ask()
        finally:
            self.engine.seconds = own
