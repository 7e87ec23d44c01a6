"""Boxes with strides in a tensor: a nonempty progression of indices for each dimension."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from math import prod

import numpy as np

from ..core.linearization import matching_groups
from ..evaluation.array_values import BoolArray, Int64Array
from .progressions import TooManyParts, combine, intersect, join, progression, subtract

Shape = tuple[int, ...]
Box = tuple[range, ...]
"""The indices of each dimension; none is empty."""

MAX_BOXES = 32
"""Maximum number of boxes in a set; larger sets are stored as positions or as a mask."""


def positions_of(box: Box, shape: Shape) -> Int64Array:
    """The row-major positions of a box, in the box's row-major order."""
    found = np.zeros(1, np.int64)
    for numbers, size in zip(box, shape, strict=True):
        along = np.arange(numbers.start, numbers.stop, numbers.step, dtype=np.int64)
        found = (found[:, None] * size + along).reshape(-1)
    return found


def intersect_boxes(left: Box, right: Box) -> Box | None:
    """The intersection of two boxes; `None` if it is empty."""
    found = []
    for mine, its in zip(left, right, strict=True):
        both = mine if mine == its else intersect(mine, its)
        if not both:
            return None
        found.append(both)
    return tuple(found)


def unite_boxes(left: tuple[Box, ...], right: tuple[Box, ...]) -> tuple[Box, ...] | None:
    """Disjoint boxes of the union; `None` if there are too many."""
    added = subtract_boxes(right, left)
    if added is None:
        return None
    boxes = list(left)
    for box in added:
        _add(boxes, box)
        if len(boxes) > MAX_BOXES:
            return None
    return tuple(boxes)


def _add(boxes: list[Box], box: Box) -> None:
    """Add a box that overlaps none of `boxes`, merged with neighbours where the result is a box."""
    number = 0
    while number < len(boxes):
        found = _join_boxes(boxes[number], box)
        if found is None:
            number += 1
        else:
            del boxes[number]
            box, number = found, 0
    boxes.append(box)


def _join_boxes(left: Box, right: Box) -> Box | None:
    different = [k for k, pair in enumerate(zip(left, right, strict=True)) if pair[0] != pair[1]]
    if len(different) != 1:
        return None
    (k,) = different
    both = join(left[k], right[k])
    return None if both is None else (*left[:k], both, *left[k + 1 :])


def subtract_boxes(boxes: Iterable[Box], removed: Sequence[Box]) -> tuple[Box, ...] | None:
    """Disjoint boxes of `boxes` minus `removed`; `None` if there are too many."""
    left = list(boxes)
    try:
        for each in removed:
            left = [part for box in left for part in _cut(box, each)]
            if len(left) > 2 * MAX_BOXES:
                return None
    except TooManyParts:
        return None
    return tuple(left) if len(left) <= MAX_BOXES else None


def _cut(box: Box, removed: Box) -> Iterator[Box]:
    """Disjoint parts of `box` outside `removed`."""
    both = intersect_boxes(box, removed)
    if both is None:
        yield box
        return
    for k, numbers in enumerate(box):
        for part in subtract(numbers, both[k]):
            yield (*both[:k], part, *box[k + 1 :])


def box_of_positions(positions: Int64Array, shape: Shape) -> Box | None:
    """The box with exactly these elements, if there is one."""
    columns = np.unravel_index(positions, shape) if shape else ()
    return _box_of([np.bincount(column, minlength=1) > 0 for column in columns], len(positions))


def box_of_mask(mask: BoolArray, shape: Shape) -> Box | None:
    whole, rank = mask.reshape(shape), len(shape)
    present = [np.asarray(whole.any(axis=tuple(d for d in range(rank) if d != k))) for k in range(rank)]
    return _box_of(present, int(np.count_nonzero(mask)))


