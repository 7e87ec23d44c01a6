"""Index vectors whose windows are not inside of the operand: gather moves those, scatter drops what is outside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.faults import Fault, FaultKind
from ..core.index_faults import is_sentinel
from ..core.op import Array
from .indexed_windows import IndexVectors


@dataclass(frozen=True, eq=False)
class OutsideStarts:
    """The starts along one dimension of the operand, some of which leave a part of their window outside."""

    dimension: int
    window: int
    size: int
    starts: Array
    """All of them, over the batch."""
    outside: NDArray[np.bool_]
    component: int
    """The place of the dimension's start in an index vector."""

    @property
    def is_deliberate(self) -> bool:
        """Whether those outside say on purpose that nothing is meant."""
        return self.window == 1 and is_sentinel(self.starts[self.outside], self.size)

    @property
    def first(self) -> tuple[int, ...]:
        """The place in the batch of the first that is outside; of one that is no sentinel, or else is just behind the end,
        if there is any.
        """
        behind = self.outside & (self.starts != -1)
        odd = behind & (self.starts != self.size)
        chosen = next((found for found in (odd, behind) if found.any()), self.outside)
        return tuple(map(int, np.unravel_index(int(chosen.argmax()), chosen.shape)))

    def fault(self, kind: FaultKind, cause: str, vectors: IndexVectors, rank: int, operand: int) -> Fault:
        """What the op says of them; `rank` is that of the indices, which are its operand number `operand`."""
        at = _vector_index(vectors, rank, self.first, self.component)
        elements, start = int(np.count_nonzero(self.outside)), float(self.starts[self.first])
        size = self.outside.size
        return Fault(kind, elements, size, at, cause, None, operand, start, deliberate=self.is_deliberate)


def find_outside_starts(
    vectors: IndexVectors, indices: Array, sizes: Sequence[int], windows: Sequence[int], *, moved: bool
) -> OutsideStarts | None:
    """The first dimension of the operand along which windows start outside; one where that is not meant, if any.

    Where windows are `moved` inside, it does not matter where one starts that is as large as the operand.
    """
    found = None
    for outside in _outside_starts(vectors, indices, sizes, windows):
        if moved and outside.window == outside.size:
            continue
        if not outside.is_deliberate:
            return outside
        found = found or outside
    return found


def _outside_starts(
    vectors: IndexVectors, indices: Array, sizes: Sequence[int], windows: Sequence[int]
) -> Iterator[OutsideStarts]:
    if not indices.size or _all_inside(indices, [sizes[d] - windows[d] for d in vectors.index_map]):
        return
    starts = vectors.starts(indices, len(sizes))
    for component, dimension in enumerate(vectors.index_map):
        size, window, found = sizes[dimension], windows[dimension], starts[dimension]
        if found.min() < 0 or found.max() > size - window:
            outside = np.asarray((found < 0) | (found > size - window))
            yield OutsideStarts(dimension, window, size, found, outside, component)


def _all_inside(indices: Array, room: Sequence[int]) -> bool:
    """Whether all indices are among those that every component may have, which most of the time they are."""
    if indices.dtype.kind not in "iu":
        return False
    # Without a sign what is below 0 is above all that there is room for.
    greatest = np.maximum.reduce(indices.view(f"u{indices.dtype.itemsize}"), axis=None)
    return int(greatest) <= min(room, default=-1)


def _vector_index(vectors: IndexVectors, rank: int, batch: Sequence[int], component: int) -> tuple[int, ...]:
    """The index, in a tensor of index vectors, of one component of the vector at `batch`."""
    at = vectors.index_vector_dim
    return tuple(batch) if at >= rank else (*batch[:at], component, *batch[at:])
