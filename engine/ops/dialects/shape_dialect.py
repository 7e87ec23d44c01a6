"""Ops of MLIR's dialect shape: what dynamic programs compute the shapes of their tensors with.

Where MLIR gives a shape that stands for an error, the run ends.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from ...errors import RunError
from ...indexing import UNDEFINED, Dim, IndexMap, Interval, OperandMap, concatenate_maps, elementwise_maps
from ...ir.attributes import DenseAttribute
from ...ir.element_types import INDEX
from ...ir.types import Dimension, TensorType, Type
from ..core.facets import Traits
from ..core.op import Array, Constraint, Op
from ..core.rules import agree, format_list
from ..core.scalars import (
    SHAPE,
    SIZE,
    chosen_maps,
    extent_count,
    integers,
    is_shape,
    is_size,
    listed_maps,
    number,
    whole_maps,
)
from .tensor_dialect import inside


def has_extents(result: Type, count: Dimension) -> Constraint:
    """Constraint: a result has the number of dimensions that follows from the operands."""
    found = extent_count(result)
    return "", agree(found, count), f"the result is {result}, but the shape has {count} dimensions"


@dataclass(frozen=True)
class ShapeOf(Op):
    """The sizes of `arg`, as the run has them. No element is read. MLIR: shape.shape_of."""

    name = "shape.shape_of"
    traits = Traits(reads_sizes_alone=True)
    short_form = "operands attr-dict : operand-type -> result-type"

    arg: TensorType
    result: Type

    def constraints(self) -> Iterator[Constraint]:
        yield is_shape("the result", self.result)
        yield has_extents(self.result, self.arg.rank)

    def evaluate(self, *operands: Array) -> Array:
        return np.array(operands[0].shape, np.int64)


@dataclass(frozen=True)
class NumElements(Op):
    """How many elements a tensor of the shape `shape` has. MLIR: shape.num_elements."""

    name = "shape.num_elements"
    short_form = "operands attr-dict : operand-type -> result-type"

    shape: Type
    result: Type

    def constraints(self) -> Iterator[Constraint]:
        yield is_shape("the operand", self.shape)
        yield is_size("the result", self.result)

    def evaluate(self, *operands: Array) -> Array:
        return number(prod(integers(operands[0])))

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        return iter(whole_shapes([self.shape], (), inverse=inverse))


def whole_shapes(shapes: Sequence[Type], result: tuple[int, ...], inverse: bool) -> list[OperandMap]:
    """Maps by which the result reads whole shapes."""
    known = [found.sizes if isinstance(found, TensorType) else None for found in shapes]
    if any(sizes is None for sizes in known):
        return _unknown(len(shapes))
    return whole_maps([sizes for sizes in known if sizes is not None], result, inverse)


def _unknown(operands: int) -> list[OperandMap]:
    """Maps for operands of type `!shape.shape`, whose ranks are unknown before the run: undefined ones."""
    return [OperandMap(number, UNDEFINED) for number in range(operands)]


@dataclass(frozen=True)
class ShapeDim(Op):
    """The size of dimension `index` of `value`; where there is none it ends the run. MLIR: shape.dim."""

    name = "shape.dim"
    short_form = "operands attr-dict : operand-types -> result-type"

    value: TensorType
    index: Type
    result: Type

    def constraints(self) -> Iterator[Constraint]:
        yield is_size("index", self.index)
        yield is_size("the result", self.result)

    def evaluate(self, *operands: Array) -> Array:
        value, index = operands
        return number(value.shape[inside(index, value.ndim, "dimension")])

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """No map to `value`, of which a size is read, but no element."""
        yield OperandMap(1, IndexMap.scalar(()))


@dataclass(frozen=True)
class GetExtent(Op):
    """The size of dimension `dim` of a shape; where there is none it ends the run. MLIR: shape.get_extent."""

    name = "shape.get_extent"
    short_form = "operands attr-dict : operand-types -> result-type"

    shape: Type
    dim: Type
    result: Type

    def constraints(self) -> Iterator[Constraint]:
        yield is_shape("shape", self.shape)
        yield is_size("dim", self.dim)
        yield is_size("the result", self.result)

    def evaluate(self, *operands: Array) -> Array:
        shape, dim = operands
        return shape[(inside(dim, len(shape), "dimension"), ...)]

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        if not isinstance(self.shape, TensorType):
            return iter((OperandMap(0, UNDEFINED), OperandMap(1, IndexMap.scalar(()))))
        return iter(chosen_maps(self.shape.sizes, inverse))


@dataclass(frozen=True)
class ConstShape(Op):
    """The shape that the text states. MLIR: shape.const_shape."""

    name = "shape.const_shape"
    traits = Traits(is_constant=True)
    short_form = "custom shape"

    shape: DenseAttribute
    result: Type

    def constraints(self) -> Iterator[Constraint]:
        stated = self.shape.type
        listing = stated.rank == 1 and stated.element_type == INDEX
        yield "", listing, f"shape must be a list of index, not {stated}"
        yield is_shape("the result", self.result)
        yield has_extents(self.result, len(self.shape.data))

    def evaluate(self, *operands: Array) -> Array:
        return self.shape.data


@dataclass(frozen=True)
class ConstSize(Op):
    """The size that the text states. MLIR: shape.const_size."""

    name = "shape.const_size"
    short_form = "$value<index> attr-dict result:size"

    value: int

    def infer(self) -> Type:
        return SIZE

    def evaluate(self, *operands: Array) -> Array:
        return number(self.value)


@dataclass(frozen=True)
class FromExtents(Op):
    """The shape of the sizes `extents`, in order. MLIR: shape.from_extents."""

    name = "shape.from_extents"
    short_form = "operands attr-dict : operand-types result:shape"

    extents: tuple[Type, ...]

    def constraints(self) -> Iterator[Constraint]:
        for place, found in enumerate(self.extents):
            yield is_size(f"extent {place}", found)

    def infer(self) -> Type:
        return SHAPE

    def evaluate(self, *operands: Array) -> Array:
        return np.array([int(extent) for extent in operands], np.int64)

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        return listed_maps((len(self.extents),), inverse=inverse)


@dataclass(frozen=True)
class ToExtentTensor(Op):
    """A shape as a tensor of its sizes. MLIR: shape.to_extent_tensor."""

    name = "shape.to_extent_tensor"
    short_form = "operands attr-dict : operand-type -> result-type"

    input: Type
    result: TensorType

    def constraints(self) -> Iterator[Constraint]:
        yield is_shape("the operand", self.input)
        yield is_shape("the result", self.result)
        yield has_extents(self.result, extent_count(self.input))

    def evaluate(self, *operands: Array) -> Array:
        return operands[0]

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        shape = self._sizes
        return (
            iter([OperandMap(0, UNDEFINED)])
            if shape is None
            else elementwise_maps(shape, [shape], inverse=inverse)
        )

    @property
    def _sizes(self) -> tuple[int, ...] | None:
        known = (found for found in (self.input, self.result) if isinstance(found, TensorType))
        return next((found.sizes for found in known if found.is_static), None)


@dataclass(frozen=True)
class Broadcast(Op):
    """The shape to which tensors of the shapes `shapes` broadcast each other, from the last dimension on.

    A size of 1 follows any other; two others that differ end the run. MLIR: shape.broadcast.
    """

    name = "shape.broadcast"
    short_form = "operands (error = $error )! attr-dict : operand-types -> result-type"

    shapes: tuple[Type, ...]
    result: Type
    error: str = ""

    def constraints(self) -> Iterator[Constraint]:
        yield "", len(self.shapes) > 0, "needs at least one shape"
        for place, found in enumerate(self.shapes):
            yield is_shape(f"shape {place}", found)
        yield is_shape("the result", self.result)
        counts = [extent_count(found) for found in self.shapes]
        known = [count for count in counts if count is not None]
        yield has_extents(self.result, max(known) if len(known) == len(counts) else None)

    def evaluate(self, *operands: Array) -> Array:
        found = broadcast_shape(operands)
        if found is None:
            shapes = ", ".join(format_list(integers(shape)) for shape in operands)
            raise RunError(f"the shapes {shapes} do not broadcast{f': {self.error}' if self.error else ''}")
        return found

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """The dimensions of each shape are the last of the result's."""
        ranks = [count for found in self.shapes if (count := extent_count(found)) is not None]
        if len(ranks) != len(self.shapes):
            yield from _unknown(len(self.shapes))
            return
        for place, rank in enumerate(ranks):
            shift = max(ranks) - rank
            if inverse:
                found = IndexMap.of((Dim(0) + shift,), (rank,))
            else:
                here = [(Dim(0), Interval(shift, shift + rank - 1))]
                found = IndexMap.of((Dim(0) - shift,), (rank + shift,), constraints=here)
            yield OperandMap(place, found)


