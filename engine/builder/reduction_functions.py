"""Functions that run a computation over elements: reductions, windows, map, sort, top-k and scan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..ir.types import TensorType, Type
from .broadcasting import Broadcasting
from .builder_error import BuilderError
from .computation import XlaComputation
from .contraction_functions import PaddingLike, Pairs, make_padding
from .handles import Operand, XlaOp
from .property_attributes import integer, integers, wholes, window_properties

Computation = XlaComputation | Callable[..., Any]
"""What another builder's `build()` has given, or a function of handles, which is traced."""
Several = XlaOp | Sequence[XlaOp]
Initial = Operand | list[Operand] | tuple[Operand, ...]


class Reductions(Broadcasting):
    """Functions that combine, choose or order elements with a computation."""

    def reduce(
        self,
        operands: Several,
        init_values: Initial,
        computation: Computation,
        dimensions_to_reduce: Sequence[int],
    ) -> XlaOp:
        """All elements along some dimensions combined, `init_values` first.

        `computation` takes an accumulator for each operand, then an element of each: `T.., T.. -> T..` of scalars;
        for several operands it gives a tuple, and so does reduce. `T[d0, …] -> T[the dimensions that are left]`.
        The order in which elements are combined is open.
        """
        arrays, starts = self._operands_and_starts(operands, init_values, "reduce")
        properties = {"dimensions": integers("dimensions_to_reduce", dimensions_to_reduce)}
        region = self.region(computation, scalars_of(arrays) * 2)
        return self.emit("stablehlo.reduce", (*arrays, *starts), properties, regions=[region])

    def reduce_all(self, operand: XlaOp, init_value: Operand, computation: Computation) -> XlaOp:
        """`reduce` along all dimensions: `T[d0, …] -> T[]`."""
        return self.reduce(operand, init_value, computation, list(range(operand.rank)))

    def reduce_window(
        self,
        operands: Several,
        init_values: Initial,
        computation: Computation,
        window_dimensions: Sequence[int],
        window_strides: Sequence[int],
        padding: PaddingLike,
        base_dilations: Sequence[int] | None = None,
        window_dilations: Sequence[int] | None = None,
    ) -> XlaOp:
        """All elements of each window combined, `init_values` first; `padding` is SAME or VALID.

        `T[d0, …] -> T[one element for each window]`, a tuple of such for several operands. `computation` is as that
        of `reduce`. Padding and holes count for nothing.
        """
        arrays = self.several(operands, "reduce-window")
        rank = arrays[0].rank
        window = wholes("window_dimensions", window_dimensions)
        spread = wholes("window_dilations", window_dilations or (1,) * len(window))
        extents = [max((size - 1) * step + 1, 0) for size, step in zip(window, spread, strict=False)]
        base = wholes("base_dilations", base_dilations or (1,) * rank)
        sizes = [
            max((size - 1) * step + 1, 0) for size, step in zip(arrays[0].tensor.sizes, base, strict=False)
        ]
        strides = wholes("window_strides", window_strides)
        pads = make_padding(sizes, extents, strides, padding, "reduce-window")
        return self.reduce_window_with_general_padding(
            operands, init_values, computation, window, strides, base, spread, pads
        )

    def reduce_window_with_general_padding(
        self,
        operands: Several,
        init_values: Initial,
        computation: Computation,
        window_dimensions: Sequence[int],
        window_strides: Sequence[int],
        base_dilations: Sequence[int] | None,
        window_dilations: Sequence[int] | None,
        padding: Pairs,
    ) -> XlaOp:
        """`reduce_window` with low and high padding of each dimension.

        `base_dilations` put holes between elements, `window_dilations` between the places of a window.
        """
        arrays, starts = self._operands_and_starts(operands, init_values, "reduce-window")
        properties = window_properties(
            "stablehlo.reduce_window",
            window_dimensions=window_dimensions,
            window_strides=window_strides,
            base_dilations=base_dilations,
            window_dilations=window_dilations,
            padding=padding,
            skips_padding=True,
        )
        region = self.region(computation, scalars_of(arrays) * 2)
        return self.emit("stablehlo.reduce_window", (*arrays, *starts), properties, regions=[region])

    def select_and_scatter(
        self,
        operand: XlaOp,
        select: Computation,
        window_dimensions: Sequence[int],
        window_strides: Sequence[int],
        padding: PaddingLike,
        source: XlaOp,
        init_value: Operand,
        scatter: Computation,
    ) -> XlaOp:
        """Puts each element of `source` where the window of its place has the element that `select` keeps.

        `select(kept, next)`, `T, T -> pred`, says whether to keep what is kept; `scatter(current, source)`,
        `T, T -> T`, combines what meets, beginning with `init_value`. `T[d0, …] -> T[d0, …]`; `source` has an
        element for each window. `padding` is SAME or VALID.
        """
        sizes, window = operand.tensor.sizes, wholes("window_dimensions", window_dimensions)
        strides = wholes("window_strides", window_strides)
        pads = make_padding(sizes, window, strides, padding, "select-and-scatter")
        return self.select_and_scatter_with_general_padding(
            operand, select, window, strides, pads, source, init_value, scatter
        )

    def select_and_scatter_with_general_padding(
        self,
        operand: XlaOp,
        select: Computation,
        window_dimensions: Sequence[int],
        window_strides: Sequence[int],
        padding: Pairs,
        source: XlaOp,
        init_value: Operand,
        scatter: Computation,
    ) -> XlaOp:
        """`select_and_scatter` with low and high padding of each dimension, which is never selected."""
        scalars = scalars_of([operand]) * 2
        regions = [self.region(select, scalars, "select"), self.region(scatter, scalars, "scatter")]
        properties = window_properties(
            "stablehlo.select_and_scatter",
            window_dimensions=window_dimensions,
            window_strides=window_strides,
            padding=padding,
        )
        start = self.like(init_value, operand.element_type, "select-and-scatter")
        return self.emit(
            "stablehlo.select_and_scatter", (operand, source, start), properties, regions=regions
        )

    def map(
        self,
        operands: Several,
        computation: Computation,
        dimensions: Sequence[int] | None = None,
        static_operands: Sequence[Operand] = (),
    ) -> XlaOp:
        """`computation` of the elements at each index: `T0[d0, …], T1[d0, …], … -> S[d0, …]`.

        It takes a scalar of each operand and gives one. `dimensions` are all of them, in order. Scalars in
        `static_operands` are handed to every call, behind the elements.
        """
        arrays = self.several(operands, "map")
        statics = [self.like(given, arrays[0].element_type, "map") for given in static_operands]
        if any(given.rank for given in statics):
            raise BuilderError("static_operands must be scalars", op="map")
        spread = [self.grow(given, arrays[0].shape) for given in statics]
        chosen = range(arrays[0].rank) if dimensions is None else dimensions
        region = self.region(computation, scalars_of([*arrays, *spread]))
        return self.emit("stablehlo.map", (*arrays, *spread), regions=[region], dimensions=list(chosen))

    def sort(
        self,
        operands: Several,
        comparator: Computation | XlaOp | int | None = None,
        dimension: int | None = None,
        is_stable: bool = False,
    ) -> XlaOp:
        """The elements of each operand along a dimension, the last unless given, in the order of `comparator`.

        It takes two elements of each operand, `T0, T0, T1, T1, … -> pred`, and says whether the first of each pair
        comes before the second. Several operands are ordered together and give a tuple. Older forms: without a
        comparator the first operand's elements increase; `sort(operand, dimension)`; `sort(keys, values)`.
        """
        if isinstance(comparator, int):
            comparator, dimension = None, comparator
        values = [comparator] if isinstance(comparator, XlaOp) else []
        arrays = [*self.several(operands, "sort"), *values]
        chosen = comparator if comparator is not None and not values else _is_less
        assert not isinstance(chosen, XlaOp)
        types = [found for found in scalars_of(arrays) for _ in range(2)]
        region = self.region(chosen, types, "compare")
        along = arrays[0].rank - 1 if dimension is None else dimension
        return self.emit("stablehlo.sort", arrays, regions=[region], dimension=along, is_stable=is_stable)

    def top_k(self, operand: XlaOp, k: int, largest: bool = True) -> XlaOp:
        """The k largest, or smallest, elements of each row and where they are: `T[…, n] -> (T[…, k], s32[…, k])`.

        Floats are in their total order; of equal elements the one of lower index comes first.
        """
        return self.emit("hlo.topk", (operand,), k=k, largest=largest)

    def scan(
        self,
        inputs: Sequence[XlaOp],
        init_values: Sequence[Operand],
        computation: Computation,
        scan_dimension: int,
        is_reverse: bool = False,
        is_associative: bool = False,
    ) -> XlaOp:
        """Runs `computation` on slice after slice of `inputs`, each time with the carries of the time before.

        It takes a slice of each input, then the carries, which begin as `init_values`, and gives a tuple of
        outputs, then carries. The result is a tuple of all outputs, joined along `scan_dimension`, and the last
        carries.
        """
        arrays = self.several(inputs, "scan")
        starts = [self.like(given, arrays[0].element_type, "scan") for given in init_values]
        slices = [_without(array.tensor, scan_dimension) for array in arrays]
        region = self.region(computation, [*slices, *(start.type for start in starts)])
        return self.emit(
            "hlo.scan",
            (*arrays, *starts),
            regions=[region],
            dimension=integer("scan_dimension", scan_dimension),
            num_carries=len(starts),
            is_reverse=is_reverse,
            is_associative=is_associative,
        )

    def several(self, operands: Several, op: str) -> list[XlaOp]:
        """One array or several, as a list."""
        given = [operands] if isinstance(operands, XlaOp) else list(operands)
        if not given:
            raise BuilderError("needs at least one operand", op=op)
        for operand in given:
            self.own(operand, op).tensor  # noqa: B018 - says that a tuple is no array
        return given

    def _operands_and_starts(
        self, operands: Several, init_values: Initial, op: str
    ) -> tuple[list[XlaOp], list[XlaOp]]:
        """Operands and their init values, as many of each."""
        arrays = self.several(operands, op)
        starts = list(init_values) if isinstance(init_values, list | tuple) else [init_values]
        if len(starts) != len(arrays):
            message = f"there are {len(arrays)} operands, but {len(starts)} init_values"
            raise BuilderError(message, op=op)
        pairs = zip(starts, arrays, strict=True)
        return arrays, [self.like(start, array.element_type, op) for start, array in pairs]


def scalars_of(arrays: Sequence[XlaOp]) -> list[Type]:
    """The types of one element of each array."""
    return [TensorType((), array.element_type) for array in arrays]


def _without(found: TensorType, dimension: int) -> TensorType:
    return found.with_shape(tuple(size for at, size in enumerate(found.shape) if at != dimension))


def _is_less(lhs: XlaOp, rhs: XlaOp, *others: XlaOp) -> XlaOp:
    """The comparator of the forms without one: floats in their total order."""
    return lhs.builder.lt_total_order(lhs, rhs)
