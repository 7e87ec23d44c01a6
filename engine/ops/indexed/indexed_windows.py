"""Common code of gather and scatter: a tensor of index vectors places windows in an operand."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ...indexing import INT64_MAX
from ...ir.types import TensorType
from ..core.facets import DimensionNames, name_dimensions
from ..core.facets.findings import OutsideStarts
from ..core.op import Array, Constraint
from ..core.rules import agree, format_list, inside_rank, named_once


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


# Index vectors whose windows leave the operand: gather clamps them, scatter drops elements outside.


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


Batched = tuple[str, TensorType, tuple[int, ...]]
"""A tensor with its name, and its batching dimensions."""


def batching_constraints(
    first: int, operand: Batched, indices: Batched, index_vector_dim: int
) -> Iterator[Constraint]:
    """The constraints of batching dimensions of the indices; `first`: the number of the first one's label."""
    (name, given, others), (indices_name, vectors, dimensions) = operand, indices
    labels = (f"C{first + number}" for number in range(5))
    stated = f"{indices_name}_batching_dims"
    yield named_once(next(labels), stated, dimensions)
    yield inside_rank(next(labels), stated, dimensions, f"{indices_name}' ", vectors.rank)
    sentence = f"index_vector_dim {index_vector_dim} is one of {stated} {format_list(dimensions)}"
    yield next(labels), index_vector_dim not in dimensions, sentence
    sentence = f"{name} and {indices_name} differ in batching dimensions: {format_list(others)} and {format_list(dimensions)}"
    yield next(labels), len(others) == len(dimensions), sentence
    label = next(labels)
    for here, there in zip(others, dimensions, strict=True):
        sizes = given.shape[here], vectors.shape[there]
        sentence = f"dimension {here} of {name} (size {sizes[0]}) and dimension {there} of {indices_name} (size {sizes[1]}) are batched but differ"
        yield label, agree(*sizes), sentence
