"""Convert boxes of a tensor to boxes of the same elements in another shape."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

from ..core.linearization import matching_groups
from .boxes import Box, Shape
from .progressions import combine, progression


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
