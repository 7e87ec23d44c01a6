"""Windows in an operand, positioned by rows of an index tensor, as in gather and scatter."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ..core.expressions import Constant, Dim, Expression, Operand, Range, Runtime
from ..core.index_map import IndexMap, RuntimeVariable
from ..core.interval import Interval
from .data_movement_maps import Shape


@dataclass(frozen=True)
class Windows:
    """Windows and their positions.

    `window_sizes` and `dropped` refer to the operand's dimensions; a dropped one (collapsed, inserted or
    batching) has no coordinate in the window. `batch` has one expression per dimension of `batch_shape`, the
    shape of the indices without the index vector.
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
        """For each batching dimension of the operand, its batch coordinate."""
        pairs = zip(self.operand_batching_dims, self.indices_batching_dims, strict=True)
        return {k: source - (source > self.index_vector_dim) for k, source in pairs}

    def row(self, batch: Sequence[Expression], component: Operand) -> list[Operand]:
        """The index of one component of a row; without an index vector, a row has one component."""
        if self.index_vector_dim == len(self.indices_shape):
            return list(batch)
        return [*batch[: self.index_vector_dim], component, *batch[self.index_vector_dim :]]

    def every_component(self, ranges: int) -> tuple[Range, list[int]]:
        """Range variable number `ranges` over the index vector, and the vector's size if there is one."""
        has_vector = self.index_vector_dim < len(self.indices_shape)
        return Range(ranges), [self.indices_shape[self.index_vector_dim]] if has_vector else []

    def batch_of_row(self) -> list[Expression]:
        """The batch, for dimension variables that index the indices."""
        return [Dim(k) for k in range(len(self.indices_shape)) if k != self.index_vector_dim]

    def runtimes(
        self, batch: Sequence[Expression], shape: Shape, ranges: Shape = ()
    ) -> list[RuntimeVariable]:
        """The starts of windows, one for each operand dimension that has one, in the operand's order."""
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
        """The start of the window in each dimension of the operand."""
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
        """The batch, for dimension variables that index the operand, and the sizes of range variables.

        Batching dimensions give their coordinates, range variables the others.
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
        """Position of operand index d in the window of `batch`, and the conditions to be inside."""
        offsets = [Dim(k) - base for k, base in enumerate(self.bases(batch))]
        inside = [
            (offset, Interval(0, size - 1)) for offset, size in zip(offsets, self.window_sizes, strict=True)
        ]
        return [offsets[k] for k in self.kept], inside
