"""Common code of gather and scatter: a tensor of index vectors places windows in an operand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...indexing import INT64_MAX
from ..core.facets import DimensionNames, name_dimensions
from ..core.op import Array


@dataclass(frozen=True)
class IndexVectors:
    """Index vectors along `index_vector_dim`; component k is for operand dimension `index_map[k]`.

    Operand dimension `operand_batching_dims[k]` follows dimension `indices_batching_dims[k]` of the indices.
    """

    index_vector_dim: int
    index_map: tuple[int, ...]
    operand_batching_dims: tuple[int, ...]
    indices_batching_dims: tuple[int, ...]

    def roles(
        self, rank: int, lists: Mapping[str, Sequence[int]], otherwise: str = "batch"
    ) -> DimensionNames:
        """The role of each dimension of the indices."""
        vector = [self.index_vector_dim] if self.index_vector_dim < rank else []
        return name_dimensions(rank, {"index_vector_dim": vector, **lists}, otherwise)

    def batch_shape(self, indices: Array) -> tuple[int, ...]:
        """The shape of the indices without the vectors' dimension."""
        return tuple(size for d, size in enumerate(indices.shape) if d != self.index_vector_dim)

    def starts(self, indices: Array, operand_rank: int) -> list[Array]:
        """For each dimension of the operand the starts of windows as i64, in shapes that broadcast over the batch."""
        batch_shape = self.batch_shape(indices)
        starts = [np.zeros([1] * len(batch_shape), np.int64)] * operand_rank
        has_vectors = self.index_vector_dim < indices.ndim
        components = np.moveaxis(indices, self.index_vector_dim, 0) if has_vectors else indices[None]
        for component, dimension in zip(components, self.index_map, strict=True):
            starts[dimension] = _as_int64(component)
        for dimension, source in zip(self.operand_batching_dims, self.indices_batching_dims, strict=True):
            position = source - (source > self.index_vector_dim)
            spread = [1] * len(batch_shape)
            spread[position] = batch_shape[position]
            starts[dimension] = np.arange(batch_shape[position]).reshape(spread)
        return starts


def _as_int64(indices: Array) -> Array:
    # u64 has values that i64 lacks; they are beyond any tensor and saturate.
    if indices.dtype == np.uint64:
        indices = np.minimum(indices, np.uint64(INT64_MAX))
    return indices.astype(np.int64)
