"""HLO's layouts of a tensor in memory, as transposes and reshapes, which have index maps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...indexing import IndexMap, compose, reshape_maps, transpose_maps
from ...ir.layouts import Layout
from ...ir.types import TensorType
from ..core.op import Array

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

    def apply(self, array: Array) -> Array:
        """The tensor after the step."""
        if self.permutation is None:
            return array.reshape(self.after)
        return array.transpose(self.permutation)

    def index_map(self, *, inverse: bool = False) -> IndexMap:
        """From the tensor after the step to that before it, or back."""
        if self.permutation is None:
            return next(reshape_maps(self.before, self.after, inverse=inverse)).map
        return next(transpose_maps(self.before, self.permutation, inverse=inverse)).map

    def inverse(self) -> Step:
        """The step that undoes this one."""
        back = None if self.permutation is None else tuple(map(int, np.argsort(self.permutation)))
        return Step(self.after, self.before, back)


Steps = tuple[Step, ...]


def reshape_steps(before: Shape, after: Shape) -> Steps:
    """A reshape as the only step."""
    return (Step(before, after),)


def to_memory(found: TensorType) -> Steps:
    """From a tensor of a type to one whose row-major order is that of the memory.

    Tiles that do not divide the tensor leave holes between the elements; such are not taken into account, so that
    the elements lie as they would without any tiles.
    """
    order = major_to_minor(found)
    sizes = tuple(found.sizes[dimension] for dimension in order)
    tiled = _tile_steps(sizes, found.layout.tiles if found.layout else ())
    return (Step(found.sizes, sizes, order), *(tiled or ()))


def major_to_minor(found: TensorType) -> Shape:
    """The dimensions in the order of the layout, the one with the largest steps first."""
    layout = found.layout
    return tuple(range(found.rank)) if layout is None else tuple(reversed(layout.minor_to_major))


def is_order(layout: Layout | None, rank: int) -> bool:
    """Whether a layout orders the dimensions of a tensor of that rank."""
    return layout is None or sorted(layout.minor_to_major) == list(range(rank))


def _tile_steps(sizes: Shape, tiles: Sequence[Sequence[int | None]]) -> Steps | None:
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


def inverse_steps(steps: Steps) -> Steps:
    """The steps that undo all of these, in reverse order."""
    return tuple(step.inverse() for step in reversed(steps))


def simplify_steps(steps: Steps) -> Steps:
    """Equivalent steps, without no-ops, and with neighbours of one kind merged."""
    found: list[Step] = []
    for step in steps:
        last = found[-1] if found else None
        if last is not None and (last.permutation is None) == (step.permutation is None):
            found[-1] = _merge_steps(last, step)
        else:
            found.append(step)
        if not found[-1].changes:
            found.pop()
    return tuple(found)


def _merge_steps(first: Step, second: Step) -> Step:
    if first.permutation is None or second.permutation is None:
        return Step(first.before, second.after)
    return Step(first.before, second.after, tuple(first.permutation[k] for k in second.permutation))


def apply_steps(array: Array, steps: Steps) -> Array:
    """The tensor after all steps."""
    for step in steps:
        array = step.apply(array)
    return array


def compose_maps(maps: Sequence[IndexMap], shape: Shape) -> IndexMap:
    """The composition of the maps, each applied to the results of the one before; the identity on `shape` for
    none.
    """
    found = maps[0] if maps else IndexMap.identity(shape)
    for following in maps[1:]:
        found = compose(found, following)
    return found
