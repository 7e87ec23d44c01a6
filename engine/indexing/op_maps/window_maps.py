"""Index maps of reduce_window and select_and_scatter (docs/index-maps.md, "Windows")."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

from ..core.expressions import Constant, Dim, Expression, Range, Runtime, dims
from ..core.index_map import IndexMap, OperandMap, RuntimeVariable
from ..core.interval import Interval, box
from ..core.linearization import Bounds, delinearize, divide, linearize, remainder
from .contraction_maps import pairs_with_each_result
from .data_movement_maps import ZERO, Shape

Constraint = tuple[Expression, Interval]
CHOSEN = 3
"""Number of select_and_scatter's first auxiliary value, after three operands: the window's choice."""


@dataclass(frozen=True)
class WindowIndexing:
    """Windows over a tensor of `base_shape`, one for each element of `window_shape`.

    Fields have the specification's names. Range variables are positions in the window; dimensions of size 1
    have none. Padding and holes belong to no element.
    """

    base_shape: Shape
    window_shape: Shape
    window_dimensions: Sequence[int]
    window_strides: Sequence[int]
    padding_low: Sequence[int]
    base_dilations: Sequence[int]
    window_dilations: Sequence[int]

    def reduce_window_maps(self, inputs: int) -> Iterator[OperandMap]:
        """Operands are the inputs, then the initial values; every result may read every operand."""
        return pairs_with_each_result(inputs, self._to_base(), IndexMap.scalar(self.window_shape))

    def inverse_reduce_window_maps(self, inputs: int) -> Iterator[OperandMap]:
        """From an input element to the windows that contain it, from an initial value to all."""
        return pairs_with_each_result(inputs, self._to_windows(), IndexMap.everything(self.window_shape))

    def select_and_scatter_maps(
        self, *, is_known: bool, overwrites: bool, inverse: bool
    ) -> Iterator[OperandMap]:
        """Maps from an element of the result; elements that share a window with it decide its choice, either way.

        With `is_known`, auxiliary values follow the operands: the element that each window has chosen, by its
        row-major number or -1 for none, and, if values overwrite, whether an element receives one (1, else
        0), in which case it does not read the initial value. Otherwise an element may receive the value of
        every window that contains it.
        """
        yield OperandMap(0, self._to_neighbours())
        if inverse:
            yield OperandMap(1, self._to_chosen() if is_known else self._to_base())
        else:
            yield OperandMap(1, self._to_windows(chosen=CHOSEN if is_known else None))
        elements = IndexMap.everything(self.base_shape) if inverse else IndexMap.identity(self.base_shape)
        no_value = RuntimeVariable(ZERO, CHOSEN + 1, elements, clamped=False)
        initial = elements if inverse else IndexMap.scalar(self.base_shape)
        yield OperandMap(2, replace(initial, runtimes=(no_value,) if is_known and overwrites else ()))

    def _to_chosen(self) -> IndexMap:
        """From a window to the element that it has chosen."""
        last = prod(self.base_shape) - 1
        chosen = RuntimeVariable(
            Interval(0, last), CHOSEN, IndexMap.identity(self.window_shape), clamped=False
        )
        bounds: dict[Expression, Interval] = {Runtime(0): Interval(0, last)}
        empty = [Constant(0)] * len(self.base_shape)
        at = delinearize(Runtime(0), self.base_shape, bounds) if last >= 0 else empty
        return IndexMap.of(at, self.window_shape, runtimes=[chosen])

    def positions(self) -> IndexMap:
        """From a window to its positions in the dilated base, counted from the first element.

        Positions in padding and holes are included.
        """
        starts = zip(self._window_positions(), self.padding_low, strict=True)
        return IndexMap.of((start - low for start, low in starts), self.window_shape, self._ranges)

    def _window_positions(self) -> list[Expression]:
        """Positions of a window, counted from the start of the padding."""
        return [
            Dim(k) * self.window_strides[k] + place * self.window_dilations[k]
            for k, place in enumerate(self._places())
        ]

    def _to_base(self) -> IndexMap:
        """From a window to its elements."""
        bounds = self._bounds(self.window_shape, self._ranges)
        index: list[Expression] = []
        constraints: list[Constraint] = []
        for k, start in enumerate(self._window_positions()):
            low, dilation = self.padding_low[k], self.base_dilations[k]
            index.append(divide(start - low, dilation, bounds))
            constraints.append((start, Interval(low, low + (self.base_shape[k] - 1) * dilation)))
            constraints.append((remainder(start - low, dilation, bounds), ZERO))
        return IndexMap.of(index, self.window_shape, self._ranges, constraints=constraints)

    def _to_windows(self, chosen: int | None = None) -> IndexMap:
        """From an element to the windows that contain it, or to those that have chosen it."""
        starts, bounds = self._starts(self._places()), self._bounds(self.base_shape, self._ranges)
        index = [
            divide(start + low, stride, bounds)
            for start, low, stride in zip(starts, self.padding_low, self.window_strides, strict=True)
        ]
        constraints = self._window_starts(starts, bounds)
        windows = IndexMap.of(index, self.base_shape, self._ranges, constraints=constraints)
        if chosen is None or windows.is_known_empty:
            return windows
        last = prod(self.base_shape) - 1
        choice = RuntimeVariable(Interval(0, last), chosen, windows, clamped=False)
        here = (linearize(dims(len(self.base_shape)), self.base_shape) - Runtime(0), ZERO)
        return IndexMap.of(index, self.base_shape, self._ranges, [choice], [*constraints, here])

    def _to_neighbours(self) -> IndexMap:
        """From an element to those in the same window; without dilation."""
        count = len(self._ranges)
        ranges = [*self._ranges, *self._ranges]
        bounds = self._bounds(self.base_shape, ranges)
        mine, theirs = self._places(), self._places(count)
        constraints = self._window_starts(self._starts(mine), bounds)
        index: list[Expression] = []
        for k, size in enumerate(self.base_shape):
            index.append(Dim(k) - mine[k] + theirs[k])
            constraints.append((index[k], Interval(0, size - 1)))
        return IndexMap.of(index, self.base_shape, ranges, constraints=constraints)

    def _starts(self, places: Sequence[Expression]) -> list[Expression]:
        """The start of a window with an element at `places`, counted from the first element."""
        return [
            Dim(k) * self.base_dilations[k] - place * self.window_dilations[k]
            for k, place in enumerate(places)
        ]

    def _window_starts(self, starts: Sequence[Expression], bounds: Bounds) -> list[Constraint]:
        """Constraints that windows start at `starts`."""
        constraints: list[Constraint] = []
        parts = zip(starts, self.padding_low, self.window_strides, self.window_shape, strict=True)
        for start, low, stride, count in parts:
            constraints.append((start, Interval(-low, (count - 1) * stride - low)))
            constraints.append((remainder(start + low, stride, bounds), ZERO))
        return constraints

    @cached_property
    def _ranges(self) -> list[int]:
        return [size for size in self.window_dimensions if size != 1]

    def _places(self, first: int = 0) -> list[Expression]:
        """Positions in a window, from range variable `first` on."""
        places: list[Expression] = []
        for size in self.window_dimensions:
            places.append(Constant(0) if size == 1 else Range(first))
            first += size != 1
        return places

    def _bounds(self, shape: Shape, ranges: Sequence[int]) -> dict[Expression, Interval]:
        bounds: dict[Expression, Interval] = {Dim(k): found for k, found in enumerate(box(tuple(shape)))}
        return bounds | {Range(k): found for k, found in enumerate(box(tuple(ranges)))}
