"""Ops that move elements by a fixed rule: broadcast_in_dim, concatenate, reshape, reverse, slice, transpose.

All but `concatenate` return views of their operand where NumPy can make one. Quantized elements move as their storage.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from ...indexing import (
    OperandMap,
    broadcast_in_dim_maps,
    concatenate_maps,
    reshape_maps,
    reverse_maps,
    slice_maps,
    transpose_maps,
)
from ...ir.element_types import ElementType, QuantizedType
from ...ir.types import Dimension, TensorType
from ..core.bases import Moving, StatedSizes
from ..core.facets import Drawing, HloSpelling, Lanes, Roles, Section, Traits, name_dimensions
from ..core.facets.findings import Findings
from ..core.kinds import TENSOR_OR_PER_TENSOR, are_one_scalar, holds
from ..core.op import Array, Constraint, Op, all_equal, merged_shape, shapes_agree
from ..core.rules import (
    agree,
    at_most,
    drop_dimensions,
    format_list,
    inside_rank,
    is_per_axis_quantized,
    named_once,
    same_quantization,
    sizes_at,
)


class BroadcastInDimDrawing(Drawing["BroadcastInDim"]):
    def dimension_roles(self, op: BroadcastInDim) -> Roles:
        """Sizes of 1 that become others are expanded; all dimensions that the operand lacks are new."""
        sizes = zip(op.operand.shape, op.broadcast_dimensions, strict=True)
        expanded = [k for k, (size, to) in enumerate(sizes) if size == 1 != op.result.shape[to]]
        new = [k for k in range(op.result.rank) if k not in op.broadcast_dimensions]
        lists = {"expanded": [op.broadcast_dimensions[k] for k in expanded], "new": new}
        operand = name_dimensions(op.operand.rank, {"expanded": expanded})
        return (operand,), (name_dimensions(op.result.rank, lists),)


class BroadcastInDimLanes(Lanes["BroadcastInDim"]):
    def is_lane_by_lane(self, op: BroadcastInDim) -> bool:
        return are_one_scalar(op.operand, op.result)


@dataclass(frozen=True)
class BroadcastInDim(Moving, StatedSizes):
    """Expands dimensions of size 1 and adds new ones by repeating the data of `operand`.

    `result[i0, …] = operand[…, i[broadcast_dimensions[d]], …]`, with index 0 where an operand dimension of size
    1 is expanded. `broadcast_dimensions` may be in any order. No data is copied. Specification: broadcast_in_dim.
    """

    name = "stablehlo.broadcast_in_dim"
    short_form = "operands , dims = $broadcast_dimensions attr-dict : functional-type"
    hlo = HloSpelling(
        "broadcast",
        "BroadcastInDim",
        note="`dimensions` says which dimension of the result each one of the operand becomes, in any order. "
        "Sizes stay as they are: a dimension of size 1 is not stretched.",
    )
    open_sizes = replace(StatedSizes.open_sizes, dynamic_twin="dynamic_broadcast_in_dim")
    drawing = BroadcastInDimDrawing()
    lanes = BroadcastInDimLanes()

    operand: TensorType
    broadcast_dimensions: tuple[int, ...]
    result: TensorType

    def constraints(self) -> Iterator[Constraint]:
        source, target = self.operand.element_type, self.result.element_type
        ignored = ("quantization_dimension", "scales", "zero_points") if is_per_axis_quantized(source) else ()
        sentence = f"element types of operand and result differ: {source} and {target}"
        yield "C1", same_quantization(source, target, *ignored), sentence
        count, rank = len(self.broadcast_dimensions), self.operand.rank
        sentence = f"broadcast_dimensions has {count} elements, but the operand has rank {rank}"
        yield "C2", count == rank, sentence
        dimensions = self.broadcast_dimensions
        yield inside_rank("C3", "broadcast_dimensions", dimensions, "the result's ", self.result.rank)
        yield named_once("C4", "broadcast_dimensions", dimensions)
        sizes = zip(self.operand.shape, self.broadcast_dimensions, strict=True)
        for d, (size, to) in enumerate(sizes):
            whole = self.result.shape[to]
            sentence = f"dimension {d} of operand (size {size}) cannot be spread over dimension {to} of the result (size {whole})"
            yield "C5", size == 1 or agree(size, whole), sentence
        problem = self._quantization_problem()
        yield "C6", problem is None, problem or ""

    def _quantization_problem(self) -> str | None:
        """The difference between the quantization of the result and of the operand; `None` without one."""
        source, target = self.operand.element_type, self.result.element_type
        if not isinstance(source, QuantizedType) or not isinstance(target, QuantizedType):
            return None
        here, there = source.quantization_dimension, target.quantization_dimension
        wanted = None if here is None else self.broadcast_dimensions[here]
        if there != wanted:
            return f"the result is quantized {_axis(there)}, but operand {_axis(here)}, which goes to the result's {wanted}"
        if here is None or self.operand.shape[here] != 1:
            return None
        steps = {*zip(source.scales, source.zero_points, strict=True)}
        if steps == {*zip(target.scales, target.zero_points, strict=True)}:
            return None
        return f"dimension {here} of operand has one scale and zero point, {source}, but the result others: {target}"

    def evaluate(self, *operands: Array) -> Array:
        (operand,) = operands
        if self.lanes.is_lane_by_lane(self):
            return operand
        # NumPy takes None for f64.
        is_plain = self._plain is not None and operand.dtype == self._plain
        if is_plain and operand.size and operand.flags.c_contiguous:
            # A third of the time that NumPy's own function takes, and as good for an array without gaps.
            return np.ndarray(self.result.sizes, operand.dtype, operand, 0, self._strides)
        order, placed, sizes = self._placing
        if order is not None:
            operand = operand.transpose(order)
        return np.broadcast_to(operand.reshape(placed), sizes)

    @cached_property
    def _plain(self) -> np.dtype[Any] | None:
        """The elements' dtype, if NumPy lets another array look at such."""
        dtype = self.operand.element_type.dtype
        return dtype if dtype.kind in "biufc" else None

    @cached_property
    def _strides(self) -> tuple[int, ...]:
        """Bytes from one element of the result to the next, for an operand without gaps."""
        strides = [0] * self.result.rank
        step = self.operand.element_type.dtype.itemsize
        for size, dimension in reversed(
            list(zip(self.operand.sizes, self.broadcast_dimensions, strict=True))
        ):
            strides[dimension] = step if size > 1 else 0
            step *= size
        return tuple(strides)

    @cached_property
    def _placing(self) -> tuple[list[int] | None, list[int], tuple[int, ...]]:
        """The order of the operand's dimensions, if another, the shape with new ones, and the result's."""
        sizes = self.result.sizes
        placed = [1] * len(sizes)
        for size, dimension in zip(self.operand.sizes, self.broadcast_dimensions, strict=True):
            placed[dimension] = size
        order = sorted(range(self.operand.rank), key=self.broadcast_dimensions.__getitem__)
        return None if order == [*range(self.operand.rank)] else order, placed, sizes

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        return broadcast_in_dim_maps(
            self.operand.sizes, self.broadcast_dimensions, self.result.sizes, inverse=inverse
        )


