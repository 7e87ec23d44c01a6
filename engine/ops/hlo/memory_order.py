"""How HLO's layouts lay a tensor out in memory, as transposes and reshapes, which move values and have maps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...indexing import (
    IndexMap,
    OperandMap,
    compose,
    inverse_reshape_maps,
    inverse_transpose_maps,
    reshape_maps,
    transpose_maps,
)
from ...ir.layouts import Layout
from ...ir.types import TensorType
from ..op import Array

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Step:
    """A transpose, or a reshape where there is no permutation."""

    before: Shape
    after: Shape
    permutation: Shape | None = None

    @property
    def changes(self) -> bool:
        """Whether anything is elsewhere afterwards."""
        if self.permutation is None:
            return self.before != self.after
        return self.permutation != tuple(range(len(self.permutation)))

    def moved(self, array: Array) -> Array:
        """The tensor after the step."""
        if self.permutation is None:
            return array.reshape(self.after)
        return array.transpose(self.permutation)

    def index_map(self) -> IndexMap:
        """From the tensor after the step to that before it."""
        if self.permutation is None:
            return _only(reshape_maps(self.before, self.after))
        return _only(transpose_maps(self.before, self.permutation))

    def inverse_index_map(self) -> IndexMap:
        """From the tensor before the step to that after it."""
        if self.permutation is None:
            return _only(inverse_reshape_maps(self.before, self.after))
        return _only(inverse_transpose_maps(self.before, self.permutation))

    def undone(self) -> Step:
        """The step back."""
        back = None if self.permutation is None else tuple(map(int, np.argsort(self.permutation)))
        return Step(self.after, self.before, back)


def _only(maps: Iterator[OperandMap]) -> IndexMap:
    return next(maps).map


Steps = tuple[Step, ...]


def reshaped(before: Shape, after: Shape) -> Steps:
    """One reshape."""
    return (Step(before, after),)


def to_memory(found: TensorType) -> Steps:
    """From a tensor of a type to one whose row-major order is that of the memory.

    Tiles that do not divide the tensor leave holes between the elements; such are not taken into account, so that
    the elements lie as they would without any tiles.
    """
    order = major_to_minor(found)
    sizes = tuple(found.sizes[dimension] for dimension in order)
    tiled = _tiled(sizes, found.layout.tiles if found.layout else ())
    return (Step(found.sizes, sizes, order), *(tiled or ()))


def major_to_minor(found: TensorType) -> Shape:
    """The dimensions in the order of the layout, the one with the largest steps first."""
    layout = found.layout
    return tuple(range(found.rank)) if layout is None else tuple(reversed(layout.minor_to_major))


def is_order(layout: Layout | None, rank: int) -> bool:
    """Whether a layout orders the dimensions of a tensor of that rank."""
    return layout is None or sorted(layout.minor_to_major) == list(range(rank))


def _tiled(sizes: Shape, tiles: Sequence[Sequence[int | None]]) -> Steps | None:
    """Tiles of the innermost dimensions, one after the other; `None` where they do not divide the tensor."""
    steps: list[Step] = []
    for tile in tiles:
        known = tuple(size for size in tile if size)
        inner = sizes[len(sizes) - len(tile) :]
        if len(known) < len(tile) or len(inner) < len(tile):
            return None
        if any(size % width for size, width in zip(inner, known, strict=True)):
            return None
        steps += _one_tile(sizes, known)
        sizes = steps[-1].after
    return tuple(steps)


def _one_tile(sizes: Shape, tile: Shape) -> Iterator[Step]:
    outer = sizes[: len(sizes) - len(tile)]
    counts = tuple(size // width for size, width in zip(sizes[len(outer) :], tile, strict=True))
    split = (*outer, *(size for pair in zip(counts, tile, strict=True) for size in pair))
    yield Step(sizes, split)
    first, rank = len(outer), len(split)
    order = (*range(first), *range(first, rank, 2), *range(first + 1, rank, 2))
    yield Step(split, (*outer, *counts, *tile), order)


def undone(steps: Steps) -> Steps:
    """All the steps back."""
    return tuple(step.undone() for step in reversed(steps))


def simplified(steps: Steps) -> Steps:
    """The same with nothing that changes nothing, and neighbouring steps of a kind as one."""
    found: list[Step] = []
    for step in steps:
        last = found[-1] if found else None
        if last is not None and (last.permutation is None) == (step.permutation is None):
            found[-1] = _both(last, step)
        else:
            found.append(step)
        if not found[-1].changes:
            found.pop()
    return tuple(found)


def _both(first: Step, second: Step) -> Step:
    if first.permutation is None or second.permutation is None:
        return Step(first.before, second.after)
    return Step(first.before, second.after, tuple(first.permutation[k] for k in second.permutation))


def moved(array: Array, steps: Steps) -> Array:
    """The tensor after all steps."""
    for step in steps:
        array = step.moved(array)
    return array


def composed(maps: Sequence[IndexMap], shape: Shape) -> IndexMap:
    """The maps, each from what the one before it gives; of none the identity on `shape`."""
    found = maps[0] if maps else IndexMap.identity(shape)
    for following in maps[1:]:
        found = compose(found, following)
    return found
