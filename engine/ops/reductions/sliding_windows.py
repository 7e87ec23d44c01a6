"""Windows that slide over a tensor: their number, their extent, and parts that fit the cache."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

from ...ir.types import Dimension
from ..core.op import Array, Constraint
from ..core.rules import format_list
from ..data_movement.pad import pad_array

BLOCK = 1 << 18
"""Elements that are worked on at once, so that they stay in the processor's cache."""
CALL = 1 << 12
"""Elements that NumPy works on in about the time that one call of it takes."""


@dataclass(frozen=True)
class Slide:
    """Windows along one dimension: size, stride, dilations and padding."""

    window: int
    stride: int = 1
    base_dilation: int = 1
    window_dilation: int = 1
    low: int = 0
    high: int = 0

    @property
    def reach(self) -> int:
        """The extent of a window in elements, from its first to its last."""
        return (self.window - 1) * self.window_dilation + 1

    def count(self, size: Dimension) -> Dimension:
        """`num_windows` of the specification."""
        if size is None:
            return None
        dilated = (size - 1) * self.base_dilation + 1 if size else 0
        whole = self.low + dilated + self.high
        return 0 if whole == 0 or self.reach > whole else (whole - self.reach) // self.stride + 1

    def extent(self, count: int) -> int:
        """The extent of `count` neighbouring windows in elements."""
        return (count - 1) * self.stride + self.reach

    def nth(self, number: int, count: int) -> slice:
        """Element `number` of each of `count` windows."""
        start = number * self.window_dilation
        return slice(start, start + (count - 1) * self.stride + 1, self.stride)

    @property
    def is_still(self) -> bool:
        """Whether windows are the elements themselves."""
        return self == Slide(1)


Slides = Sequence[Slide]
Padding = Sequence[Sequence[int]] | None


def slides(
    window_dimensions: Sequence[int],
    window_strides: Sequence[int] | None,
    base_dilations: Sequence[int] | None,
    window_dilations: Sequence[int] | None,
    padding: Padding,
) -> tuple[Slide, ...]:
    """The windows along each dimension; strides and dilations are 1 and paddings 0 unless stated."""
    ones = (1,) * len(window_dimensions)
    rows = padding if padding is not None else ((0, 0),) * len(window_dimensions)
    parts = zip(
        window_dimensions,
        window_strides or ones,
        base_dilations or ones,
        window_dilations or ones,
        rows,
        strict=True,
    )
    return tuple(Slide(*numbers, *row) for *numbers, row in parts)


def window_constraints(
    rank: int,
    numbers: Mapping[str, tuple[str, str, Sequence[int] | None]],
    padding_label: str,
    padding: Padding,
) -> Iterator[Constraint]:
    """Constraints that each attribute has a positive number, and padding two, for each dimension.

    `numbers` are attributes by name, each after the labels of the two rules.
    """
    for name, (counted, positive, found) in numbers.items():
        if found is not None:
            sentence = f"{name} needs {rank} elements, one for each dimension, not {len(found)}"
            yield counted, len(found) == rank, sentence
            yield (
                positive,
                all(number > 0 for number in found),
                f"{name} {format_list(found)} must be positive",
            )
    if padding is not None:
        sentence = (
            f"padding must have a low and a high value for each of {rank} dimensions, "
            f"not {format_list(map(format_list, padding))}"
        )
        yield padding_label, len(padding) == rank and all(len(row) == 2 for row in padding), sentence


def counts(found: Slides, shape: Sequence[Dimension]) -> tuple[Dimension, ...]:
    """The number of windows in each dimension."""
    return tuple(slide.count(size) for slide, size in zip(found, shape, strict=True))


def window_span(operand: Array, found: Slides, windows: Sequence[slice], fill: Array) -> Array:
    """The elements that some windows cover, with holes and padding filled; a view if there are none."""
    starts = [part.start * slide.stride - slide.low for slide, part in zip(found, windows, strict=True)]
    sizes = [slide.extent(part.stop - part.start) for slide, part in zip(found, windows, strict=True)]
    inside = (
        slide.base_dilation == 1 and start >= 0 and start + size <= limit
        for slide, start, size, limit in zip(found, starts, sizes, operand.shape, strict=True)
    )
    if all(inside):
        index: list[Any] = [slice(start, start + size) for start, size in zip(starts, sizes, strict=True)]
        return operand[(*index, ...)]
    low, interior = [-start for start in starts], [slide.base_dilation - 1 for slide in found]
    return pad_array(operand, fill, sizes, low, interior)


def blocks(found: Slides, number: Sequence[int], whole: Sequence[int] = ()) -> Iterator[tuple[slice, ...]]:
    """All windows, of which there are `number` in each dimension, in boxes that cover about `BLOCK` elements.

    Outer dimensions are cut first; dimensions that are `whole` are not, nor where boxes would overlap a lot.
    """
    box = list(number)
    if prod(map(Slide.extent, found, number)) <= BLOCK:
        yield tuple(slice(0, total) for total in number)
        return
    for axis, slide in enumerate(found):
        least = 1 if slide.reach <= slide.stride else 2 * slide.reach // slide.stride + 1
        if axis not in whole:
            others = prod(s.extent(n) for k, (s, n) in enumerate(zip(found, box, strict=True)) if k != axis)
            most = max(least, BLOCK // (others * slide.stride))
            pieces = -(-box[axis] // most)
            box[axis] = -(-box[axis] // pieces)
    starts = (range(0, total, size) for total, size in zip(number, box, strict=True))
    for corner in product(*starts):
        parts = zip(corner, box, number, strict=True)
        yield tuple(slice(at, min(at + size, total)) for at, size, total in parts)


def at_axis(axis: int, part: slice) -> tuple[Any, ...]:
    """The index that takes `part` of one axis and all of the others."""
    return (*(slice(None),) * axis, part)


def doubles(slide: Slide, count: int, others: int) -> bool:
    """Whether windows along an axis, with `others` elements across, are better made of halves than one by one.

    A window is made of runs of 1, 2, 4, … elements, which are computed for every place, also between windows.
    """
    runs = slide.window.bit_length() - 1 + slide.window.bit_count()
    return runs * (slide.extent(count) * others + CALL) < slide.window * (count * others + CALL)


def combinations(slide: Slide, count: int, others: int) -> int:
    """The number of combinations of two elements along an axis."""
    if doubles(slide, count, others):
        return 2 * slide.window.bit_length() * slide.extent(count) * others
    return slide.window * count * others