class ConcatenateDrawing(Drawing["Concatenate"]):
    def dimension_roles(self, op: Concatenate) -> Roles:
        names = name_dimensions(op.inputs[0].rank, {"dimension": [op.dimension]})
        return (names,) * len(op.inputs), (names,)


@dataclass(frozen=True)
class Concatenate(Op):
    """Joins `inputs` along `dimension`, in order. Specification: concatenate."""

    name = "stablehlo.concatenate"
    findings = Findings(moves_elements=True)
    traits = Traits(lists_operands=True)
    short_form = "operands , dim = $dimension attr-dict : functional-type"
    hlo = HloSpelling("concatenate", "Concatenate")
    section = Section(result_labels={"element_type": "C5", "shape": "C6"})
    drawing = ConcatenateDrawing()

    inputs: tuple[TensorType, ...]
    dimension: int

    def constraints(self) -> Iterator[Constraint]:
        yield "C3", len(self.inputs) > 0, "needs at least one input"
        for number, tensor in enumerate(self.inputs):
            yield holds("I1", f"input {number}", tensor, TENSOR_OR_PER_TENSOR)
        types = format_list(tensor.element_type for tensor in self.inputs)
        yield "C1", all_equal(x.element_type for x in self.inputs), f"inputs differ in element type: {types}"
        rank = self.inputs[0].rank
        yield "C4", 0 <= self.dimension < rank, f"dimension {self.dimension} is outside rank {rank}"
        same_rank = all_equal(x.rank for x in self.inputs)
        elsewhere = (drop_dimensions(x.shape, self.dimension) for x in self.inputs)
        shapes = ", ".join(format_list(x.shape) for x in self.inputs)
        sentence = f"inputs differ outside dimension {self.dimension}: {shapes}"
        yield "C2", same_rank and shapes_agree(*elsewhere), sentence

    def infer(self) -> TensorType:
        first, *_ = self.inputs
        shape = list(merged_shape(*(x.shape for x in self.inputs)))
        shape[self.dimension] = self._joined_size()
        return TensorType(tuple(shape), first.element_type)

    def _joined_size(self) -> Dimension:
        sizes = [x.shape[self.dimension] for x in self.inputs]
        return None if None in sizes else sum(size for size in sizes if size is not None)

    def evaluate(self, *inputs: Array) -> Array:
        return np.concatenate(inputs, axis=self.dimension)

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        return concatenate_maps([x.sizes for x in self.inputs], self.dimension, inverse=inverse)


