"""Exact sets of elements of one tensor: a few strided boxes, else positions or a mask.

Sets are immutable. Elements are identified by their row-major positions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np

from ..evaluation.array_values import BoolArray, Int64Array
from .boxes import (
    MAX_BOXES,
    Box,
    Shape,
    box_of_mask,
    box_of_positions,
    intersect_boxes,
    positions_of,
    reshape_box,
    subtract_boxes,
    unite_boxes,
)

_SPARSE = 8
"""Memory of one position, in mask elements."""


@dataclass(frozen=True, eq=False)
class ElementSet:
    """Elements of a tensor of `shape`, in one of three forms; built by `empty`, `full`, `of_boxes` etc.

    `boxes` are disjoint, `positions` are sorted and unique, `mask` is flat.
    """

    shape: Shape
    boxes: tuple[Box, ...] | None = None
    positions: Int64Array | None = field(default=None, repr=False)
    mask: BoolArray | None = field(default=None, repr=False)

    @classmethod
    def empty(cls, shape: Sequence[int]) -> ElementSet:
        """The empty set."""
        return cls(tuple(shape), ())

    @classmethod
    def full(cls, shape: Sequence[int]) -> ElementSet:
        """The set of all elements."""
        return cls(tuple(shape), (tuple(map(range, shape)),) if 0 not in shape else ())

    @classmethod
    def of_index(cls, shape: Sequence[int], index: Sequence[int]) -> ElementSet:
        """The set of one element."""
        return cls(tuple(shape), (tuple(range(i, i + 1) for i in index),))

    @classmethod
    def of_boxes(cls, shape: Sequence[int], boxes: Iterable[Box]) -> ElementSet:
        """The union of boxes, which may overlap."""
        found = cls.empty(shape)
        for box in boxes:
            if all(box):
                found = found.union(cls(found.shape, (box,)))
        return found

    @classmethod
    def of_disjoint(cls, shape: Shape, boxes: Sequence[Box]) -> ElementSet:
        """The union of disjoint, nonempty boxes."""
        if len(boxes) <= MAX_BOXES:
            return cls(shape, tuple(boxes))
        return cls.of_positions(shape, np.concatenate([positions_of(box, shape) for box in boxes]))

    @classmethod
    def of_positions(cls, shape: Sequence[int], positions: Int64Array) -> ElementSet:
        """The elements at row-major positions, in any order and possibly repeated."""
        found = np.asarray(positions, np.int64)
        if len(found) > 1 and not bool(np.all(found[1:] > found[:-1])):
            found = np.unique(found)
        return cls._compact(tuple(shape), found)

    @classmethod
    def of_mask(cls, shape: Sequence[int], mask: BoolArray) -> ElementSet:
        """The elements where `mask`, of that shape or flat, is true."""
        flat = np.asarray(mask, np.bool_).reshape(-1)
        if np.count_nonzero(flat) * _SPARSE > flat.size and flat.size:
            box = box_of_mask(flat, tuple(shape))
            return cls(tuple(shape), (box,)) if box is not None else cls(tuple(shape), mask=flat)
        return cls._compact(tuple(shape), np.flatnonzero(flat))

    @classmethod
    def _compact(cls, shape: Shape, positions: Int64Array) -> ElementSet:
        """The smallest form for sorted positions."""
        if not len(positions):
            return cls(shape, ())
        box = box_of_positions(positions, shape)
        if box is not None:
            return cls(shape, (box,))
        if len(positions) * _SPARSE <= prod(shape):
            return cls(shape, positions=positions)
        mask = np.zeros(prod(shape), np.bool_)
        mask[positions] = True
        return cls(shape, mask=mask)

    @property
    def count(self) -> int:
        """Number of elements in the set."""
        if self.boxes is not None:
            return sum(prod(map(len, box)) for box in self.boxes)
        if self.positions is not None:
            return len(self.positions)
        assert self.mask is not None
        return int(np.count_nonzero(self.mask))

    @property
    def size(self) -> int:
        """Number of elements in the tensor."""
        return prod(self.shape)

    @property
    def is_full(self) -> bool:
        """Whether the set has every element of the tensor."""
        return self.count == self.size

    def __bool__(self) -> bool:
        return bool(self.boxes) if self.boxes is not None else self.count > 0

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ElementSet) or self.shape != other.shape or self.count != other.count:
            return False
        if self.boxes is not None and self.boxes == other.boxes:
            return True
        return np.array_equal(self.to_positions(), other.to_positions())

    __hash__ = None  # type: ignore[assignment]  # equal sets may have different forms

    def __contains__(self, index: Sequence[int]) -> bool:
        if self.boxes is not None:
            return any(all(i in r for i, r in zip(index, box, strict=True)) for box in self.boxes)
        position = int(np.ravel_multi_index(tuple(index), self.shape)) if index else 0
        if self.mask is not None:
            return bool(self.mask[position])
        assert self.positions is not None
        at = int(np.searchsorted(self.positions, position))
        return at < len(self.positions) and int(self.positions[at]) == position

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        """The indices in row-major order."""
        yield from map(tuple, self.to_indices().tolist())

    def to_positions(self) -> Int64Array:
        """The row-major positions, sorted."""
        if self.positions is not None:
            return self.positions
        if self.mask is not None:
            return np.flatnonzero(self.mask)
        assert self.boxes is not None
        if len(self.boxes) == 1:
            return positions_of(self.boxes[0], self.shape)
        parts = [positions_of(box, self.shape) for box in self.boxes]
        return np.sort(np.concatenate(parts)) if parts else np.zeros(0, np.int64)

    def to_indices(self) -> Int64Array:
        """The indices, int64 [count, rank], in row-major order."""
        found = np.unravel_index(self.to_positions(), self.shape) if self.shape else ()
        return np.stack(found, axis=1) if found else np.zeros((self.count, 0), np.int64)

    def to_mask(self) -> BoolArray:
        """A flat array that is true at the elements."""
        if self.mask is not None:
            return self.mask
        mask = np.zeros(self.size, np.bool_)
        if self.positions is not None:
            mask[self.positions] = True
        for box in self.boxes or ():
            mask.reshape(self.shape)[tuple(slice(r.start, r.stop, r.step) for r in box)] = True
        return mask

    def union(self, other: ElementSet) -> ElementSet:
        """The union of two sets."""
        if not other or self is other or (self.boxes is not None and self.boxes == other.boxes):
            return self
        if not self:
            return other
        if self.boxes is not None and other.boxes is not None:
            found = unite_boxes(self.boxes, other.boxes)
            if found is not None:
                return ElementSet(self.shape, found)
        if self.mask is None and other.mask is None and (self.count + other.count) * _SPARSE <= self.size:
            both = np.concatenate([self.to_positions(), other.to_positions()])
            return self.of_positions(self.shape, both)
        return self.of_mask(self.shape, self.to_mask() | other.to_mask())

    def intersection(self, other: ElementSet) -> ElementSet:
        """The intersection of two sets."""
        if self.boxes is not None and other.boxes is not None:
            overlaps = (intersect_boxes(mine, its) for mine in self.boxes for its in other.boxes)
            return self.of_disjoint(self.shape, [box for box in overlaps if box is not None])
        return self._select(other, inside=True)

    def difference(self, other: ElementSet) -> ElementSet:
        """The elements that are not in `other`."""
        if not self or not other:
            return self
        if self.boxes is not None and other.boxes is not None:
            found = subtract_boxes(self.boxes, other.boxes)
            if found is not None:
                return ElementSet(self.shape, found)
        return self._select(other, inside=False)

    def _select(self, other: ElementSet, *, inside: bool) -> ElementSet:
        """The elements that are, or are not, in `other`."""
        if self.positions is not None or self.count * _SPARSE <= self.size:
            mine = self.to_positions()
            if other.mask is not None:
                return self.of_positions(self.shape, mine[other.mask[mine] == inside])
            chosen = np.isin(mine, other.to_positions(), assume_unique=True, invert=not inside)
            return self.of_positions(self.shape, mine[chosen])
        theirs = other.to_mask()
        return self.of_mask(self.shape, self.to_mask() & (theirs if inside else ~theirs))

    def issubset(self, other: ElementSet) -> bool:
        """Whether `other` contains all elements."""
        return self.intersection(other).count == self.count

    def reshape(self, shape: Sequence[int]) -> ElementSet:
        """The elements at the same row-major positions of another shape of equal size."""
        shape = tuple(shape)
        if shape == self.shape:
            return self
        if self.mask is not None:
            return self.of_mask(shape, self.mask)
        if self.boxes is not None:
            found = [reshape_box(box, self.shape, shape) for box in self.boxes]
            parts = [box for boxes in found if boxes is not None for box in boxes]
            if None not in found and len(parts) <= MAX_BOXES:
                return ElementSet(shape, tuple(parts))
        return self._compact(shape, self.to_positions())

    def runs(self, most: int) -> tuple[list[tuple[int, int]], bool]:
        """At most `most` runs of consecutive positions as (first, length), and whether these are all."""
        if self.mask is not None:
            edges = np.flatnonzero(np.diff(self.mask.view(np.int8), prepend=0, append=0))
            firsts, lasts = edges[::2], edges[1::2] - 1
        else:
            positions = self.to_positions()
            ends = np.flatnonzero(np.diff(positions) != 1)
            firsts = np.concatenate([positions[:1], positions[ends + 1]])
            lasts = np.concatenate([positions[ends], positions[-1:]])
        pairs = zip(firsts[:most].tolist(), (lasts - firsts + 1)[:most].tolist(), strict=True)
        return list(pairs), len(firsts) <= most


def union_of(sets: Sequence[ElementSet]) -> ElementSet:
    """The union of one or more sets of the same shape."""
    if len(sets) > 2 and any(found.boxes is None for found in sets):
        mask = np.zeros(sets[0].size, np.bool_)
        for found in sets:
            mask |= found.to_mask()
        return ElementSet.of_mask(sets[0].shape, mask)
    total = sets[0]
    for found in sets[1:]:
        total = total.union(found)
    return total
