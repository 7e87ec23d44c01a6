"""Index maps of convolution, in both directions (docs/index-maps.md, "Convolution")."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..core.expressions import Constant, Dim, Expression, Operand, Range, Runtime
from ..core.index_map import IndexMap, OperandMap, RuntimeVariable
from ..core.interval import Interval, box
from ..core.linearization import Bounds, divide, remainder
from .data_movement_maps import ZERO, Shape

Constraint = tuple[Operand, Interval]


@dataclass(frozen=True)
class ConvolutionIndexing:
    """Fields of a convolution, with the specification's names.

    Dimensions of each tensor are batch (or kernel input feature), feature (or kernel output feature) and
    spatial ones. `padding_low` of `None` is read at run time, from column 0 of operand 2 (dynamic_conv).
    Padding and holes of dilation belong to no element; kernel elements are read even where they meet them.
    """

    lhs_shape: Shape
    rhs_shape: Shape
    result_shape: Shape
    input_dimensions: tuple[int, int, Sequence[int]]
    kernel_dimensions: tuple[int, int, Sequence[int]]
    output_dimensions: tuple[int, int, Sequence[int]]
    window_strides: Sequence[int]
    padding_low: Sequence[int] | None
    lhs_dilation: Sequence[int]
    rhs_dilation: Sequence[int]
    window_reversal: Sequence[bool]
    feature_group_count: int
    batch_group_count: int

    def index_maps(self) -> Iterator[OperandMap]:
        """Range variables are positions in the window, then the feature; those of size 1 are omitted."""
        ranges, window, channel = self._steps
        places, constraints = self._elements_under(
            self._window_positions, self._bounds(self.result_shape, ranges)
        )
        lows = self._lows(self.result_shape)
        yield OperandMap(0, IndexMap.of(self._lhs_at(places), self.result_shape, ranges, lows, constraints))
        turned = [
            size - 1 - place if reverse else place
            for place, size, reverse in zip(window, self._kernel_sizes, self.window_reversal, strict=True)
        ]
        rhs = _place(self.kernel_dimensions, channel, Dim(self.output_dimensions[1]), turned)
        yield OperandMap(1, IndexMap.of(rhs, self.result_shape, ranges))
        if self.padding_low is None:
            count, (place,) = _variables([len(self.window_strides)])
            yield OperandMap(2, IndexMap.of((place, Constant(0)), self.result_shape, count))

    def positions(self) -> IndexMap:
        """Map from a result element to its window positions in the dilated lhs, in padding and holes too.

        Positions are counted from the first element. Range variables are those of `index_maps`.
        """
        places = [position - self._low(k) for k, position in enumerate(self._window_positions)]
        shape = self.result_shape
        return IndexMap.of(self._lhs_at(places), shape, self._steps[0], self._lows(shape))

    @cached_property
    def _steps(self) -> tuple[list[int], list[Expression], Expression]:
        """Sizes of the range variables, and the window position and feature that they denote."""
        ranges, (*window, channel) = _variables([*self._kernel_sizes, self._kernel_features])
        return ranges, window, channel

    @cached_property
    def _window_positions(self) -> list[Expression]:
        """Positions of a window, counted from the start of the padding."""
        spatial, window = self.output_dimensions[2], self._steps[1]
        return [
            Dim(at) * stride + place * dilation
            for at, stride, place, dilation in zip(
                spatial, self.window_strides, window, self.rhs_dilation, strict=True
            )
        ]

    def _lhs_at(self, places: Sequence[Expression]) -> list[Expression]:
        """An index of lhs in the batch and the feature group of a result element."""
        batch, feature, _ = self.output_dimensions
        ranges, _, channel = self._steps
        group = _group(Dim(feature), self._features_per_group, self._bounds(self.result_shape, ranges))
        by_feature, by_batch = self.feature_group_count > 1, self.batch_group_count > 1
        from_batch = group * self._batch_per_group + Dim(batch) if by_batch else Dim(batch)
        from_feature = group * self._kernel_features + channel if by_feature else channel
        return _place(self.input_dimensions, from_batch, from_feature, places)

    def inverse_index_maps(self) -> Iterator[OperandMap]:
        """From an element of lhs, of the kernel, or of a runtime padding, to the results that read it."""
        yield OperandMap(0, self._from_lhs())
        yield OperandMap(1, self._from_rhs())
        if self.padding_low is None:
            ranges, places = _variables(self.result_shape)
            shape = (len(self.window_strides), 2)
            yield OperandMap(2, IndexMap.of(places, shape, ranges, constraints=[(Dim(1), ZERO)]))

    def _from_lhs(self) -> IndexMap:
        """An element is in one window per window position, and goes to every feature of its group."""
        batch, feature, spatial = self.input_dimensions
        ranges, (*window, channel) = _variables([*self._kernel_sizes, self._features_per_group])
        bounds = self._bounds(self.lhs_shape, ranges)
        to_batch: Expression = Dim(batch)
        to_feature = channel
        if self.feature_group_count > 1:
            group = _group(Dim(feature), self._kernel_features, bounds)
            to_feature = group * self._features_per_group + channel
        if self.batch_group_count > 1:
            group = _group(Dim(batch), self._batch_per_group, bounds)
            to_feature = group * self._features_per_group + channel
            to_batch = remainder(Dim(batch), max(1, self._batch_per_group), bounds)
        windows: list[Expression] = []
        constraints: list[Constraint] = []
        for k, at in enumerate(spatial):
            start = Dim(at) * self.lhs_dilation[k] + self._low(k) - window[k] * self.rhs_dilation[k]
            number = divide(start, self.window_strides[k], bounds)
            last = self.result_shape[self.output_dimensions[2][k]] - 1
            constraints += [
                (start, Interval(0, last * self.window_strides[k])),
                (remainder(start, self.window_strides[k], bounds), ZERO),
            ]
            windows.append(number)
        index = _place(self.output_dimensions, to_batch, to_feature, windows)
        return IndexMap.of(index, self.lhs_shape, ranges, self._lows(self.lhs_shape), constraints)

    def _from_rhs(self) -> IndexMap:
        """An element goes to its output feature in every batch and at every spatial position."""
        batch, _, spatial = self.output_dimensions
        sizes = [self.result_shape[batch], *(self.result_shape[at] for at in spatial)]
        ranges, (to_batch, *places) = _variables(sizes)
        index = _place(self.output_dimensions, to_batch, Dim(self.kernel_dimensions[1]), places)
        return IndexMap.of(index, self.rhs_shape, ranges)

    def _elements_under(
        self, window_positions: Sequence[Expression], bounds: Bounds
    ) -> tuple[list[Expression], list[Constraint]]:
        """Input elements at positions of the dilated, padded input, and constraints for them to exist."""
        places: list[Expression] = []
        constraints: list[Constraint] = []
        for k, (start, at) in enumerate(zip(window_positions, self.input_dimensions[2], strict=True)):
            position, dilation = start - self._low(k), self.lhs_dilation[k]
            places.append(divide(position, dilation, bounds))
            reach = Interval(0, (self.lhs_shape[at] - 1) * dilation)
            constraints += [(position, reach), (remainder(position, dilation, bounds), ZERO)]
        return places, constraints

    def _low(self, number: int) -> Operand:
        return Runtime(number) if self.padding_low is None else self.padding_low[number]

    def _lows(self, shape: Shape) -> tuple[RuntimeVariable, ...]:
        """Runtime padding for a map over `shape`; beyond these intervals no window meets an element."""
        if self.padding_low is not None:
            return ()
        found = []
        for k, (here, there) in enumerate(
            zip(self.input_dimensions[2], self.output_dimensions[2], strict=True)
        ):
            least = -(self.lhs_shape[here] - 1) * self.lhs_dilation[k]
            most = (self.result_shape[there] - 1) * self.window_strides[k]
            most += (self._kernel_sizes[k] - 1) * self.rhs_dilation[k]
            place = IndexMap.of((Constant(k), Constant(0)), shape)
            found.append(RuntimeVariable(Interval(least, most), 2, place, clamped=False))
        return tuple(found)

    def _bounds(self, shape: Shape, ranges: Shape) -> dict[Expression, Interval]:
        bounds: dict[Expression, Interval] = {Dim(k): found for k, found in enumerate(box(tuple(shape)))}
        bounds |= {Range(k): found for k, found in enumerate(box(tuple(ranges)))}
        return bounds | {Runtime(k): variable.interval for k, variable in enumerate(self._lows(shape))}

    @cached_property
    def _kernel_sizes(self) -> list[int]:
        return [self.rhs_shape[at] for at in self.kernel_dimensions[2]]

    @property
    def _kernel_features(self) -> int:
        return self.rhs_shape[self.kernel_dimensions[0]]

    @property
    def _features_per_group(self) -> int:
        count = self.feature_group_count * self.batch_group_count  # one of them is 1
        return self.rhs_shape[self.kernel_dimensions[1]] // count

    @property
    def _batch_per_group(self) -> int:
        return self.lhs_shape[self.input_dimensions[0]] // self.batch_group_count


def _variables(sizes: Sequence[int]) -> tuple[list[int], list[Expression]]:
    """Sizes of the range variables needed, and for each of `sizes` its variable, or 0."""
    ranges: list[int] = []
    variables: list[Expression] = []
    for size in sizes:
        variables.append(Constant(0) if size == 1 else Range(len(ranges)))
        ranges += [size] * (size != 1)
    return ranges, variables


def _place(
    dimensions: tuple[int, int, Sequence[int]],
    first: Expression,
    second: Expression,
    rest: Sequence[Expression],
) -> list[Expression]:
    """An index in the order of the tensor's dimensions."""
    where = {dimensions[0]: first, dimensions[1]: second}
    where |= dict(zip(dimensions[2], rest, strict=True))
    return [where[k] for k in sorted(where)]


def _group(place: Expression, size: int, bounds: Bounds) -> Expression:
    """The group number of groups of `size` consecutive positions."""
    return divide(place, max(1, size), bounds)