class ReshapeLanes(Lanes["Reshape"]):
    def is_lane_by_lane(self, op: Reshape) -> bool:
        return are_one_scalar(op.operand, op.result)


@dataclass(frozen=True)
class Reshape(Moving, StatedSizes):
    """Gives the elements of `operand`, in row-major order, another shape. Specification: reshape."""

    name = "stablehlo.reshape"
    traits = Traits(lists_operands=True)
    short_form = "operands attr-dict : functional-type"
    hlo = HloSpelling(
        "reshape",
        "Reshape",
        note="Elements keep the order of their indices whatever the layouts say; `bitcast` keeps the order in "
        "memory.",
    )
    open_sizes = replace(StatedSizes.open_sizes, dynamic_twin="dynamic_reshape")
    drawing = Drawing(keeps_points=True)
    lanes = ReshapeLanes()

    operand: TensorType
    result: TensorType

    def constraints(self) -> Iterator[Constraint]:
        source, target = self.operand.element_type, self.result.element_type
        ignored = ("quantization_dimension",) if is_per_axis_quantized(source) else ()
        sentence = f"element types of operand and result differ: {source} and {target}"
        yield "C1", same_quantization(source, target, *ignored), sentence
        shapes = f"{format_list(self.operand.shape)} and {format_list(self.result.shape)}"
        known = self.operand.is_static and self.result.is_static
        counts = (self.operand.element_count, self.result.element_count) if known else (0, 0)
        sentence = (
            f"operand has {counts[0]:,} elements and the result {counts[1]:,}: their sizes are {shapes}"
        )
        yield "C2", counts[0] == counts[1], sentence
        yield from self._quantization_constraints(shapes)

    def _quantization_constraints(self, shapes: str) -> Iterator[Constraint]:
        source, target = self.operand.element_type, self.result.element_type
        if isinstance(source, QuantizedType) and isinstance(target, QuantizedType):
            here, there = _axis(source.quantization_dimension), _axis(target.quantization_dimension)
            sentence = f"operand is quantized {here} and the result {there}, which lie elsewhere in row-major order: {shapes}"
            yield "C3", self._quantized_dimension_stays(), sentence

    def _quantized_dimension_stays(self) -> bool:
        source, target = self.operand.element_type, self.result.element_type
        if not isinstance(source, QuantizedType) or not isinstance(target, QuantizedType):
            return True
        here, there = source.quantization_dimension, target.quantization_dimension
        if here is None or there is None:
            return here == there
        if not (self.operand.is_static and self.result.is_static):
            return True
        return _element_counts(self.operand, here) == _element_counts(self.result, there)

    def evaluate(self, *operands: Array) -> Array:
        (operand,) = operands
        return operand if self.lanes.is_lane_by_lane(self) else operand.reshape(self.result.sizes)

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        return reshape_maps(self.operand.sizes, self.result.sizes, inverse=inverse)


def _axis(dimension: int | None) -> str:
    return "per tensor" if dimension is None else f"along dimension {dimension}"


def _element_counts(tensor: TensorType, dimension: int) -> tuple[int, int, int]:
    """Elements before, in and after `dimension` in row-major order, of a static tensor."""
    sizes = tensor.sizes
    return prod(sizes[:dimension]), sizes[dimension], prod(sizes[dimension + 1 :])


class ReverseDrawing(Drawing["Reverse"]):
    def dimension_roles(self, op: Reverse) -> Roles:
        names = name_dimensions(op.operand.rank, {"reversed": op.dimensions})
        return (names,), (names,)


@dataclass(frozen=True)
class Reverse(Moving):
    """Turns the order of the elements round along each of `dimensions`. No data is copied. Specification: reverse."""

    name = "stablehlo.reverse"
    short_form = "operands , dims = $dimensions attr-dict : same-type"
    hlo = HloSpelling("reverse", "Rev")
    section = Section(result_labels={"element_type": "C1", "shape": "C1"})
    drawing = ReverseDrawing()

    operand: TensorType
    dimensions: tuple[int, ...]

    def constraints(self) -> Iterator[Constraint]:
        yield holds("I1", "operand", self.operand, TENSOR_OR_PER_TENSOR)
        yield named_once("C2", "dimensions", self.dimensions)
        yield inside_rank("C3", "dimensions", self.dimensions, "", self.operand.rank)

    def infer(self) -> TensorType:
        return self.operand

    def evaluate(self, *operands: Array) -> Array:
        (operand,) = operands
        turned = slice(None, None, -1)
        index: list[Any] = [turned if d in self.dimensions else slice(None) for d in range(operand.ndim)]
        return operand[(*index, ...)]

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        return reverse_maps(self.operand.sizes, self.dimensions)


