"""The parts of a process's steps and frames that are iterations of loops that ran at once.

All other steps and frames have entries in the columns of the track: entry `n - k` of step `n`, if `k` steps before it
are in such parts.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from itertools import islice, takewhile

from ..events import Iterated, LoopStart
from .loop_values import ComputedBatches, LoopValues

Piece = tuple[LoopValues | None, slice, slice]
"""A loop or none, where the piece is in a range of steps or frames, and its offsets in the loop or its entries."""


class LoopParts:
    """Loops in the order in which they ran."""

    def __init__(self) -> None:
        self.loops: list[LoopValues] = []
        self.steps = self.frames = 0
        """Number of steps and frames of all loops."""
        self._before: list[tuple[int, int]] = []
        """The number of steps and frames of the loops before each one."""

    def add(self, told: Iterated, base: int, batches: ComputedBatches) -> LoopValues:
        """The loop with the iterations of an event: the last one, or a new one."""
        if self.loops and self.loops[-1].continues(told):
            self.loops[-1].extend(told)
        else:
            self._before.append((self.steps, self.frames))
            self.loops.append(LoopValues(told, base, batches))
        self.steps += told.iterations * len(told.loop.ops)
        self.frames += 2 * told.iterations
        return self.loops[-1]

    def starts_after(self, opener: int, iteration: int) -> list[LoopStart]:
        """The starts of the loop of a `while` step after an iteration."""
        at = bisect_left(self.loops, opener, key=lambda loop: loop.told.opener)
        same = takewhile(lambda loop: loop.told.opener == opener, islice(self.loops, at, None))
        return [start for loop in same for start in loop.starts if start.iteration > iteration]

    def step(self, step: int) -> tuple[LoopValues | None, int]:
        """The loop of a step and the offset there, or none and the entry."""
        if not self.loops:
            return None, step
        at = bisect_right(self.loops, step, key=_first_step) - 1
        if at < 0:
            return None, step
        loop = self.loops[at]
        if (offset := step - loop.told.step) < loop.step_count:
            return loop, offset
        return None, step - self._before[at][0] - loop.step_count

    def frame(self, frame: int) -> tuple[LoopValues | None, int]:
        """The loop of a frame and the offset there, or none and the entry."""
        at = bisect_right(self.loops, frame, key=_first_frame) - 1
        if at < 0:
            return None, frame
        loop = self.loops[at]
        if (offset := frame - loop.told.frame) < 2 * loop.iterations:
            return loop, offset
        return None, frame - self._before[at][1] - 2 * loop.iterations

    def step_pieces(self, start: int, stop: int) -> Iterator[Piece]:
        """The steps from `start` to `stop` as pieces."""
        return self._pieces(start, stop, self.step, _first_step, lambda loop: loop.step_count)

    def frame_pieces(self, start: int, stop: int) -> Iterator[Piece]:
        """The frames from `start` to `stop` as pieces."""
        return self._pieces(start, stop, self.frame, _first_frame, lambda loop: 2 * loop.iterations)

    def _pieces(
        self,
        start: int,
        stop: int,
        locate: Callable[[int], tuple[LoopValues | None, int]],
        first: Callable[[LoopValues], int],
        count: Callable[[LoopValues], int],
    ) -> Iterator[Piece]:
        begin = start
        while begin < stop:
            loop, at = locate(begin)
            if loop is not None:
                end = min(stop, first(loop) + count(loop))
            else:
                following = bisect_right(self.loops, begin, key=first)
                end = min(stop, first(self.loops[following])) if following < len(self.loops) else stop
            yield loop, slice(begin - start, end - start), slice(at, at + end - begin)
            begin = end


def _first_step(loop: LoopValues) -> int:
    return loop.told.step


def _first_frame(loop: LoopValues) -> int:
    return loop.told.frame
