"""Ops of MLIR's dialect tensor that dynamic programs use around their shape computations."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import RunError
from ...indexing import IndexMap, OperandMap, elementwise_maps
from ...ir.types import ScalarType, TensorType, Type
from ..core.dynamic_op import DynamicForm, Numbers, sizes_fit
from ..core.facets import Drawing, Traits
from ..core.op import Array, Constraint, Cost, Op, shapes_agree
from ..core.rules import format_list
from ..core.scalars import INDEX_TYPE, chosen_maps, is_index, listed_maps, number


@dataclass(frozen=True)
class TensorDim(Op):
    """The size of dimension `index` of `source`, as the run has it. No element is read. MLIR: tensor.dim."""

    name = "tensor.dim"
    traits = Traits(reads_sizes_alone=True)
    short_form = "attr-dict operands : first-type result:index"

    source: TensorType
    index: Type

    def constraints(self) -> Iterator[Constraint]:
        yield is_index("index", self.index)

    def infer(self) -> Type:
        return INDEX_TYPE

    def evaluate(self, *operands: Array) -> Array:
        source, index = operands
        return number(source.shape[inside(index, source.ndim, "dimension")])

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """No map to `source`, of which a size is read, but no element."""
        yield OperandMap(1, IndexMap.scalar(()))


def inside(index: Array, count: int, what: str) -> int:
    """An index that a run has shown; `RunError` where there is nothing at it."""
    found = int(index)
    if not 0 <= found < count:
        raise RunError(f"there is no {what} {found}: there are {count}")
    return found


@dataclass(frozen=True)
class TensorRank(Op):
    """How many dimensions `tensor` has. No element is read. MLIR: tensor.rank."""

    name = "tensor.rank"
    short_form = "operands attr-dict : operand-type result:index"

    tensor: TensorType

    def infer(self) -> Type:
        return INDEX_TYPE

    def evaluate(self, *operands: Array) -> Array:
        return number(self.tensor.rank)


@dataclass(frozen=True)
class FromElements(Op):
    """A tensor of the scalars `elements`, in row-major order. MLIR: tensor.from_elements."""

    name = "tensor.from_elements"
    traits = Traits(lists_operands=True)
    short_form = "operands attr-dict : result-type"

    elements: tuple[Type, ...]
    result: TensorType

    def constraints(self) -> Iterator[Constraint]:
        yield "", self.result.is_static, f"the result must have sizes, not be {self.result}"
        count = self.result.element_count
        sentence = f"{len(self.elements)} elements for the {count} of {self.result}"
        yield "", len(self.elements) == count, sentence
        wanted = ScalarType(self.result.element_type)
        wrong = next((found for found in self.elements if found != wanted), None)
        yield "", wrong is None, f"the elements must be {wanted}, not {wrong}"

    def evaluate(self, *operands: Array) -> Array:
        found = np.empty(len(operands), self.result.element_type.dtype)
        for place, element in enumerate(operands):  # as many as the text names
            found[place] = element
        return found.reshape(self.result.sizes)

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        return listed_maps(self.result.sizes, inverse=inverse)


@dataclass(frozen=True)
class Extract(Op):
    """The element of `tensor` at `indices`; where there is none it ends the run. MLIR: tensor.extract."""

    name = "tensor.extract"
    short_form = "custom extract"

    tensor: TensorType
    indices: tuple[Type, ...]

    def constraints(self) -> Iterator[Constraint]:
        rank, count = self.tensor.rank, len(self.indices)
        yield "", count == rank, f"{count} indices for rank {rank}"
        for place, found in enumerate(self.indices):
            yield is_index(f"index {place}", found)

    def infer(self) -> Type:
        return ScalarType(self.tensor.element_type)

    def evaluate(self, *operands: Array) -> Array:
        tensor, *indices = operands
        pairs = zip(indices, tensor.shape, strict=True)
        place: tuple[Any, ...] = tuple(
            inside(index, size, f"element in dimension {k} at") for k, (index, size) in enumerate(pairs)
        )
        return tensor[(*place, ...)]

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        return iter(chosen_maps(self.tensor.sizes, inverse=inverse))


@dataclass(frozen=True)
class TensorCast(Op):
    """`source` with more or fewer of its sizes stated; a size that is not the stated one ends the run.

    MLIR: tensor.cast.
    """

    name = "tensor.cast"
    short_form = "operands attr-dict : operand-type to result-type"

    source: TensorType
    result: TensorType

    def constraints(self) -> Iterator[Constraint]:
        here, there = self.source.element_type, self.result.element_type
        yield "", here == there, f"the operand holds {here}, the result {there}"
        agrees = shapes_agree(self.source.shape, self.result.shape)
        shapes = f"{format_list(self.source.shape)} and {format_list(self.result.shape)}"
        yield "", agrees, f"operand and result differ in shape: {shapes}"

    def evaluate(self, *operands: Array) -> Array:
        return operands[0]

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        return elementwise_maps(self.source.sizes, [self.source.sizes], inverse=inverse)


@dataclass(frozen=True)
class Empty(DynamicForm):
    """A tensor whose sizes that are not stated are `sizes`, in order.

    MLIR leaves its elements open; here they are 0, so that runs repeat. MLIR: tensor.empty.
    """

    name = "tensor.empty"
    short_form = "( operands ) attr-dict : result-type"
    dynamic_fields = ("sizes",)
    drawing = Drawing()

    sizes: tuple[Type, ...]

    def constraints(self) -> Iterator[Constraint]:
        unknown = self.result.shape.count(None)
        sentence = f"{len(self.sizes)} sizes for the {unknown} that {self.result} leaves open"
        yield "", len(self.sizes) == unknown, sentence
        for place, found in enumerate(self.sizes):
            yield is_index(f"size {place}", found)
        if self.numbers is not None:
            yield from sizes_fit("", "the sizes", self._sizes(self.numbers), self.result)

    def _sizes(self, numbers: tuple[Numbers, ...]) -> tuple[int, ...]:
        given = iter(numbers)
        return tuple(next(given)[0] if size is None else size for size in self.result.shape)

    def infer(self) -> TensorType:
        return self.result if self.numbers is None else self.result.with_shape(self._sizes(self.numbers))

    def evaluate(self, *operands: Array) -> Array:
        zero = np.zeros((), self.result.element_type.dtype)
        return np.broadcast_to(zero, self._sizes(self.numbers_in(operands)))

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        return Op.cost(self, operand_types, (self.infer(),))

    directed_maps = Op.directed_maps  # none: no element comes from a size