@dataclass(frozen=True)
class Slice(Moving):
    """Takes every `strides[d]`-th element of `operand` from `start_indices[d]` up to `limit_indices[d]`.

    `result[i] = operand[start_indices + i * strides]`. No data is copied. Specification: slice.
    """

    name = "stablehlo.slice"
    short_form = "operands slice-ranges attr-dict : functional-type"
    hlo = HloSpelling("slice", "Slice")
    section = Section(result_labels={"element_type": "C1", "shape": "C5"})

    operand: TensorType
    start_indices: tuple[int, ...]
    limit_indices: tuple[int, ...]
    strides: tuple[int, ...]

    def constraints(self) -> Iterator[Constraint]:
        yield holds("I1", "operand", self.operand, TENSOR_OR_PER_TENSOR)
        counts = [len(self.start_indices), len(self.limit_indices), len(self.strides)]
        sentence = f"start_indices, limit_indices and strides have {format_list(counts)} elements for rank {self.operand.rank}"
        yield "C2", all_equal([*counts, self.operand.rank]), sentence
        for d, (start, limit, size) in enumerate(
            zip(self.start_indices, self.limit_indices, self.operand.greatest_shape, strict=True)
        ):
            inside = 0 <= start <= limit and at_most(limit, size)
            sentence = (
                f"dimension {d}: [{start}:{limit}] is no range within size {'?' if size is None else size}"
            )
            yield "C3", inside, sentence
        sentence = f"strides {format_list(self.strides)} must be positive"
        yield "C4", all(stride > 0 for stride in self.strides), sentence

    def infer(self) -> TensorType:
        parts = zip(self.start_indices, self.limit_indices, self.strides, strict=True)
        return self.operand.with_shape(tuple(-((start - limit) // stride) for start, limit, stride in parts))

    def evaluate(self, *operands: Array) -> Array:
        (operand,) = operands
        parts = zip(self.start_indices, self.limit_indices, self.strides, strict=True)
        index: list[Any] = [slice(*part) for part in parts]
        return operand[(*index, ...)]  # without the ellipsis an operand of rank 0 gives no array

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        return slice_maps(
            self.operand.sizes, self.start_indices, self.limit_indices, self.strides, inverse=inverse
        )


@dataclass(frozen=True)
class Transpose(Moving):
    """Permutes dimensions: dimension `d` of the result is dimension `permutation[d]` of `operand`.

    No data is copied. `result` is a field for the dimension of quantization alone.
    The specification's `result_index[d] = operand_index[permutation[d]]` says the same. Specification: transpose.
    """

    name = "stablehlo.transpose"
    short_form = "operands , dims = $permutation attr-dict : functional-type"
    hlo = HloSpelling(
        "transpose",
        "Transpose",
        note="`dimensions` is the permutation. A compiler often prints a `bitcast` to another layout instead, "
        "which moves nothing.",
    )
    section = Section(result_labels={"element_type": "C1", "shape": "C3"})

    operand: TensorType
    permutation: tuple[int, ...]
    result: TensorType | None = None

    def constraints(self) -> Iterator[Constraint]:
        rank = self.operand.rank
        sentence = f"permutation {format_list(self.permutation)} does not name each of operand's {rank} dimensions once"
        yield "C2", sorted(self.permutation) == list(range(rank)), sentence
        if self.result is not None:
            yield from self._quantization_constraints(self.operand.element_type, self.result.element_type)

    def _quantization_constraints(self, source: ElementType, target: ElementType) -> Iterator[Constraint]:
        ignored = ("quantization_dimension",) if is_per_axis_quantized(source) else ()
        sentence = f"element types of operand and result differ: {source} and {target}"
        yield "C1", same_quantization(source, target, *ignored), sentence
        if isinstance(source, QuantizedType) and isinstance(target, QuantizedType):
            here, there = source.quantization_dimension, target.quantization_dimension
            wanted = None if there is None else self.permutation[there]
            place = "" if there is None else f", which is operand's {wanted}"
            sentence = f"operand is quantized {_axis(here)}, but the result {_axis(there)}{place}"
            yield "C4", here == wanted, sentence

    def infer(self) -> TensorType:
        per_axis = self.result is not None and is_per_axis_quantized(self.operand.element_type)
        element_type = self.result.element_type if per_axis and self.result else self.operand.element_type
        return TensorType(sizes_at(self.operand, self.permutation), element_type)

    def evaluate(self, *operands: Array) -> Array:
        (operand,) = operands
        return operand.transpose(self.permutation)

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        return transpose_maps(self.operand.sizes, self.permutation, inverse=inverse)
