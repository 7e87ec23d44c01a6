"""Windows combined by a body that NumPy has no routine for: all windows at once, dimension by dimension."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

import numpy as np

from ..core.op import Array
from .sliding_windows import Slide, Slides, at_axis, doubles, window_span

Arrays = tuple[Array, ...]


@dataclass(frozen=True, eq=False)
class Run:
    """The combinations of `length` elements each, one from every place along an axis on."""

    values: Arrays
    present: Array | None = None
    """The positions along the axis that have an element; `None` if padding counts as elements."""
    length: int = 1

    def part(self, axis: int, places: slice) -> Run:
        """The run at some places along the axis."""
        index = at_axis(axis, places)
        present = None if self.present is None else self.present[places]
        return Run(tuple(value[index] for value in self.values), present, self.length)

    def followed_by(self, other: Run, combined: Arrays, axis: int) -> Run:
        """The run with the elements of `other` after its own; `combined` is what the body made of both."""
        length = self.length + other.length
        if self.present is None or other.present is None:
            return Run(combined, None, length)
        here, there = (spread(run.present, axis, combined[0].ndim) for run in (self, other))
        parts = zip(combined, self.values, other.values, strict=True)
        values = tuple(
            np.where(here & there, both, np.where(here, left, right)) for both, left, right in parts
        )
        return Run(values, self.present | other.present, length)


@dataclass(frozen=True, eq=False)
class WindowPasses:
    """The state of combining windows pass by pass, immutable, so that a checkpoint can keep it.

    Dimensions are combined from the last to the first, which keeps the elements' order. Along each, windows are
    made of elements one by one or, where that takes fewer steps, of runs of 1, 2, 4, … elements.
    """

    slides: Slides
    number: tuple[int, ...]
    """The number of windows in each dimension."""
    initial: Arrays
    axis: int
    """The dimension that is combined now; -1 when only `initial` is left."""
    runs: Run
    windows: Run | None
    """The finished part of each window along the axis; `None` at first."""
    present: tuple[Array, ...] | None
    """For each dimension that is combined, which windows have elements, and for the others which places do;
    `None` if padding counts as elements."""
    pass_number: int = 0

    def arguments(self) -> Arrays:
        """The arguments of the body in this pass: values, then their successors."""
        left, right = self._pair
        return (*left.values, *right.values)

    @cached_property
    def _pair(self) -> tuple[Run, Run]:
        if self.axis < 0:
            shape = self.runs.values[0].shape
            return Run(tuple(np.broadcast_to(value, shape) for value in self.initial)), self.runs
        if self._takes and self.windows is not None:
            return self.windows, self._part(self.windows.length)
        apart = self.runs.length * self._slide.window_dilation
        return self.runs.part(self.axis, slice(None, -apart)), self.runs.part(self.axis, slice(apart, None))

    def after(self, answer: Arrays) -> WindowPasses | Arrays:
        """The next pass with the body's answer, or the results."""
        left, right = self._pair
        combined = tuple(np.broadcast_to(value, left.values[0].shape) for value in answer)
        if self.axis < 0:
            return self._results(left.values, combined)
        found = left.followed_by(right, combined, self.axis)
        following = (
            replace(self, windows=found, pass_number=self.pass_number + 1)
            if self._takes
            else replace(self, runs=found, pass_number=self.pass_number + 1)
        )
        return following.skip_known()

    def skip_known(self) -> WindowPasses:
        """The state at the next pass that needs the body, or at the end."""
        if self.axis < 0:
            return self
        if self.windows is None and self._takes:
            return replace(self, windows=self._part(0)).skip_known()
        if self.windows is None or self.windows.length < self._slide.window:
            return self
        following, present = self.axis - 1, self.present
        if present is not None and self.windows.present is not None:
            present = (*present[: self.axis], self.windows.present, *present[self.axis + 1 :])
        runs = Run(self.windows.values, None if present is None or following < 0 else present[following])
        return replace(self, axis=following, runs=runs, windows=None, present=present).skip_known()

    @property
    def _slide(self) -> Slide:
        return self.slides[self.axis]

    @property
    def _takes(self) -> bool:
        """Whether windows get one more run now; otherwise runs are made longer."""
        before = prod(self.runs.values[0].shape[: self.axis])
        others = before * prod(self.number[self.axis + 1 :])
        if not doubles(self._slide, self.number[self.axis], others):
            return True
        done = 0 if self.windows is None else self.windows.length
        return bool(self._slide.window & self.runs.length) and done < self.runs.length

    def _part(self, number: int) -> Run:
        return self.runs.part(self.axis, self._slide.nth(number, self.number[self.axis]))

    def _results(self, initial: Arrays, combined: Arrays) -> Arrays:
        if self.present is None:
            return combined
        masks = [spread(mask, axis, len(self.number)) for axis, mask in enumerate(self.present)]
        there = np.asarray(True)
        for mask in masks:
            there = there & mask
        return tuple(np.where(there, both, start) for both, start in zip(combined, initial, strict=True))


def first_window_pass(
    found: Slides, number: tuple[int, ...], inputs: Arrays, initial: Arrays, skips_padding: bool
) -> WindowPasses:
    """The first pass; there are windows. Padding and holes hold `initial`, or nothing."""
    boxes = [slice(0, count) for count in number]
    values = tuple(window_span(x, found, boxes, start) for x, start in zip(inputs, initial, strict=True))
    present = None
    if skips_padding:
        present = tuple(
            window_span(np.ones(size, np.bool_), [slide], [box], np.asarray(False))
            for size, slide, box in zip(inputs[0].shape, found, boxes, strict=True)
        )
    last = len(found) - 1
    runs = Run(values, present[last] if present else None)
    return WindowPasses(found, number, initial, last, runs, None, present).skip_known()


def spread(mask: Array | None, axis: int, rank: int) -> Array:
    """The mask reshaped to `rank` dimensions, along `axis` and of size 1 elsewhere."""
    assert mask is not None
    return mask.reshape([-1 if k == axis else 1 for k in range(rank)])
