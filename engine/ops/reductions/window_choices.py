"""Choices of the windows of a tensor: the chosen element of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from ...ir.attributes import EnumAttribute
from ...ir.element_types import ElementType
from ...ir.module import Region
from ..core.bodies import Combiner
from ..core.numeric import widen
from ..core.op import Array
from .sliding_windows import Slide, Slides, blocks, counts
from .window_folds import WindowFold
from .window_passes import WindowPasses, first_window_pass

Box = tuple[slice, ...]
LONG = 255
"""Windows of more elements are compared along one dimension after another."""


@dataclass(frozen=True)
class Selection:
    """Windows that are not dilated over a tensor of `shape`. Padding is never chosen."""

    slides: Slides
    shape: tuple[int, ...]
    element_type: ElementType

    @cached_property
    def met(self) -> Box:
        """The windows that have elements."""
        number = counts(self.slides, self.shape)
        parts = zip(self.slides, self.shape, number, strict=True)
        return tuple(_nonempty_windows(slide, size, int(count or 0)) for slide, size, count in parts)

    @cached_property
    def met_shape(self) -> tuple[int, ...]:
        """The number of these windows in each dimension."""
        return tuple(part.stop - part.start for part in self.met)

    @cached_property
    def length(self) -> int:
        """The number of positions in a window."""
        return prod(slide.window for slide in self.slides)

    @property
    def is_padded(self) -> bool:
        """Whether a window may have places without an element."""
        return any(slide.low > 0 or slide.high > 0 for slide in self.slides)

    def step(self, number: int, box: Box) -> tuple[Box, Box] | None:
        """The windows of `box` that have an element at place `number`, counted from its start, and these
        elements; `None` if there are none.
        """
        windows, elements = [], []
        place = np.unravel_index(number, [slide.window for slide in self.slides])
        for slide, size, part, at in zip(self.slides, self.shape, box, map(int, place), strict=True):
            first = max(part.start, -((at - slide.low) // slide.stride))
            last = min(part.stop - 1, (size - 1 + slide.low - at) // slide.stride)
            if first > last:
                return None
            windows.append(slice(first - part.start, last - part.start + 1))
            start = first * slide.stride + at - slide.low
            elements.append(slice(start, start + (last - first) * slide.stride + 1, slide.stride))
        return tuple(windows), tuple(elements)

    def first(self, operand: Array, box: Box) -> tuple[Array, Array]:
        """For the windows of `box` their first elements, and at which places these are."""
        places = [
            np.maximum(0, slide.low - np.arange(part.start, part.stop) * slide.stride)
            for slide, part in zip(self.slides, box, strict=True)
        ]
        index = [
            place + np.arange(part.start, part.stop) * slide.stride - slide.low
            for place, slide, part in zip(places, self.slides, box, strict=True)
        ]
        number: Array = np.zeros((1,) * len(box), np.int64)
        for axis, place in enumerate(np.ix_(*places)):
            number = number + place * prod(other.window for other in self.slides[axis + 1 :])
        shape = tuple(part.stop - part.start for part in box)
        kind = np.min_scalar_type(self.length - 1)
        return np.asarray(operand[np.ix_(*index)]), np.broadcast_to(number, shape).astype(kind)

    def cells(self, places: Array) -> Array:
        """The flat positions of the elements that are at `places` of the windows that have elements."""
        base: Array = np.zeros((1,) * len(self.shape), np.int64)
        offsets: Array = np.zeros((1,) * len(self.shape), np.int64)
        for axis, (slide, part) in enumerate(zip(self.slides, self.met, strict=True)):
            spread, row = (
                [-1 if k == axis else 1 for k in range(len(self.shape))],
                prod(self.shape[axis + 1 :]),
            )
            starts = np.arange(part.start, part.stop) * slide.stride - slide.low
            base = base + (starts * row).reshape(spread)
            offsets = offsets + (np.arange(slide.window) * row).reshape(spread)
        return np.asarray(offsets.reshape(-1)[places] + base)


def _nonempty_windows(slide: Slide, size: int, count: int) -> slice:
    if size == 0:
        return slice(0, 0)
    first = max(0, -((slide.window - 1 - slide.low) // slide.stride))
    last = min(count - 1, (size - 1 + slide.low) // slide.stride)
    return slice(first, max(first, last + 1))


def chosen_positions(operand: Array, selection: Selection, compare: np.ufunc) -> Array:
    """The flat positions of the chosen elements: an element is kept while `compare` holds of it and the next one.

    So the element behind the last NaN is kept for a while, whatever came before.
    """
    if selection.length > LONG:
        return _chosen_by_axes(operand, selection, compare)
    places = np.empty(selection.met_shape, np.uint8)
    corner = [part.start for part in selection.met]
    for box, found in chosen_in_blocks(operand, selection, compare):
        index: list[Any] = [slice(p.start - at, p.stop - at) for p, at in zip(box, corner, strict=True)]
        places[(*index, ...)] = found
    return selection.cells(places)


def chosen_in_blocks(operand: Array, selection: Selection, compare: np.ufunc) -> Iterator[tuple[Box, Array]]:
    """Yield the chosen positions within windows of at most `LONG` elements, one box of windows at a time.

    `chosen_positions` yields positions in the tensor.
    """
    combiner = Combiner.MAXIMUM if compare in (np.greater, np.greater_equal) else Combiner.MINIMUM
    fold = WindowFold(combiner, selection.slides, selection.shape, selection.element_type, True)
    best = fold.evaluate(operand)
    corner = [part.start for part in selection.met]
    for box in blocks(selection.slides, selection.met_shape):
        moved = tuple(slice(p.start + at, p.stop + at) for p, at in zip(box, corner, strict=True))
        index: tuple[Any, ...] = (*moved, ...)
        extremes = widen(best[index])
        if extremes.dtype.kind == "f" and np.isnan(extremes).any():
            yield moved, _kept_position(operand, selection, compare, moved)
        else:
            first = compare in (np.greater_equal, np.less_equal)
            yield moved, _equal(operand, selection, extremes, moved, first=first)


def _equal(operand: Array, selection: Selection, extremes: Array, box: Box, *, first: bool) -> Array:
    """The place of the first (or last) element that is equal to the window's extreme."""
    ranks: Array = np.zeros(extremes.shape, np.uint8)
    for number in range(selection.length):
        found = selection.step(number, box)
        if found is not None:
            windows, elements = found
            is_equal = np.asarray(widen(operand[elements]) == extremes[windows])
            rank = np.uint8(selection.length - number if first else number + 1)
            index: tuple[Any, ...] = (*windows, ...)
            np.maximum(ranks[index], np.multiply(is_equal.view(np.uint8), rank), out=ranks[index])
    return np.asarray(np.uint8(selection.length) - ranks if first else ranks - np.uint8(1))


