"""Index maps of scatter (docs/index-maps.md, "Scatter"; StableHLO specification, scatter)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

from ..core.expressions import Dim, Expression, Range, Runtime
from ..core.index_map import IndexMap, OperandMap, RuntimeVariable
from ..core.interval import Interval
from ..core.linearization import linearize
from .data_movement_maps import ZERO, Shape
from .indexed_windows import Windows
from .shared_dimension_maps import shared_dimensions_map

Constraints = list[tuple[Expression, Interval]]


@dataclass(frozen=True)
class CellReads:
    """The inputs and updates that one result reads at an updated cell, by number."""

    inputs: frozenset[int]
    """Inputs whose old values are read."""
    updates: frozenset[int]
    overwrites: bool = False
    """Whether only the last update matters and no old value is read."""
    keeps: bool = False
    """Whether its own old value is always kept."""


@dataclass(frozen=True)
class ScatterIndexing:
    """The maps of scatter: inputs, then scatter_indices, then updates.

    An update outside the result is dropped: per element as StableHLO defines, or, with `drops_whole_windows`,
    if its window does not fit, as in XLA. Any index may move an update to or from an element of its batch, so
    every element depends on all of them; as values, a row belongs to the elements in its window. `reads`
    gives for each result the old values and updates that its body uses; the default is every input and
    update. If updates overwrite, auxiliary values follow the operands: the update that each cell keeps (its
    row-major number, -1 for none) and whether each update is kept (1, else 0).
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
    reads: Sequence[CellReads] | None = None

    def index_maps(self) -> Iterator[OperandMap]:
        return self._maps_of_results(self._row_and_update, self.choices())

    def inverse_index_maps(self) -> Iterator[OperandMap]:
        return self._maps_of_results(self._inverse_row_and_update, self.choices(inverse=True))

    def value_maps(self, *, inverse: bool = False) -> Iterator[OperandMap]:
        """Maps of values: of scatter_indices, only the rows whose window reaches an element."""
        return self._maps_of_results(self._inverse_row_and_update if inverse else self._row_and_update)

    def choices(self, *, inverse: bool = False) -> IndexMap:
        """From an element to all indices that could move an update to or from it; `inverse` from indices.

        Where no index moves the windows, they begin at 0 and reach no elements beyond them.
        """
        shared = dict(zip(self.scatter_indices_batching_dims, self.input_batching_dims, strict=True))
        moved = (*self.input_batching_dims, *self.scatter_dims_to_operand_dims)
        last = {k: size - 1 for k, size in enumerate(self._windows.window_sizes) if k not in moved}
        return shared_dimensions_map(
            self.input_shape,
            self.scatter_indices_shape,
            shared,
            lambda element, _: [most - element(k) for k, most in last.items()],
            inverse=inverse,
        )

    def _maps_of_results(
        self, row_and_update: Callable[..., tuple[IndexMap, IndexMap]], choices: IndexMap | None = None
    ) -> Iterator[OperandMap]:
        for result, read in enumerate(self._reads):
            row, update = row_and_update(overwrites=read.overwrites)
            yield from self._operand_maps(result, read, choices or row, update)

    def _row_and_update(self, *, overwrites: bool) -> tuple[IndexMap, IndexMap]:
        """From a cell to the rows and updates that reach it, or only to the last one's."""
        w, shape = self._windows, self.input_shape
        batch, ranges = w.batch_of_operand_index()
        window, inside = w.window_of_operand_index(batch)
        index = self._update_index(batch, window)
        component, vector = w.every_component(len(ranges))
        found = []
        for target, sizes in ((w.row(batch, component), [*ranges, *vector]), (index, ranges)):
            starts = w.runtimes(batch, shape, sizes)
            limits = list(inside)
            if overwrites:
                kept = Runtime(len(starts))
                limits.append((linearize(index, self.update_shape) - kept, ZERO))
                starts.append(self._kept_update(IndexMap.identity(shape), 0, self._updates - 1))
            found.append(IndexMap.of(target, shape, sizes, starts, limits))
        return found[0], found[1]

    def _inverse_row_and_update(self, *, overwrites: bool) -> tuple[IndexMap, IndexMap]:
        w = self._windows
        batch: list[Expression] = [Dim(k) for k in self._scatter_dims]
        window: list[Expression] = [Dim(k) for k in self.update_window_dims]
        update = self._update_map(batch, window, self.update_shape, (), overwrites)
        whole_window: list[Expression] = [Range(k) for k in range(len(w.kept))]
        shape = self.scatter_indices_shape
        row = self._update_map(w.batch_of_row(), whole_window, shape, w.kept_sizes, overwrites)
        return row, update

    def _update_map(
        self,
        batch: Sequence[Expression],
        window: Sequence[Expression],
        shape: Shape,
        ranges: Shape,
        overwrites: bool,
    ) -> IndexMap:
        index = self._windows.operand_index(batch, window)
        inside = zip(index, (Interval(0, size - 1) for size in self.input_shape), strict=True)
        starts = self._windows.runtimes(batch, shape, ranges)
        if overwrites:
            here = IndexMap.of(self._update_index(batch, window), shape, ranges)
            starts.append(RuntimeVariable(Interval(1, 1), self._stays, here, clamped=False))
        return IndexMap.of(index, shape, ranges, starts, inside)

    def _operand_maps(
        self, result: int, read: CellReads, row: IndexMap, update: IndexMap
    ) -> Iterator[OperandMap]:
        for number in range(self.inputs):
            yield from (OperandMap(number, kept, result) for kept in self._old(result, number, read))
            if number in read.updates:
                yield OperandMap(self.inputs + 1 + number, update, result)
        if not read.keeps:
            yield OperandMap(self.inputs, row, result)

    def _old(self, result: int, number: int, read: CellReads) -> Iterator[IndexMap]:
        """The identity where old values of an input are read; own values where no update arrives."""
        shape = self.input_shape
        if number == result and number in read.inputs:
            yield IndexMap.identity(shape)
        elif number == result or number in read.inputs:
            least, most = (-1, -1) if number == result else (0, self._updates - 1)
            cell = self._kept_update(IndexMap.identity(shape), least, most)
            yield IndexMap.of([Dim(k) for k in range(len(shape))], shape, runtimes=[cell])

    def _kept_update(self, cell: IndexMap, least: int, most: int) -> RuntimeVariable:
        return RuntimeVariable(Interval(least, most), self._kept, cell, clamped=False)

    @property
    def _kept(self) -> int:
        """Number of the operand with the update that each cell keeps; the next tells which are kept."""
        return 2 * self.inputs + 1

    @property
    def _stays(self) -> int:
        return self._kept + 1

    @property
    def _updates(self) -> int:
        return prod(self.update_shape)

    @property
    def _reads(self) -> Sequence[CellReads]:
        everything = frozenset(range(self.inputs))
        return self.reads or [CellReads(everything, everything)] * self.inputs

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