def broadcast_shape(shapes: Sequence[Array]) -> Array | None:
    """The shape that all broadcast to, `None` if they do not."""
    rank = max(map(len, shapes))
    found = np.ones(rank, np.int64)
    for shape in shapes:
        here = found[rank - len(shape) :]
        if np.any((here != 1) & (shape != 1) & (here != shape)):
            return None
        here[...] = np.where(here == 1, shape, here)
    return found


@dataclass(frozen=True)
class Concat(Op):
    """The sizes of `lhs`, then those of `rhs`. MLIR: shape.concat."""

    name = "shape.concat"
    short_form = "operands attr-dict : operand-types -> result-type"

    lhs: Type
    rhs: Type
    result: Type

    def constraints(self) -> Iterator[Constraint]:
        for name, found in (("lhs", self.lhs), ("rhs", self.rhs), ("the result", self.result)):
            yield is_shape(name, found)
        counts = [extent_count(found) for found in (self.lhs, self.rhs)]
        known = [count for count in counts if count is not None]
        yield has_extents(self.result, sum(known) if len(known) == 2 else None)

    def evaluate(self, *operands: Array) -> Array:
        return np.concatenate(operands)

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        return concatenate_maps(self._shapes, 0, inverse=inverse) if self._shapes else iter(_unknown(2))

    @property
    def _shapes(self) -> list[tuple[int, ...]]:
        known = [found.sizes for found in (self.lhs, self.rhs) if isinstance(found, TensorType)]
        return known if len(known) == 2 else []
