"""Index maps of dynamic_slice, dynamic_update_slice, gather, dynamic_pad and real_dynamic_slice, in both directions.

Their offsets are runtime variables: symbols in the formula, numbers once a map is bound to a recorded run.
Formulas: docs/index-maps.md, "Dynamic slices" and "Gather"; StableHLO specification, gather.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..core.expressions import Dim, Expression, Range, Runtime, as_expression, dims, multiply
from ..core.index_map import IndexMap, OperandMap, RuntimeVariable
from ..core.interval import Interval
from .data_movement_maps import ZERO, Shape, complement
from .indexed_windows import Windows


def dynamic_slice_maps(
    operand_shape: Shape, slice_sizes: Sequence[int], *, inverse: bool = False
) -> Iterator[OperandMap]:
    """Operand 0 is sliced; operand 1 + k holds the start of dimension k."""
    rank = len(operand_shape)
    shape = operand_shape if inverse else slice_sizes
    offsets = _clamped_offsets(operand_shape, slice_sizes, shape, first_operand=1)
    index = [Dim(k) - Runtime(k) if inverse else Dim(k) + Runtime(k) for k in range(rank)]
    inside = _inside(slice_sizes) if inverse else []
    yield OperandMap(0, IndexMap.of(index, shape, runtimes=offsets, constraints=inside))
    start = IndexMap.everything(slice_sizes) if inverse else IndexMap.scalar(slice_sizes)
    yield from (OperandMap(1 + k, start) for k in range(rank))


def dynamic_update_slice_maps(
    operand_shape: Shape, update_shape: Shape, exact: bool = True, *, inverse: bool = False
) -> Iterator[OperandMap]:
    """Operand 0 is updated with operand 1 at operands 2, 3, …

    Operand 0 is read outside the update: a union of disjoint maps. Unless `exact`, it is the identity, and
    the update has no constraint, as XLA's document prints them.
    """
    rank = len(operand_shape)
    if exact:  # restricted identities are their own inverse
        yield from (OperandMap(0, piece) for piece in _kept_cells(operand_shape, update_shape))
    else:
        yield OperandMap(0, IndexMap.identity(operand_shape))
    shape = update_shape if inverse else operand_shape
    offsets = _clamped_offsets(operand_shape, update_shape, shape, first_operand=2)
    index = [Dim(k) + Runtime(k) if inverse else Dim(k) - Runtime(k) for k in range(rank)]
    constraints = _inside(update_shape) if exact and not inverse else []
    yield OperandMap(1, IndexMap.of(index, shape, runtimes=offsets, constraints=constraints))
    start = IndexMap.everything(operand_shape) if inverse else IndexMap.scalar(operand_shape)
    yield from (OperandMap(2 + k, start) for k in range(rank))


@dataclass(frozen=True)
class GatherIndexing:
    """The maps of gather: windows of operand 0 start at positions in operand 1, clamped to fit."""

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
    """Disjoint identities: before or after the update in dimension k, and inside it in earlier dimensions."""
    offsets = _clamped_offsets(operand_shape, update_shape, operand_shape, first_operand=2)
    inside = _inside(update_shape)
    for k, (offset, covered) in enumerate(inside):
        for beside in complement(covered):
            constraints = [*inside[:k], (offset, beside)]
            piece = IndexMap.of(dims(len(operand_shape)), operand_shape, (), offsets, constraints)
            if not piece.is_known_empty:
                yield piece


# Index maps of pad and slice with paddings, starts and strides as operands.
#
# For dynamic_pad and real_dynamic_slice, these are runtime variables, so formulas contain products of
# variables. With the numbers of a run, the maps are those of pad and slice.


MAX_OFFSET = 1 << 31
"""Upper limit of paddings and starts; no dimension is as long."""


def dynamic_pad_maps(
    operand_shape: Shape, result_shape: Shape, low: int, interior: int, *, inverse: bool
) -> Iterator[OperandMap]:
    """`low` and `interior` are operand numbers of these paddings; operand 1 is the padding value.

    Without the numbers, no formula gives the padded elements: any element may be padding.
    """
    rank = len(operand_shape)
    signed, counts = Interval(-MAX_OFFSET, MAX_OFFSET), Interval(0, MAX_OFFSET)
    source, target = (operand_shape, result_shape) if inverse else (result_shape, operand_shape)
    if inverse:
        index = [_dilate(Dim(k), k, rank) for k in range(rank)]
        inside = [(at, Interval(0, size - 1)) for at, size in zip(index, result_shape, strict=True)]
        numbers = [*_each(low, signed, source), *_each(interior, counts, source)]
        yield OperandMap(0, IndexMap.of(index, source, (), numbers, inside))
        yield OperandMap(1, IndexMap.everything(result_shape), enclosing=True)
        return
    numbers = [*_each(low, signed, source, target), *_each(interior, counts, source, target)]
    meets = [(_dilate(Range(k), k, rank) - Dim(k), ZERO) for k in range(rank)]
    yield OperandMap(0, IndexMap.of(_ranges(rank), source, target, numbers, meets))
    yield OperandMap(1, IndexMap.scalar(result_shape), enclosing=True)


def real_dynamic_slice_maps(
    operand_shape: Shape, result_shape: Shape, starts: int, strides: int, *, inverse: bool
) -> Iterator[OperandMap]:
    """`starts` and `strides` are operand numbers."""
    rank = len(operand_shape)
    limits = [Interval(0, max(0, size)) for size in operand_shape]
    steps = [Interval(1, MAX_OFFSET)] * rank
    source, target = (operand_shape, result_shape) if inverse else (result_shape, operand_shape)
    ranges = target if inverse else ()
    numbers = [
        RuntimeVariable(each, operand, IndexMap.of([k], source, ranges), clamped=False)
        for operand, intervals in ((starts, limits), (strides, steps))
        for k, each in enumerate(intervals)
    ]
    variables = [Range(k) if inverse else Dim(k) for k in range(rank)]
    taken = [Runtime(k) + multiply(variables[k], Runtime(rank + k)) for k in range(rank)]
    if inverse:
        meets = [(at - Dim(k), ZERO) for k, at in enumerate(taken)]
        yield OperandMap(0, IndexMap.of(_ranges(rank), source, target, numbers, meets))
        return
    inside = [(at, Interval(0, size - 1)) for at, size in zip(taken, operand_shape, strict=True)]
    yield OperandMap(0, IndexMap.of(taken, source, (), numbers, inside))


def _dilate(at: Expression, k: int, rank: int) -> Expression:
    """Position in the result of an operand element."""
    return as_expression(Runtime(k) + at + multiply(at, Runtime(rank + k)))


def _each(operand: int, interval: Interval, shape: Shape, ranges: Shape = ()) -> list[RuntimeVariable]:
    """A runtime variable for each dimension."""
    return [
        RuntimeVariable(interval, operand, IndexMap.of([k], shape, ranges), clamped=False)
        for k in range(len(shape))
    ]


def _ranges(rank: int) -> Sequence[Expression]:
    return [Range(k) for k in range(rank)]
