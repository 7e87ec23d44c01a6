"""What a run tells whoever records it, in order.

These are calls and not objects: there are some hundred thousand a second.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from .ops.op import Array


@dataclass(slots=True)
class FrameEntered:
    """A function or a region begins; `opener` is the step that asked for it."""

    frame: int
    block: int
    parent: int | None
    opener: int | None
    iteration: int
    lanes: tuple[int, ...] | None
    arguments: tuple[Array, ...]


class Listener(Protocol):
    """Is told what happens."""

    def op_started(self, op: int, frame: int, depth: int) -> None:
        """The next step begins: an op of the frame `frame`, `depth` frames below the entry."""

    def op_finished(self, step: int, results: tuple[Array, ...]) -> None:
        """The op of step `step` has its results."""

    def frame_entered(self, entered: FrameEntered) -> None:
        """A function or a region begins."""

    def run_finished(self, results: tuple[Array, ...]) -> None:
        """The entry function has returned."""


class Unheard:
    """Listens to nothing but the end; loops over scalars may hurry then."""

    def __init__(self) -> None:
        self.results: tuple[Array, ...] = ()

    def op_started(self, op: int, frame: int, depth: int) -> None:
        """Not wanted."""

    def op_finished(self, step: int, results: tuple[Array, ...]) -> None:
        """Not wanted."""

    def frame_entered(self, entered: FrameEntered) -> None:
        """Not wanted."""

    def run_finished(self, results: tuple[Array, ...]) -> None:
        """Keeps what the entry function has returned."""
        self.results = results
