"""References for the tests: maps as sets of pairs, by brute force, and small random ops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from hloscope.engine.indexing import GatherIndexing, IndexMap, ScatterIndexing
from hloscope.engine.indexing.evaluation.bound_map import BoundMap, IntArray

Index = tuple[int, ...]
Pairs = set[tuple[Index, Index]]


def pairs_of(index_map: IndexMap, operands: Sequence[IntArray | None] = ()) -> Pairs:
    """All pairs (index, element) of the map."""
    found: Pairs = set()
    for index in product(*(range(i.lower, i.upper + 1) for i in index_map.dimensions)):
        read = BoundMap(index_map, tuple(operands)).elements(index)
        assert read.complete
        found |= {(index, tuple(element)) for element in read.indices.tolist()}
    return found


@dataclass(frozen=True)
class GatherCase:
    """A gather, or a scatter with the same attributes and `windows` as its updates."""

    operand_shape: tuple[int, ...]
    indices: IntArray
    slice_sizes: tuple[int, ...]
    offset_dims: tuple[int, ...]
    dropped_dims: tuple[int, ...]
    operand_batching_dims: tuple[int, ...]
    indices_batching_dims: tuple[int, ...]
    start_index_map: tuple[int, ...]
    index_vector_dim: int

    @property
    def gather(self) -> GatherIndexing:
        return GatherIndexing(
            operand_shape=self.operand_shape,
            start_indices_shape=self.indices.shape,
            offset_dims=self.offset_dims,
            collapsed_slice_dims=self.dropped_dims,
            operand_batching_dims=self.operand_batching_dims,
            start_indices_batching_dims=self.indices_batching_dims,
            start_index_map=self.start_index_map,
            index_vector_dim=self.index_vector_dim,
            slice_sizes=self.slice_sizes,
        )

    def scatter(self, drops_whole_windows: bool) -> ScatterIndexing:
        return ScatterIndexing(
            input_shape=self.operand_shape,
            scatter_indices_shape=self.indices.shape,
            update_shape=self.gather.result_shape,
            update_window_dims=self.offset_dims,
            inserted_window_dims=self.dropped_dims,
            input_batching_dims=self.operand_batching_dims,
            scatter_indices_batching_dims=self.indices_batching_dims,
            scatter_dims_to_operand_dims=self.start_index_map,
            index_vector_dim=self.index_vector_dim,
            drops_whole_windows=drops_whole_windows,
        )

    def placed(self, clamped: bool) -> Iterator[tuple[Index, Index, Index, bool]]:
        """(window index, operand index, row without the vector, whole window fits), per element."""
        for index in np.ndindex(self.gather.result_shape):
            batch = tuple(i for k, i in enumerate(index) if k not in self.offset_dims)
            start = self._start(batch)
            spare = [n - w for n, w in zip(self.operand_shape, self.slice_sizes, strict=True)]
            if clamped:
                start = [max(0, min(s, most)) for s, most in zip(start, spare, strict=True)]
            fits = all(0 <= s <= most for s, most in zip(start, spare, strict=True))
            for k, source in zip(self.operand_batching_dims, self.indices_batching_dims, strict=True):
                start[k] = batch[source - (0 if source < self.index_vector_dim else 1)]
            window = self._window(index)
            yield index, tuple(s + w for s, w in zip(start, window, strict=True)), batch, fits

    def _start(self, batch: Index) -> list[int]:
        full = [0] * len(self.operand_shape)
        for number, k in enumerate(self.start_index_map):
            row = list(batch)
            if self.index_vector_dim < self.indices.ndim:
                row.insert(self.index_vector_dim, number)
            full[k] = int(self.indices[tuple(row)])
        return full

    def _window(self, index: Index) -> list[int]:
        offsets = [index[k] for k in self.offset_dims]
        outside = (*self.dropped_dims, *self.operand_batching_dims)
        return [0 if k in outside else offsets.pop(0) for k in range(len(self.operand_shape))]