def _kept_position(operand: Array, selection: Selection, compare: np.ufunc, box: Box) -> Array:
    """The position of the element that each window keeps, comparing one by one."""
    kept, places = selection.first(operand, box)
    kept = widen(kept)
    for number in range(0 if selection.is_padded else 1, selection.length):
        found = selection.step(number, box)
        if found is not None:
            windows, elements = found
            candidates = widen(operand[elements])
            better = np.logical_not(compare(kept[windows], candidates))
            np.copyto(kept[windows], candidates, where=better)
            np.copyto(places[windows], number, where=better, casting="unsafe")
    return places


def _chosen_by_axes(operand: Array, selection: Selection, compare: np.ufunc) -> Array:
    """Find `chosen_positions` of long windows: the choice of two runs of elements follows from that of each, and
    from
    whether the second one has a NaN.
    """
    values = widen(operand)
    positions = np.arange(values.size).reshape(values.shape)
    columns = (
        values,
        positions,
        np.isnan(values) if values.dtype.kind == "f" else np.zeros(values.shape, bool),
    )
    number = tuple(int(count or 0) for count in counts(selection.slides, selection.shape))
    initial = tuple(np.zeros((), column.dtype) for column in columns)
    passes = first_window_pass(selection.slides, number, columns, initial, selection.is_padded)
    while passes.axis >= 0:
        value, at, has_nan, other, other_at, other_has_nan = passes.arguments()
        keeps = compare(value, other) & ~other_has_nan
        following = passes.after(
            (np.where(keeps, value, other), np.where(keeps, at, other_at), has_nan | other_has_nan)
        )
        assert isinstance(following, WindowPasses)
        passes = following
    return np.asarray(passes.runs.values[1][selection.met])


@dataclass(frozen=True, eq=False)
class Choosing:
    """The immutable state of windows that choose by a body without a NumPy routine."""

    kept: Array
    places: Array
    number: int
    """The place in the window whose element is compared next."""

    def after(self, windows: Box, candidates: Array, keeps: Array) -> Choosing:
        """The state after the elements of some windows were compared."""
        kept, places = self.kept.copy(), self.places.copy()
        better = np.logical_not(np.broadcast_to(keeps, candidates.shape))
        np.copyto(kept[windows], candidates, where=better)
        np.copyto(places[windows], self.number, where=better, casting="unsafe")
        return replace(self, kept=kept, places=places, number=self.number + 1)


def comparison(body: Region) -> np.ufunc | None:
    """The comparison that `body` makes of its first and second argument, if it does nothing else."""
    if len(body.blocks) != 1 or len(body.block.operations) != 2:
        return None
    compare, returned = body.block.operations
    direction, order = (compare.attribute(name) for name in ("comparison_direction", "compare_type"))
    if compare.name != "stablehlo.compare" or not isinstance(direction, EnumAttribute):
        return None
    if isinstance(order, EnumAttribute) and order.value == "TOTALORDER":
        return None
    names = [value.name for value in body.block.arguments]
    given = [value.name for value in compare.operands]
    if [value.name for value in returned.operands] != [value.name for value in compare.results]:
        return None
    return _COMPARISONS.get((direction.value, given == names)) if sorted(given) == sorted(names) else None


_COMPARISONS = {
    ("GE", True): np.greater_equal,
    ("GT", True): np.greater,
    ("LE", True): np.less_equal,
    ("LT", True): np.less,
    ("GE", False): np.less_equal,
    ("GT", False): np.less,
    ("LE", False): np.greater_equal,
    ("LT", False): np.greater,
}
"""By direction, and whether the arguments are in their order."""
