"""Functions that move elements and give them other shapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import overload

from ..ir.element_types import I32
from ..ir.types import Dimension, TensorType, Type
from .broadcasting import Broadcasting
from .builder_error import BuilderError
from .handles import Operand, XlaOp, check_dimension
from .property_attributes import integers, wholes
from .shape_text import ShapeLike, tensor_of


@dataclass(frozen=True)
class PaddingDimension:
    """How one dimension is padded: at its low end, at its high end, and between any two elements."""

    edge_padding_low: int = 0
    edge_padding_high: int = 0
    interior_padding: int = 0


PaddingConfig = Sequence[PaddingDimension | Sequence[int]]
"""One entry for each dimension: a `PaddingDimension`, or `(low, high)` or `(low, high, interior)`."""


class Shaping(Broadcasting):
    """Functions whose results hold elements of their operands."""

    def broadcast(self, operand: XlaOp, broadcast_sizes: Sequence[int]) -> XlaOp:
        """Copies of the operand along new dimensions, which come first: `T[b…], {a…} -> T[a…, b…]`."""
        sizes = wholes("broadcast_sizes", broadcast_sizes)
        _check_sizes("broadcast_sizes", sizes, "broadcast")
        dimensions = tuple(range(len(sizes), len(sizes) + operand.rank))
        return self.in_dimensions(operand, (*sizes, *operand.shape), dimensions)

    def broadcast_in_dim(
        self, operand: XlaOp, out_dim_size: Sequence[int], broadcast_dimensions: Sequence[int]
    ) -> XlaOp:
        """Copies of the operand along any dimensions of a result of sizes `out_dim_size`.

        Dimension `i` of the operand is dimension `broadcast_dimensions[i]` of the result, and has its size or size
        1, which is repeated. `T[b…] -> T[out_dim_size…]`.
        """
        sizes = wholes("out_dim_size", out_dim_size)
        mapped = wholes("broadcast_dimensions", broadcast_dimensions)
        _check_sizes("out_dim_size", sizes, "broadcast")
        _check_in_dim(operand.tensor, sizes, mapped)
        return self._repeat(operand, sizes, mapped)

    @overload
    def reshape(self, operand: XlaOp, dimensions: Sequence[int], new_sizes: None = None) -> XlaOp: ...

    @overload
    def reshape(self, operand: ShapeLike, dimensions: XlaOp, new_sizes: None = None) -> XlaOp: ...

    @overload
    def reshape(self, operand: XlaOp, dimensions: Sequence[int], new_sizes: Sequence[int]) -> XlaOp: ...

    def reshape(
        self,
        operand: XlaOp | ShapeLike,
        dimensions: Sequence[int] | XlaOp,
        new_sizes: Sequence[int] | None = None,
    ) -> XlaOp:
        """The same elements, in row-major order, in another shape of as many: `T[a…] -> T[b…]`.

        `reshape(operand, sizes)`; `reshape(shape, operand)` with a whole shape; and as in older XLA
        `reshape(operand, dimensions, new_sizes)`, which takes the elements in the order that transposing by
        `dimensions` would put them in.
        """
        if isinstance(dimensions, XlaOp):
            wanted = tensor_of(operand)  # type: ignore[arg-type]
            return self.emit("stablehlo.reshape", (dimensions,), result=wanted)
        source = self.own(operand, "reshape")
        sizes = wholes("dimensions", dimensions)
        if new_sizes is not None:
            if sizes != tuple(range(source.rank)):
                source = self.transpose(source, sizes)
            sizes = wholes("new_sizes", new_sizes)
        _check_sizes("dimensions", sizes, "reshape")
        return self.emit("stablehlo.reshape", (source,), result=source.tensor.with_shape(sizes))

    def dynamic_reshape(
        self,
        operand: XlaOp,
        dim_sizes: Sequence[Operand],
        new_size_bounds: Sequence[int],
        dims_are_dynamic: Sequence[bool],
    ) -> XlaOp:
        """`reshape` to sizes that are computed: one s32 scalar for each dimension of the result.

        Dimension `i` has at most `new_size_bounds[i]` elements, and exactly as many unless `dims_are_dynamic[i]`;
        the bounds have as many elements as the operand.
        """
        bounds = wholes("new_size_bounds", new_size_bounds)
        if not len(bounds) == len(dim_sizes) == len(dims_are_dynamic):
            message = "dim_sizes, new_size_bounds and dims_are_dynamic must have an entry for each dimension"
            raise BuilderError(message, op="dynamic-reshape")
        if prod(bounds) != operand.tensor.element_count:
            message = f"new_size_bounds {list(bounds)} must have as many elements as the operand, {operand.tensor.element_count}"
            raise BuilderError(message, op="dynamic-reshape")
        pairs = list(zip(bounds, dims_are_dynamic, strict=True))
        shape = tuple(None if dynamic else bound for bound, dynamic in pairs)
        stated = tuple(bound if dynamic else None for bound, dynamic in pairs)
        result = TensorType(shape, operand.element_type, stated if None in shape else None)
        sizes = [self.like(size, I32, "dynamic-reshape") for size in dim_sizes]
        return self.emit("hlo.dynamic_reshape", (operand, *sizes), result=result)

    def collapse(self, operand: XlaOp, dimensions: Sequence[int]) -> XlaOp:
        """Neighbouring dimensions as one, of as many elements: `T[4,2,3], {0,1} -> T[8,3]`."""
        found = wholes("dimensions", dimensions)
        in_order = all(at == found[0] + number for number, at in enumerate(found))
        if not in_order or not all(0 <= at < operand.rank for at in found):
            message = (
                f"dimensions {list(found)} must be neighbours in increasing order within rank {operand.rank}"
            )
            raise BuilderError(message, op="reshape")
        if len(found) <= 1:
            return self.own(operand, "reshape")
        sizes = operand.tensor.sizes
        before, merged, after = sizes[: found[0]], sizes[found[0] : found[-1] + 1], sizes[found[-1] + 1 :]
        return self.reshape(operand, [*before, prod(merged), *after])

    def transpose(self, operand: XlaOp, permutation: Sequence[int]) -> XlaOp:
        """The dimensions in another order: dimension `i` of the result is `permutation[i]` of the operand."""
        return self.emit("stablehlo.transpose", (operand,), permutation=permutation)

    def rev(self, operand: XlaOp, dimensions: Sequence[int]) -> XlaOp:
        """The elements in reverse order along `dimensions`: index i comes from N - 1 - i."""
        return self.emit("stablehlo.reverse", (operand,), dimensions=dimensions)

    def concatenate(self, operands: Sequence[XlaOp], dimension: int) -> XlaOp:
        """Arrays joined along a dimension, in order; their other sizes are equal."""
        return self.emit("stablehlo.concatenate", operands, dimension=dimension)

    def concat_in_dim(self, operands: Sequence[XlaOp], dimension: int) -> XlaOp:
        """The same as `concatenate`."""
        return self.concatenate(operands, dimension)

    def slice(
        self,
        operand: XlaOp,
        start_indices: Sequence[int],
        limit_indices: Sequence[int],
        strides: Sequence[int] | None = None,
    ) -> XlaOp:
        """The elements from `start_indices` up to but not `limit_indices`, every `strides`-th, 1 unless given."""
        steps = (1,) * len(start_indices) if strides is None else strides
        return self.emit(
            "stablehlo.slice",
            (operand,),
            start_indices=start_indices,
            limit_indices=limit_indices,
            strides=steps,
        )

    def slice_in_dim(
        self, operand: XlaOp, start_index: int, limit_index: int, stride: int, dimno: int
    ) -> XlaOp:
        """`slice` along the one dimension `dimno`."""
        check_dimension("dimno", dimno, operand, "slice")
        starts, limits, strides = [0] * operand.rank, list(operand.tensor.sizes), [1] * operand.rank
        starts[dimno], limits[dimno], strides[dimno] = start_index, limit_index, stride
        return self.slice(operand, starts, limits, strides)

    def dynamic_slice(
        self, operand: XlaOp, start_indices: Sequence[Operand] | XlaOp, slice_sizes: Sequence[int]
    ) -> XlaOp:
        """A part of sizes `slice_sizes` that begins at indices which are computed.

        There is a scalar for each dimension or, as in older XLA, a vector of them. A start that would put the part
        outside is moved in. `T[d0, …] -> T[slice_sizes…]`.
        """
        if isinstance(start_indices, XlaOp):
            operands = operand, start_indices
            return self.emit("hlo.dynamic_slice_by_vector", operands, slice_sizes=slice_sizes)
        starts = self._starts(start_indices, "dynamic-slice")
        return self.emit("stablehlo.dynamic_slice", (operand, *starts), slice_sizes=slice_sizes)

    def dynamic_update_slice(
        self, operand: XlaOp, update: XlaOp, start_indices: Sequence[Operand] | XlaOp
    ) -> XlaOp:
        """The operand with `update` in the place of a part that begins at indices which are computed.

        The indices are as those of `dynamic_slice`. `T[d0, …], T[u0, …] -> T[d0, …]`.
        """
        if isinstance(start_indices, XlaOp):
            return self.emit("hlo.dynamic_update_slice_by_vector", (operand, update, start_indices))
        starts = self._starts(start_indices, "dynamic-update-slice")
        return self.emit("stablehlo.dynamic_update_slice", (operand, update, *starts))

    def _starts(self, indices: Sequence[Operand], op: str) -> list[XlaOp]:
        handles = [found for found in indices if isinstance(found, XlaOp)]
        element_type = handles[0].element_type if handles else I32
        return [self.like(found, element_type, op) for found in indices]

    def pad(self, operand: XlaOp, padding_value: Operand, padding_config: PaddingConfig) -> XlaOp:
        """The operand with `padding_value` between its elements and around them.

        Interior padding comes first; then edges grow or, negative, are cut. `T[d0, …], T[] -> T[e0, …]`.
        """
        found = [_padding_entry(entry) for entry in padding_config]
        stated = {
            name: integers("padding_config", [getattr(entry, name) for entry in found])
            for name in ("edge_padding_low", "edge_padding_high", "interior_padding")
        }
        value = self.like(padding_value, operand.element_type, "pad")
        return self.emit("stablehlo.pad", (operand, value), stated)

    def pad_in_dim(
        self, operand: XlaOp, padding_value: Operand, dimno: int, pad_lo: int, pad_hi: int
    ) -> XlaOp:
        """`pad` at both ends of the one dimension `dimno`."""
        check_dimension("dimno", dimno, operand, "pad")
        config = [(pad_lo, pad_hi) if at == dimno else (0, 0) for at in range(operand.rank)]
        return self.pad(operand, padding_value, config)

    def get_dimension_size(self, operand: XlaOp, dimension: int) -> XlaOp:
        """The size that a dimension has in this run: `T[d0, …] -> s32[]`."""
        return self.emit("stablehlo.get_dimension_size", (operand,), dimension=dimension)

    def set_dimension_size(self, operand: XlaOp, val: Operand, dimension: int) -> XlaOp:
        """The operand with only the first `val` elements along a dimension, an s32 scalar that is computed.

        The dimension becomes dynamic, its old size is its bound: `T[10], s32[] -> T[<=10]`. Reductions see the
        elements that are left.
        """
        check_dimension("dimension", dimension, operand, "set-dimension-size")
        size = self.like(val, I32, "set-dimension-size")
        result = _bounded_type(operand.tensor, dimension)
        return self.emit("stablehlo.set_dimension_size", (operand, size), result=result, dimension=dimension)


def _bounded_type(operand: TensorType, dimension: int) -> Type:
    shape: list[Dimension] = list(operand.shape)
    bounds = list(operand.bounds or (None,) * operand.rank)
    if shape[dimension] is not None:
        bounds[dimension] = shape[dimension]
    shape[dimension] = None
    return TensorType(tuple(shape), operand.element_type, tuple(bounds))


def _padding_entry(entry: PaddingDimension | Sequence[int]) -> PaddingDimension:
    if isinstance(entry, PaddingDimension):
        return entry
    numbers = wholes("padding_config", entry)
    if len(numbers) not in (2, 3):
        message = f"an entry of padding_config is (low, high) or (low, high, interior), not {entry}"
        raise BuilderError(message, op="pad")
    return PaddingDimension(*numbers)


def _check_sizes(name: str, sizes: Sequence[int], op: str) -> None:
    if any(size < 0 for size in sizes):
        raise BuilderError(f"{name} {list(sizes)} has a negative size", op=op)


def _check_in_dim(operand: TensorType, sizes: tuple[int, ...], mapped: tuple[int, ...]) -> None:
    shown = list(mapped)
    if len(mapped) != operand.rank:
        message = (
            f"broadcast_dimensions {shown} must name a dimension for each of the operand's {operand.rank}"
        )
        raise BuilderError(message, op="broadcast")
    if any(not 0 <= at < len(sizes) for at in mapped) or len(set(mapped)) < len(mapped):
        message = f"broadcast_dimensions {shown} must be different dimensions within rank {len(sizes)}"
        raise BuilderError(message, op="broadcast")
    for size, at in zip(operand.shape, mapped, strict=True):
        if size not in (1, sizes[at]):
            message = f"dimension {at} of the result has size {sizes[at]}, the operand's has {size}: it must be that or 1"
            raise BuilderError(message, op="broadcast")
