"""Iterations of a scalar loop that ran at once: their steps, frames and values, by arithmetic.

Only the carried scalars at the start of each batch are stored. The steps and frames follow from the structure of an
iteration, and the values of a batch are computed again when one of them is requested.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice, takewhile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..events import Iterated, LoopStart
from ..ops.core.op import Array
from ..ops.core.values import read_only
from ..scalar_loops import Columns, Slots, value_at

Arrays = tuple[Array, ...]
Numbers = Any
"""Integers: one, or an array."""
_COMPUTED = 64
"""Maximum number of batches whose values stay computed."""
LOOP_BYTES = 2048
"""Memory of the iterations of one loop, about, without its starts."""
START_BYTES = 256
"""Memory of one start, about."""


class ComputedBatches:
    """The values of the batches that were requested last."""

    def __init__(self) -> None:
        self._columns: OrderedDict[tuple[int, int], Columns] = OrderedDict()

    def columns(self, loop: LoopValues, batch: int) -> Columns:
        """The values of each slot in the iterations of a batch, which begins at the start `batch`."""
        key = (loop.first_key, batch)
        found = self._columns.get(key)
        if found is None or len(next(iter(found.values()))) < loop.batch_size(batch):
            start, told = loop.starts[batch], loop.told
            found = told.loop.columns(start.values, told.outer, loop.batch_size(batch))
            self._columns[key] = found
            if len(self._columns) > _COMPUTED:
                self._columns.popitem(last=False)
        self._columns.move_to_end(key)
        return found


@dataclass
class LoopValues:
    """Consecutive iterations of one loop; `told` is the first event, and `extend` adds those that follow it."""

    told: Iterated
    base: int
    """The smallest key of the process."""
    batches: ComputedBatches
    starts: list[LoopStart] = field(init=False)
    end: LoopStart = field(init=False)

    def __post_init__(self) -> None:
        self.starts, self.end = list(self.told.starts), self.told.end
        self.told = replace(self.told, rows=())

    @property
    def iterations(self) -> int:
        """Number of iterations."""
        return self.end.iteration - self.told.iteration

    @property
    def step_count(self) -> int:
        """Number of steps."""
        return self.iterations * len(self.told.loop.ops)

    @property
    def nbytes(self) -> int:
        """Bytes that the iterations take, about."""
        return LOOP_BYTES + START_BYTES * len(self.starts)

    @property
    def first_key(self) -> int:
        """The smallest key of a step in these iterations."""
        return self.base + 2 * self.told.step

    def continues(self, told: Iterated) -> bool:
        """Whether an event reports the iterations that follow the last one of these, without a step between them."""
        return self.told.opener == told.opener and self.told.step + self.step_count == told.step

    def extend(self, told: Iterated) -> None:
        """Add the iterations of an event."""
        self.starts += told.starts
        self.end = told.end

    def batch_size(self, batch: int) -> int:
        """Number of iterations of a batch."""
        end = self.starts[batch + 1] if batch + 1 < len(self.starts) else self.end
        return end.iteration - self.starts[batch].iteration

    # Steps and frames, as offsets from the first ones.

    def ops(self, steps: Numbers) -> Numbers:
        """The op of each step."""
        ops = self.told.loop.ops
        return np.array(ops, np.uint32)[steps % len(ops)]

    def frames(self, steps: Numbers) -> Numbers:
        """The frame of each step: those of condition and body alternate."""
        iterations, places = np.divmod(steps, len(self.told.loop.ops))
        return self.told.frame + 2 * iterations + (places >= self._condition_steps)

    def frame_starts(self, frames: Numbers) -> Numbers:
        """The first step of each frame."""
        iterations, is_body = np.divmod(frames, 2)
        return (
            self.told.step + iterations * len(self.told.loop.ops) + is_body * np.int64(self._condition_steps)
        )

    def blocks(self, frames: Numbers) -> Numbers:
        """The block of each frame."""
        return np.array(self.told.loop.blocks, np.uint32)[frames % 2]

    @property
    def _condition_steps(self) -> int:
        return len(self.told.loop.condition_results) + 1

    # Values

    def get(self, key: int) -> Arrays | None:
        """The results of a step (even key) or arguments of a frame (odd key), if they are here."""
        number, is_frame = divmod(key - self.base, 2)
        return self._arguments(number) if is_frame else self._results(number)

    def scalars(self, steps: NDArray[np.intp], op: int) -> Iterator[tuple[Array, NDArray[np.intp]]]:
        """The real scalars that an op made in some of these ascending steps, batch by batch, and which steps those are."""
        ops = self.told.loop.ops
        if op in ops:
            place = self.told.loop.result_places[ops.index(op)]
            yield from self._scalars(place, (steps - self.told.step) // len(ops))

    def argument_scalars(
        self, frames: NDArray[np.intp], index: int
    ) -> Iterator[tuple[Array, NDArray[np.intp]]]:
        """The real scalars that are an argument of some of these frames of one block, and which frames those are."""
        loop, offsets = self.told.loop, frames - self.told.frame
        places = loop.body_arguments if offsets[-1] % 2 else loop.condition_arguments
        yield from self._scalars(places[index] if index < len(places) else None, offsets // 2)

    def _scalars(
        self, place: Slots | None, iterations: NDArray[np.intp]
    ) -> Iterator[tuple[Array, NDArray[np.intp]]]:
        of = np.flatnonzero((iterations >= 0) & (iterations < self.iterations))
        if not len(of) or not isinstance(place, int):
            return
        firsts = np.array([start.iteration for start in self.starts]) - self.told.iteration
        batches = np.searchsorted(firsts, iterations[of], "right") - 1
        for batch in np.unique(batches).tolist():
            column = self.batches.columns(self, batch)[place]
            if not _is_exact_in_f64(column):
                return
            inside = of[batches == batch]
            yield column[iterations[inside] - firsts[batch]], inside

    def _results(self, step: int) -> Arrays | None:
        places = self.told.loop.result_places
        iteration, position = divmod(step - self.told.step, len(places))
        place = places[position]
        if not 0 <= iteration < self.iterations or place is None:
            return None
        return (self._value(place, iteration),)

    def _arguments(self, frame: int) -> Arrays | None:
        iteration, is_body = divmod(frame - self.told.frame, 2)
        if not 0 <= iteration < self.iterations:
            return None
        loop = self.told.loop
        places = loop.body_arguments if is_body else loop.condition_arguments
        return tuple(self._value(place, iteration) for place in places)

    def _value(self, place: Slots, iteration: int) -> Array:
        wanted = self.told.iteration + iteration
        batch = bisect_right(self.starts, wanted, key=lambda start: start.iteration) - 1
        columns, at = self.batches.columns(self, batch), wanted - self.starts[batch].iteration
        return read_only(value_at(place, lambda slot: read_only(np.array(columns[slot][at]))))


def _is_exact_in_f64(column: Array) -> bool:
    """Whether f64 represents these numbers exactly."""
    if column.dtype.kind in "iu" and column.dtype.itemsize == 8:
        return (
            bool(np.all((column >= -(1 << 53)) & (column <= 1 << 53)))
            if column.dtype.kind == "i"
            else bool(np.all(column <= 1 << 53))
        )
    return column.dtype.kind not in "cO"


# The parts of a process's steps and frames that are iterations of loops that ran at once.
#
# All other steps and frames have entries in the columns of the track: entry `n - k` of step `n`, if `k` steps before it
# are in such parts.


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
