"""Events of a run, in order, as calls to a listener.

They are calls and not objects because there are some hundred thousand a second.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from .ops.core.op import Array
from .ops.core.quiet import Signals
from .program import BoundOperation
from .scalar_loops import Columns, Rows, ScalarLoop, columns_of

Arrays = tuple[Array, ...]


@dataclass(slots=True)
class FrameEntered:
    """A function or a region begins; `opener` is the step that requested it."""

    frame: int
    block: int
    parent: int | None
    opener: int | None
    iteration: int
    lanes: tuple[int, ...] | None
    arguments: tuple[Array, ...]


@dataclass(frozen=True, slots=True)
class LoopStart:
    """The scalars with which an iteration of a scalar loop starts."""

    iteration: int
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Iterated:
    """Iterations of a scalar loop in one event: two frames each, every step with its result."""

    loop: ScalarLoop
    starts: Sequence[LoopStart]
    """The first iteration, and later ones if more than a batch ran."""
    end: LoopStart
    """The iteration after the last one."""
    outer: Mapping[int, Array]
    """The captured values."""
    rows: Rows
    """All slots of each iteration, if they are known."""
    step: int
    """The first step."""
    frame: int
    """The first frame; condition and body alternate."""
    depth: int
    parent: int
    opener: int
    """The step of the `while`."""

    @property
    def iteration(self) -> int:
        """The first iteration."""
        return self.starts[0].iteration

    @property
    def iterations(self) -> int:
        """Number of iterations."""
        return self.end.iteration - self.iteration

    def columns(self) -> Columns:
        """The values of each slot, of an event of one batch."""
        if self.rows:
            return columns_of(self.rows)
        return self.loop.columns(self.starts[0].values, self.outer, self.iterations)


class Loops(Enum):
    """The delivery of scalar loops to a listener: step by step, in batches, or without events."""

    STEP_BY_STEP = auto()
    TOGETHER = auto()
    IGNORED = auto()


class Listener:
    """Listens to a run: a method for each event, which here ignores it, except that it keeps the results at the end."""

    loops = Loops.IGNORED
    returned: tuple[Array, ...] = ()
    seconds: array[float] | None = None
    """To which the interpreter appends the duration of each step that it executes, loops that run at once excepted."""

    def op_waited(self, step: int, seconds: float) -> None:
        """The op of a step took some more seconds after it had waited."""

    def op_started(self, op: int, frame: int, depth: int) -> None:
        """The next step begins: an op of the frame `frame`, `depth` frames below the entry."""

    def op_finished(self, step: int, results: tuple[Array, ...]) -> None:
        """The op of step `step` has finished with these results."""

    def ops_finished(
        self, ops: Sequence[BoundOperation], frame: int, depth: int, step: int, results: Sequence[Array]
    ) -> None:
        """The steps from `step` on, of consecutive ops in a frame, have begun and finished with a small result each."""
        for number, (bound, result) in enumerate(zip(ops, results, strict=True), step):
            self.op_started(bound.id, frame, depth)
            self.op_finished(number, (result,))

    def op_suspected(
        self,
        step: int,
        frame: int,
        bound: BoundOperation,
        operands: Arrays,
        results: Arrays,
        signals: Signals,
    ) -> None:
        """The op of step `step`, which is about to finish, may have a fault. The listener may not have heard of the step yet.

        The processor raised flags, or the op is checked after each step.
        """

    def frame_entered(self, entered: FrameEntered) -> None:
        """A frame of a function or a region has begun."""

    def known_starts(self, opener: int, start: LoopStart) -> Sequence[LoopStart]:
        """Later iterations of the loop of a `while` step whose carried values are known from an earlier recording."""
        return ()

    def loop_iterated(self, told: Iterated) -> None:
        """Iterations of a scalar loop ran, for listeners that receive them in batches."""

    def loop_suspected(self, told: Iterated, signals: Signals) -> None:
        """The processor raised flags during the iterations of a batched loop."""

    def op_printed(self, step: int, text: str) -> None:
        """The op of step `step` prints `text`."""

    def run_finished(self, results: tuple[Array, ...]) -> None:
        """The entry function has returned these results."""
        self.returned = results
