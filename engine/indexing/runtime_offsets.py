"""Index maps of dynamic_slice, dynamic_update_slice, gather and scatter, in both directions.

Their offsets are runtime variables: symbols in the formula, real values once a map is bound to a recorded
run. Formulas: reference/indexing.md, sections 2.1 and 2.4, items 1 to 4 and 9; StableHLO specification,
gather, scatter.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from .data_movement import Shape, complement
from .expressions import Constant, Dim, Expression, Operand, Range, Runtime, dims
from .index_map import IndexMap, OperandMap, RuntimeVariable
from .interval import Interval


def dynamic_slice_maps(operand_shape: Shape, slice_sizes: Sequence[int]) -> Iterator[OperandMap]:
    """Operand 0 is sliced, operand 1 + k holds the start of dimension k."""
    offsets = _clamped_offsets(operand_shape, slice_sizes, slice_sizes, first_operand=1)
    index = (Dim(k) + Runtime(k) for k in range(len(operand_shape)))
    yield OperandMap(0, IndexMap.of(index, slice_sizes, runtimes=offsets))
    scalar = IndexMap.scalar(slice_sizes)
    yield from (OperandMap(1 + k, scalar) for k in range(len(operand_shape)))


def inverse_dynamic_slice_maps(operand_shape: Shape, slice_sizes: Sequence[int]) -> Iterator[OperandMap]:
    offsets = _clamped_offsets(operand_shape, slice_sizes, operand_shape, first_operand=1)
    index = [Dim(k) - Runtime(k) for k in range(len(operand_shape))]
    inside = zip(index, (Interval(0, size - 1) for size in slice_sizes), strict=True)
    yield OperandMap(0, IndexMap.of(index, operand_shape, runtimes=offsets, constraints=inside))
    whole = IndexMap.everything(slice_sizes)
    yield from (OperandMap(1 + k, whole) for k in range(len(operand_shape)))


def dynamic_update_slice_maps(
    operand_shape: Shape, update_shape: Shape, exact: bool = True
) -> Iterator[OperandMap]:
    """Operand 0 is updated with operand 1 at operands 2, 3, …

    Operand 0 is read where the update does not lie: a union of disjoint maps. With `exact` False it is the
    identity, and the update has no constraint, as seed 004 prints them.
    """
    rank = len(operand_shape)
    offsets = _clamped_offsets(operand_shape, update_shape, operand_shape, first_operand=2)
    inside = _inside(update_shape)
    if exact:
        yield from (OperandMap(0, piece) for piece in _kept_cells(operand_shape, update_shape))
    else:
        yield OperandMap(0, IndexMap.identity(operand_shape))
    index = (Dim(k) - Runtime(k) for k in range(rank))
    constraints = inside if exact else []
    yield OperandMap(1, IndexMap.of(index, operand_shape, runtimes=offsets, constraints=constraints))
    scalar = IndexMap.scalar(operand_shape)
    yield from (OperandMap(2 + k, scalar) for k in range(rank))


def inverse_dynamic_update_slice_maps(
    operand_shape: Shape, update_shape: Shape, exact: bool = True
) -> Iterator[OperandMap]:
    rank = len(operand_shape)
    forward = dynamic_update_slice_maps(operand_shape, update_shape, exact)
    yield from (kept for kept in forward if kept.operand == 0)  # restricted identities are their own inverse
    offsets = _clamped_offsets(operand_shape, update_shape, update_shape, first_operand=2)
    index = (Dim(k) + Runtime(k) for k in range(rank))
    yield OperandMap(1, IndexMap.of(index, update_shape, runtimes=offsets))
    whole = IndexMap.everything(operand_shape)
    yield from (OperandMap(2 + k, whole) for k in range(rank))


@dataclass(frozen=True)
class GatherIndexing:
    """The maps of gather: operand 0 is read at windows whose starts are in operand 1, clamped to fit."""

    operand_shape: Sequence[int]
    start_indices_shape: Sequence[int]
    offset_dims: Sequence[int]
    collapsed_slice_dims: Sequence[int]
    operand_batching_dims: Sequence[int]
    start_indices_batching_dims: Sequence[int]
    start_index_map: Sequence[int]
    index_vector_dim: int
    slice_sizes: Sequence[int]

    def index_maps(self) -> Iterator[OperandMap]:
        w, result_shape = self._windows, self.result_shape
        batch = [Dim(k) for k in self._batch_dims]
        window = [Dim(k) for k in self.offset_dims]
        offsets = w.runtimes(batch, result_shape)
        yield OperandMap(0, IndexMap.of(w.operand_index(batch, window), result_shape, runtimes=offsets))
        component, vector = w.every_component(0)
        yield OperandMap(1, IndexMap.of(w.row(batch, component), result_shape, vector))

    def inverse_index_maps(self) -> Iterator[OperandMap]:
        w = self._windows
        batch, ranges = w.batch_of_operand_index()
        window, inside = w.window_of_operand_index(batch)
        offsets = w.runtimes(batch, self.operand_shape, ranges)
        result = self._result_index(batch, window)
        yield OperandMap(0, IndexMap.of(result, self.operand_shape, ranges, offsets, inside))
        batch = w.batch_of_row()
        whole_window = [Range(k) for k in range(len(w.kept))]
        result = self._result_index(batch, whole_window)
        yield OperandMap(1, IndexMap.of(result, self.start_indices_shape, w.kept_sizes))

    @cached_property
    def result_shape(self) -> tuple[int, ...]:
        w = self._windows
        sizes = zip([*self._batch_dims, *self.offset_dims], [*w.batch_shape, *w.kept_sizes], strict=True)
        return tuple(size for _, size in sorted(sizes))

    @cached_property
    def _windows(self) -> Windows:
        return Windows(
            self.operand_shape,
            self.start_indices_shape,
            self.slice_sizes,
            (*self.collapsed_slice_dims, *self.operand_batching_dims),
            self.operand_batching_dims,
            self.start_indices_batching_dims,
            self.start_index_map,
            self.index_vector_dim,
            indices_operand=1,
        )

    @cached_property
    def _batch_dims(self) -> list[int]:
        rank = len(self._windows.batch_shape) + len(self.offset_dims)
        return [k for k in range(rank) if k not in self.offset_dims]

    def _result_index(self, batch: Sequence[Expression], window: Sequence[Expression]) -> list[Expression]:
        placed = dict(zip(self._batch_dims, batch, strict=True)) | dict(
            zip(self.offset_dims, window, strict=True)
        )
        return [placed[k] for k in sorted(placed)]


@dataclass(frozen=True)
class ScatterIndexing:
    """The maps of scatter: inputs, then scatter_indices, then updates; every result reads every input and
    update.

    An update outside the result is dropped: by element as StableHLO says, or, with `drops_whole_windows`, as
    soon as its window does not fit, as XLA does. A row of scatter_indices belongs to the result elements that
    its window reaches. The inputs' maps are the identity, whatever the body does with what was there.
    """

    input_shape: Sequence[int]
    scatter_indices_shape: Sequence[int]
    update_shape: Sequence[int]
    update_window_dims: Sequence[int]
    inserted_window_dims: Sequence[int]
    input_batching_dims: Sequence[int]
    scatter_indices_batching_dims: Sequence[int]
    scatter_dims_to_operand_dims: Sequence[int]
    index_vector_dim: int
    inputs: int = 1
    drops_whole_windows: bool = False

    def index_maps(self) -> Iterator[OperandMap]:
        w, shape = self._windows, self.input_shape
        batch, ranges = w.batch_of_operand_index()
        window, inside = w.window_of_operand_index(batch)
        offsets = w.runtimes(batch, shape, ranges)
        update = IndexMap.of(self._update_index(batch, window), shape, ranges, offsets, inside)
        component, vector = w.every_component(len(ranges))
        all_ranges = [*ranges, *vector]
        offsets = w.runtimes(batch, shape, all_ranges)
        row = IndexMap.of(w.row(batch, component), shape, all_ranges, offsets, inside)
        yield from self._operand_maps(IndexMap.identity(shape), row, update)

    def inverse_index_maps(self) -> Iterator[OperandMap]:
        w = self._windows
        batch: list[Expression] = [Dim(k) for k in self._scatter_dims]
        update = self._written(batch, [Dim(k) for k in self.update_window_dims], self.update_shape)
        whole_window = [Range(k) for k in range(len(w.kept))]
        row = self._written(w.batch_of_row(), whole_window, self.scatter_indices_shape, w.kept_sizes)
        yield from self._operand_maps(IndexMap.identity(self.input_shape), row, update)

    def _written(
        self, batch: Sequence[Expression], window: Sequence[Expression], shape: Shape, ranges: Shape = ()
    ) -> IndexMap:
        index = self._windows.operand_index(batch, window)
        inside = zip(index, (Interval(0, size - 1) for size in self.input_shape), strict=True)
        return IndexMap.of(index, shape, ranges, self._windows.runtimes(batch, shape, ranges), inside)

    def _operand_maps(self, operand: IndexMap, row: IndexMap, update: IndexMap) -> Iterator[OperandMap]:
        for result in range(self.inputs):
            for number in range(self.inputs):
                yield OperandMap(number, operand, result)
                yield OperandMap(self.inputs + 1 + number, update, result)
            yield OperandMap(self.inputs, row, result)

    @cached_property
    def _scatter_dims(self) -> list[int]:
        return [k for k in range(len(self.update_shape)) if k not in self.update_window_dims]

    @cached_property
    def _windows(self) -> Windows:
        dropped = (*self.inserted_window_dims, *self.input_batching_dims)
        sizes = [1] * len(self.input_shape)
        kept = (k for k in range(len(self.input_shape)) if k not in dropped)
        for operand_dim, update_dim in zip(kept, self.update_window_dims, strict=True):
            sizes[operand_dim] = self.update_shape[update_dim]
        return Windows(
            self.input_shape,
            self.scatter_indices_shape,
            sizes,
            dropped,
            self.input_batching_dims,
            self.scatter_indices_batching_dims,
            self.scatter_dims_to_operand_dims,
            self.index_vector_dim,
            indices_operand=self.inputs,
            clamped=False,
            must_fit=self.drops_whole_windows,
        )

    def _update_index(self, batch: Sequence[Expression], window: Sequence[Expression]) -> list[Expression]:
        dims_of = [*self._scatter_dims, *self.update_window_dims]
        placed = dict(zip(dims_of, [*batch, *window], strict=True))
        return [placed[k] for k in sorted(placed)]


@dataclass(frozen=True)
class Windows:
    """What gather and scatter share: windows in an operand, placed by the rows of a tensor of indices.

    `window_sizes` and `dropped` speak of the operand's dimensions; a dropped one (collapsed, inserted or
    batching) has no coordinate in the window. `batch` below is always one expression per dimension of
    `batch_shape`: the indices' shape without the index vector.
    """

    operand_shape: Sequence[int]
    indices_shape: Sequence[int]
    window_sizes: Sequence[int]
    dropped: Sequence[int]
    operand_batching_dims: Sequence[int]
    indices_batching_dims: Sequence[int]
    start_index_map: Sequence[int]
    index_vector_dim: int
    indices_operand: int
    clamped: bool = True
    must_fit: bool = False

    @cached_property
    def batch_shape(self) -> list[int]:
        return [size for k, size in enumerate(self.indices_shape) if k != self.index_vector_dim]

    @cached_property
    def kept(self) -> list[int]:
        return [k for k in range(len(self.operand_shape)) if k not in self.dropped]

    @cached_property
    def kept_sizes(self) -> list[int]:
        return [self.window_sizes[k] for k in self.kept]

    @cached_property
    def batch_position(self) -> dict[int, int]:
        """For each batching dimension of the operand, which batch coordinate it follows."""
        pairs = zip(self.operand_batching_dims, self.indices_batching_dims, strict=True)
        return {k: source - (source > self.index_vector_dim) for k, source in pairs}

    def row(self, batch: Sequence[Expression], component: Operand) -> list[Operand]:
        """The index of one component of a row; without a dimension for them a row is its only component."""
        if self.index_vector_dim == len(self.indices_shape):
            return list(batch)
        return [*batch[: self.index_vector_dim], component, *batch[self.index_vector_dim :]]

    def every_component(self, ranges: int) -> tuple[Range, list[int]]:
        """Range variable number `ranges`, over the index vector, and the vector's size if there is one."""
        has_vector = self.index_vector_dim < len(self.indices_shape)
        return Range(ranges), [self.indices_shape[self.index_vector_dim]] if has_vector else []

    def batch_of_row(self) -> list[Expression]:
        """The batch, when the dimension variables are an index into the indices."""
        return [Dim(k) for k in range(len(self.indices_shape)) if k != self.index_vector_dim]

    def runtimes(
        self, batch: Sequence[Expression], shape: Shape, ranges: Shape = ()
    ) -> list[RuntimeVariable]:
        """The windows' starts, one for each operand dimension that has one, in the operand's order."""
        return [
            RuntimeVariable(
                self._start_interval(k),
                self.indices_operand,
                IndexMap.of(self.row(batch, self.start_index_map.index(k)), shape, ranges),
                self.clamped,
            )
            for k in sorted(self.start_index_map)
        ]

    def _start_interval(self, k: int) -> Interval:
        size, window = self.operand_shape[k], self.window_sizes[k]
        if self.clamped or self.must_fit:
            return Interval(0, size - window)
        return Interval(1 - window, size - 1)  # at least one element of the window is inside

    def bases(self, batch: Sequence[Expression]) -> list[Expression]:
        """Where the window starts, for each dimension of the operand."""
        starts = sorted(self.start_index_map)
        found: dict[int, Expression] = {k: Runtime(number) for number, k in enumerate(starts)}
        found |= {k: batch[position] for k, position in self.batch_position.items()}
        return [found.get(k, Constant(0)) for k in range(len(self.operand_shape))]

    def operand_index(self, batch: Sequence[Expression], window: Sequence[Expression]) -> list[Expression]:
        index = self.bases(batch)
        for k, offset in zip(self.kept, window, strict=True):
            index[k] = offset + index[k]
        return index

    def batch_of_operand_index(self) -> tuple[list[Expression], list[int]]:
        """The batch, when the dimension variables are an operand index: batching dimensions give their part,
        range variables, whose sizes come second, the rest.
        """
        given = {position: Dim(k) for k, position in self.batch_position.items()}
        batch: list[Expression] = []
        ranges: list[int] = []
        for position, size in enumerate(self.batch_shape):
            if position in given:
                batch.append(given[position])
            else:
                batch.append(Range(len(ranges)))
                ranges.append(size)
        return batch, ranges

    def window_of_operand_index(
        self, batch: Sequence[Expression]
    ) -> tuple[list[Expression], list[tuple[Expression, Interval]]]:
        """Where the operand index d lies in the window of `batch`, and what must hold for it to lie there."""
        offsets = [Dim(k) - base for k, base in enumerate(self.bases(batch))]
        inside = [
            (offset, Interval(0, size - 1)) for offset, size in zip(offsets, self.window_sizes, strict=True)
        ]
        return [offsets[k] for k in self.kept], inside


def _clamped_offsets(
    operand_shape: Shape, window: Shape, domain: Shape, first_operand: int
) -> list[RuntimeVariable]:
    scalar = IndexMap.scalar(domain)
    return [
        RuntimeVariable(Interval(0, size - extent), first_operand + k, scalar)
        for k, (size, extent) in enumerate(zip(operand_shape, window, strict=True))
    ]


def _inside(update_shape: Shape) -> list[tuple[Expression, Interval]]:
    return [(Dim(k) - Runtime(k), Interval(0, size - 1)) for k, size in enumerate(update_shape)]


def _kept_cells(operand_shape: Shape, update_shape: Shape) -> Iterator[IndexMap]:
    """Disjoint identities: before or after the update in dimension k, and beside it in those before k."""
    offsets = _clamped_offsets(operand_shape, update_shape, operand_shape, first_operand=2)
    inside = _inside(update_shape)
    for k, (offset, covered) in enumerate(inside):
        for beside in complement(covered):
            constraints = [*inside[:k], (offset, beside)]
            piece = IndexMap.of(dims(len(operand_shape)), operand_shape, (), offsets, constraints)
            if not piece.is_known_empty:
                yield piece
