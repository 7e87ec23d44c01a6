"""What a run tells whoever records it, in order.

These are calls and not objects: there are some hundred thousand a second.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Protocol

from .ops.op import Array
from .scalar_loops import Outcome, ScalarLoop


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


@dataclass(frozen=True, slots=True)
class Iterated:
    """Whole iterations of a `while` over scalars, told together: two frames each, every step with its result."""

    loop: ScalarLoop
    outcome: Outcome
    step: int
    """The first of the steps."""
    frame: int
    """The first of the frames; condition and body take turns."""
    depth: int
    parent: int
    opener: int
    """The step of the `while`."""
    iteration: int


class Loops(Enum):
    """How somebody wants to hear of loops over scalars."""

    STEP_BY_STEP = auto()
    TOGETHER = auto()
    UNHEARD = auto()


class Listener(Protocol):
    """Is told what happens."""

    loops: Loops

    def op_started(self, op: int, frame: int, depth: int) -> None:
        """The next step begins: an op of the frame `frame`, `depth` frames below the entry."""

    def op_finished(self, step: int, results: tuple[Array, ...]) -> None:
        """The op of step `step` has its results."""

    def frame_entered(self, entered: FrameEntered) -> None:
        """A function or a region begins."""

    def iterated(self, told: Iterated) -> None:
        """Iterations have been done, if loops are to be told together."""

    def printed(self, step: int, text: str) -> None:
        """The op of step `step` has something to say."""

    def run_finished(self, results: tuple[Array, ...]) -> None:
        """The entry function has returned."""


class Unheard:
    """Listens to nothing but the end."""

    loops = Loops.UNHEARD

    def __init__(self) -> None:
        self.results: tuple[Array, ...] = ()

    def op_started(self, op: int, frame: int, depth: int) -> None:
        """Not wanted."""

    def op_finished(self, step: int, results: tuple[Array, ...]) -> None:
        """Not wanted."""

    def frame_entered(self, entered: FrameEntered) -> None:
        """Not wanted."""

    def iterated(self, told: Iterated) -> None:
        """Not wanted."""

    def printed(self, step: int, text: str) -> None:
        """Not wanted."""

    def run_finished(self, results: tuple[Array, ...]) -> None:
        """Keeps what the entry function has returned."""
        self.results = results
