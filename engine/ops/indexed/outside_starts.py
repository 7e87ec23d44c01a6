"""Index vectors whose windows leave the operand: gather clamps them, scatter drops elements outside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from ..core.facets.findings import OutsideStarts
from ..core.op import Array
from .indexed_windows import IndexVectors


def find_outside_starts(
    vectors: IndexVectors,
    indices: Array,
    sizes: Sequence[int],
    windows: Sequence[int],
    operand: int,
    *,
    moved: bool,
) -> OutsideStarts | None:
    """The first dimension along which windows start outside that are no sentinels, else the first with sentinels.

    `operand` is the number of the operand that holds the indices. Where windows are `moved` inside, it does not matter
    where one starts that is as large as the operand.
    """
    sentinels = None
    for outside in _outside_starts(vectors, indices, sizes, windows, operand):
        if moved and outside.window == outside.size:
            continue
        if not outside.is_sentinel:
            return outside
        sentinels = sentinels or outside
    return sentinels


def _outside_starts(
    vectors: IndexVectors, indices: Array, sizes: Sequence[int], windows: Sequence[int], operand: int
) -> Iterator[OutsideStarts]:
    if not indices.size or _all_inside(indices, [sizes[d] - windows[d] for d in vectors.index_map]):
        return
    starts = vectors.starts(indices, len(sizes))
    for component, dimension in enumerate(vectors.index_map):
        size, window, found = sizes[dimension], windows[dimension], starts[dimension]
        if found.min() < 0 or found.max() > size - window:
            outside = np.asarray((found < 0) | (found > size - window))
            index_of = partial(_vector_index, vectors, indices.ndim, component)
            yield OutsideStarts(dimension, window, size, found, outside, operand, index_of)


def _all_inside(indices: Array, limits: Sequence[int]) -> bool:
    """Whether all indices are in the range that every component allows; mostly they are, and this is fast."""
    if indices.dtype.kind not in "iu":
        return False
    # As an unsigned number, what is below 0 is above every limit.
    greatest = np.maximum.reduce(indices.view(f"u{indices.dtype.itemsize}"), axis=None)
    return int(greatest) <= min(limits, default=-1)


def _vector_index(vectors: IndexVectors, rank: int, component: int, batch: Sequence[int]) -> tuple[int, ...]:
    """The index, in a tensor of index vectors, of one component of the vector at `batch`."""
    at = vectors.index_vector_dim
    return tuple(batch) if at >= rank else (*batch[:at], component, *batch[at:])