def _box_of(present: Sequence[BoolArray], count: int) -> Box | None:
    """The box of the indices that `present` marks in each dimension, if it has `count` elements."""
    if prod(int(np.count_nonzero(column)) for column in present) != count:
        return None
    box = tuple(map(progression_of, map(np.flatnonzero, present)))
    return None if None in box else box  # type: ignore[return-value]


def progression_of(numbers: Int64Array) -> range | None:
    """Sorted numbers as a progression; `None` if they are none."""
    first, count = int(numbers[0]), len(numbers)
    if count == 1:
        return range(first, first + 1)
    step = int(numbers[1]) - first
    if int(numbers[-1]) - first != step * (count - 1) or not bool(np.all(np.diff(numbers) == step)):
        return None
    return range(first, int(numbers[-1]) + 1, step)


# Convert boxes of a tensor to boxes of the same elements in another shape.


def reshape_box(box: Box, shape: Shape, wanted: Shape) -> list[Box] | None:
    """Disjoint boxes of `wanted` with the elements of `box`; `None` if there would be many.

    The shapes are split into groups of dimensions of equal size, each converted separately.
    """
    parts = []
    for mine, theirs in matching_groups(shape, wanted):
        found = _group([box[k] for k in mine], [shape[k] for k in mine], [wanted[k] for k in theirs])
        if found is None:
            return None
        parts.append(found)
    return [tuple(r for part in choice for r in part) for choice in product(*parts)]


def _group(box: Sequence[range], sizes: Sequence[int], wanted: Sequence[int]) -> list[Box] | None:
    if all(len(r) == size for r, size in zip(box, sizes, strict=True)):
        return [tuple(map(range, wanted))]
    strides = [prod(sizes[k + 1 :]) for k in range(len(sizes))]
    positions = combine(list(zip(box, strides, strict=True)), 0)
    return None if positions is None else _boxes_at(positions, tuple(wanted))


def _boxes_at(positions: range, shape: Shape) -> list[Box] | None:
    """The boxes of a tensor at evenly spaced positions; `None` if there would be many."""
    if not shape:
        return [()]
    if len(positions) == 1:
        return [_index(positions[0], shape)]
    row = prod(shape[1:])
    if row == 1:
        return [(positions, *(range(1) for _ in shape[1:]))]
    if positions.step % row == 0:
        inside = _index(positions.start % row, shape[1:])
        return [(progression(positions.start // row, len(positions), positions.step // row), *inside)]
    return _rows_at(positions, row, shape)


def _rows_at(positions: range, row: int, shape: Shape) -> list[Box] | None:
    """The part in the first row, the whole rows, and the part in the last row."""
    first, last = positions[0] // row, positions[-1] // row
    if first == last:
        inside = _boxes_at(_shift(positions, -first * row), shape[1:])
        return None if inside is None else [(range(first, first + 1), *box) for box in inside]
    if row % positions.step:
        return None
    return _join_rows(positions, row, shape)


def _join_rows(positions: range, row: int, shape: Shape) -> list[Box] | None:
    step, first, last = positions.step, positions[0] // row, positions[-1] // row
    offset = positions.start % step
    every = range(offset, row, step)
    head = range(positions.start - first * row, row, step)
    tail = range(offset, positions[-1] - last * row + 1, step)
    middle = range(first + (head != every), last + (tail == every))
    parts = [(range(first, first + 1), head)] if head != every else []
    parts += [(middle, every)] if middle else []
    parts += [(range(last, last + 1), tail)] if tail != every else []
    found: list[Box] = []
    for rows, inside in parts:
        inner = _boxes_at(progression(inside.start, len(inside), step), shape[1:])
        if inner is None:
            return None
        found += [(rows, *box) for box in inner]
    return found


def _shift(numbers: range, by: int) -> range:
    return range(numbers.start + by, numbers.stop + by, numbers.step)


def _index(position: int, shape: Shape) -> Box:
    index = []
    for k in range(len(shape)):
        stride = prod(shape[k + 1 :])
        coordinate = position // stride % shape[k]
        index.append(range(coordinate, coordinate + 1))
    return tuple(index)
