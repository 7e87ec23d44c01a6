"""gather: slices of a tensor from places that another tensor holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ...indexing import GatherIndexing, OperandMap
from ...ir.types import Dimension, TensorType
from ..core.facets import (
    Drawing,
    HloSpelling,
    MovedWindow,
    Picture,
    Roles,
    Section,
    Shown,
    name_dimensions,
    numbered,
)
from ..core.facets.findings import Findings, OutsideStarts
from ..core.kinds import INTEGER, TENSOR_OR_PER_TENSOR, holds
from ..core.op import Array, Constraint, Op
from ..core.ranks import Arrays
from ..core.rules import (
    agree,
    at_most,
    drop_dimensions,
    format_list,
    increasing,
    inside_rank,
    is_sorted,
    is_unique,
    named_once,
    within,
)
from .indexed_windows import IndexVectors, batching_constraints, find_outside_starts


@dataclass(frozen=True)
class GatherDimensionNumbers:
    """`#stablehlo.gather<…>`: how dimensions of operand, start_indices and result belong together."""

    mnemonic: ClassVar[str] = "gather"

    offset_dims: tuple[int, ...] = ()
    collapsed_slice_dims: tuple[int, ...] = ()
    operand_batching_dims: tuple[int, ...] = ()
    start_indices_batching_dims: tuple[int, ...] = ()
    start_index_map: tuple[int, ...] = ()
    index_vector_dim: int = 0


@dataclass(frozen=True)
class _Rows:
    """A gather of whole slices across one dimension that the result loses, as most table look-ups are."""

    axis: int
    batch_shape: tuple[int, ...]
    order: tuple[int, ...] | None
    """The permutation from the dimensions of NumPy's `take` to the result's, if they differ."""

    def take(self, operand: Array, start_indices: Array) -> Array:
        """The slices; indices outside give the first or the last."""
        found = operand.take(start_indices.reshape(self.batch_shape), axis=self.axis, mode="clip")
        return np.asarray(found if self.order is None else found.transpose(self.order))


class GatherDrawing(Drawing["Gather"]):
    def dimension_roles(self, op: Gather) -> Roles:
        n, rank = op.dimension_numbers, op.operand.rank
        lists = {
            "collapsed_slice_dims": n.collapsed_slice_dims,
            "operand_batching_dims": n.operand_batching_dims,
            "offset": [d for d in range(rank) if d not in op._dropped],
            "start_index_map[]": n.start_index_map,
        }
        batching = {"start_indices_batching_dims": n.start_indices_batching_dims}
        indices = op._vectors.roles(op.start_indices.rank, batching)
        result = name_dimensions(op._result_rank, {"offset dim": n.offset_dims}, "batch dim")
        return (name_dimensions(rank, lists), indices), (result,)

    def picture(self, op: Gather) -> Picture:
        window = op.dimension_numbers.offset_dims
        return MovedWindow("gather", Shown("result"), window, Shown("operand"), 1)


class GatherFindings(Findings["Gather"]):
    def may_clamp(self, op: Gather) -> bool:
        return any(dim != size for dim, size in zip(op.operand.shape, op.slice_sizes, strict=True))

    def outside_starts(self, op: Gather, operands: Arrays) -> OutsideStarts | None:
        operand, indices = operands
        windows = tuple(max(1, size) for size in op.slice_sizes)
        return find_outside_starts(op._vectors, indices, operand.shape, windows, 1, moved=True)


@dataclass(frozen=True)
class Gather(Op):
    """Takes a slice of `operand`, of `slice_sizes`, for each index vector in `start_indices`.

    The vectors lie along `index_vector_dim`; a slice that would reach over an edge is moved inside (its start is
    clamped). The result has the dimensions of `start_indices` without the vectors' and, at `offset_dims`, those of
    the slices without the collapsed and batching ones. Specification: gather.
    """

    name = "stablehlo.gather"
    findings = GatherFindings(moves_elements=True, gathers=True, deciding=(1,))
    hlo = HloSpelling("gather", "Gather")
    section = Section(
        input_labels=numbered(
            "operand start_indices offset_dims collapsed_slice_dims operand_batching_dims "
            "start_indices_batching_dims start_index_map index_vector_dim slice_sizes "
            "indices_are_sorted"
        ),
        result_labels={"shape": "C22", "element_type": "C23"},
    )
    drawing = GatherDrawing()

    operand: TensorType
    start_indices: TensorType
    dimension_numbers: GatherDimensionNumbers
    slice_sizes: tuple[int, ...]
    indices_are_sorted: bool = False

    def constraints(self) -> Iterator[Constraint]:
        yield holds("I1", "operand", self.operand, TENSOR_OR_PER_TENSOR)
        yield holds("I2", "start_indices", self.start_indices, INTEGER)
        yield from self.placing_constraints()
        yield from self._slice_constraints()

    def placing_constraints(self) -> Iterator[Constraint]:
        """The constraints that do not depend on `slice_sizes`."""
        yield from self._index_vector_constraints()
        yield from self._result_constraints()
        yield from self._operand_constraints()
        yield from self._batching_constraints()

    def _index_vector_constraints(self) -> Iterator[Constraint]:
        n, rank = self.dimension_numbers, self.start_indices.rank
        sentence = (
            f"index_vector_dim {n.index_vector_dim} is outside [0, {rank}], start_indices' rank included"
        )
        yield "C2", 0 <= n.index_vector_dim <= rank, sentence
        size = self.start_indices.shape[n.index_vector_dim] if n.index_vector_dim < rank else 1
        sentence = f"start_index_map has {len(n.start_index_map)} elements, but an index vector has {size}"
        yield "C3", agree(size, len(n.start_index_map)), sentence

    def _result_constraints(self) -> Iterator[Constraint]:
        n = self.dimension_numbers
        counts = [len(n.offset_dims), len(n.collapsed_slice_dims), len(n.operand_batching_dims)]
        sentence = (
            f"operand has rank {self.operand.rank}, but offset_dims, collapsed_slice_dims and "
            f"operand_batching_dims have {format_list(counts)} elements"
        )
        yield "C1", self.operand.rank == sum(counts), sentence
        sentence = f"offset_dims {format_list(n.offset_dims)} must be in increasing order, none twice"
        yield "C4", is_unique(n.offset_dims) and is_sorted(n.offset_dims), sentence
        yield inside_rank("C5", "offset_dims", n.offset_dims, "the result's ", self._result_rank)

    def _operand_constraints(self) -> Iterator[Constraint]:
        n, rank = self.dimension_numbers, self.operand.rank
        collapsed, batching = n.collapsed_slice_dims, n.operand_batching_dims
        yield named_once("C6", "collapsed_slice_dims and operand_batching_dims", collapsed + batching)
        yield increasing("C7", "collapsed_slice_dims", collapsed)
        yield inside_rank("C8", "collapsed_slice_dims", collapsed, "operand's ", rank)
        yield increasing("C10", "operand_batching_dims", batching)
        yield inside_rank("C11", "operand_batching_dims", batching, "operand's ", rank)

    def _batching_constraints(self) -> Iterator[Constraint]:
        n = self.dimension_numbers
        given = ("operand", self.operand, n.operand_batching_dims)
        indices = ("start_indices", self.start_indices, n.start_indices_batching_dims)
        yield from batching_constraints(13, given, indices, n.index_vector_dim)
        placed = n.start_index_map + n.operand_batching_dims
        yield named_once("C18", "start_index_map and operand_batching_dims", placed)
        sentence = f"start_index_map {format_list(n.start_index_map)} goes outside operand's rank {self.operand.rank}"
        yield "C19", within(n.start_index_map, self.operand.rank), sentence

    def _slice_constraints(self) -> Iterator[Constraint]:
        n, sizes = self.dimension_numbers, self.slice_sizes
        sentence = f"slice_sizes has {len(sizes)} elements, but the operand has rank {self.operand.rank}"
        yield "C20", len(sizes) == self.operand.rank, sentence
        inside = all(
            size >= 0 and at_most(size, dim) for size, dim in zip(sizes, self.operand.shape, strict=True)
        )
        sentence = f"slice_sizes {format_list(sizes)} do not fit in the operand's sizes {format_list(self.operand.shape)}"
        yield "C21", inside, sentence
        collapsed = [sizes[d] for d in n.collapsed_slice_dims]
        sentence = f"slice_sizes of collapsed_slice_dims {format_list(n.collapsed_slice_dims)} must be at most 1, not {format_list(collapsed)}"
        yield "C9", all(size <= 1 for size in collapsed), sentence
        batching = [sizes[d] for d in n.operand_batching_dims]
        sentence = f"slice_sizes of operand_batching_dims {format_list(n.operand_batching_dims)} must be at most 1, not {format_list(batching)}"
        yield "C12", all(size <= 1 for size in batching), sentence

    @property
    def _result_rank(self) -> int:
        n = self.dimension_numbers
        has_vector = n.index_vector_dim < self.start_indices.rank
        return self.start_indices.rank - has_vector + len(n.offset_dims)

    @cached_property
    def _dropped(self) -> tuple[int, ...]:
        """The operand's dimensions that slices in the result lack."""
        return self.dimension_numbers.collapsed_slice_dims + self.dimension_numbers.operand_batching_dims

    def infer(self) -> TensorType:
        return self.result_with(self.slice_sizes)

    def result_with(self, slice_sizes: Sequence[Dimension]) -> TensorType:
        """The result's type for slices of such sizes."""
        n = self.dimension_numbers
        batch = iter(drop_dimensions(self.start_indices.shape, n.index_vector_dim))
        offset = iter(drop_dimensions(slice_sizes, *self._dropped))
        shape = (next(offset if d in n.offset_dims else batch) for d in range(self._result_rank))
        return self.operand.with_shape(tuple(shape))

    def evaluate(self, *operands: Array) -> Array:
        """Every slice that fits is an element of one view of `operand`; a single indexing picks them all."""
        operand, start_indices = operands
        if self._rows is not None and operand.size:
            return self._rows.take(operand, start_indices)
        result = self.infer().sizes
        if operand.size == 0:
            return np.zeros(result, operand.dtype)  # of slices without elements there are no elements
        if operand.ndim == 0:
            return np.broadcast_to(operand, result)
        # A size of 0 is legal for dimensions that the result loses; it reads one element all the same.
        sizes = [max(1, size) if d in self._dropped else size for d, size in enumerate(self.slice_sizes)]
        batch_shape = self._vectors.batch_shape(start_indices)
        starts = self._vectors.starts(start_indices, operand.ndim)
        clamped = [
            np.clip(start, 0, dim - size)
            for start, dim, size in zip(starts, operand.shape, sizes, strict=True)
        ]
        chosen = [d for d, (dim, size) in enumerate(zip(operand.shape, sizes, strict=True)) if dim != size]
        if len(chosen) == 1 and sizes[chosen[0]] == 1:
            slices = _take_slices(operand, chosen[0], np.broadcast_to(clamped[chosen[0]], batch_shape))
        else:
            clamped[0] = np.broadcast_to(clamped[0], batch_shape)
            slices = _windows(operand, sizes)[tuple(clamped)].view(operand.dtype)
        kept = [size for d, size in enumerate(sizes) if d not in self._dropped]
        return slices.reshape((*batch_shape, *kept)).transpose(self._result_order(len(batch_shape)))

    @cached_property
    def _rows(self) -> _Rows | None:
        n, shape = self.dimension_numbers, self.operand.sizes
        dtype = self.start_indices.element_type.dtype
        # NumPy's indices are i64, where the largest of u64 would be negative.
        if n.collapsed_slice_dims != n.start_index_map or dtype.kind not in "iu" or dtype == np.uint64:
            return None
        if len(n.start_index_map) != 1 or n.operand_batching_dims:
            return None
        (axis,) = n.start_index_map
        if any(size != shape[d] for d, size in enumerate(self.slice_sizes) if d != axis):
            return None
        batch_shape = tuple(
            int(size or 0) for size in drop_dimensions(self.start_indices.shape, n.index_vector_dim)
        )
        last = axis + len(batch_shape)
        batch = iter(range(axis, last))
        others = iter((*range(axis), *range(last, self._result_rank)))
        order = tuple(next(others if d in n.offset_dims else batch) for d in range(self._result_rank))
        return _Rows(axis, batch_shape, None if order == tuple(range(len(order))) else order)

    @cached_property
    def _vectors(self) -> IndexVectors:
        n = self.dimension_numbers
        return IndexVectors(
            n.index_vector_dim, n.start_index_map, n.operand_batching_dims, n.start_indices_batching_dims
        )

    def _result_order(self, batch_rank: int) -> list[int]:
        """For each dimension of the result its position among batch dimensions, then offset dimensions."""
        batch, offset = iter(range(batch_rank)), iter(range(batch_rank, self._result_rank))
        return [
            next(offset if d in self.dimension_numbers.offset_dims else batch)
            for d in range(self._result_rank)
        ]

    @cached_property
    def _indexing(self) -> GatherIndexing:
        n = self.dimension_numbers
        return GatherIndexing(
            self.operand.sizes,
            self.start_indices.sizes,
            n.offset_dims,
            n.collapsed_slice_dims,
            n.operand_batching_dims,
            n.start_indices_batching_dims,
            n.start_index_map,
            n.index_vector_dim,
            self.slice_sizes,
        )

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        return self._indexing.inverse_index_maps() if inverse else self._indexing.index_maps()


def _take_slices(operand: Array, dimension: int, indices: Array) -> Array:
    """Slices across one dimension, which NumPy copies faster than windows; the batch comes first."""
    taken = np.asarray(operand.take(indices, axis=dimension, mode="clip"))
    batch = range(dimension, dimension + indices.ndim)
    return np.moveaxis(taken, tuple(batch), tuple(range(indices.ndim)))


def _windows(operand: Array, sizes: Sequence[int]) -> Array:
    # NumPy's array interface has no name for f8E5M2, so elements of one byte go as bytes.
    elements = operand.view(np.uint8) if operand.dtype.itemsize == 1 else operand
    return sliding_window_view(elements, sizes)
