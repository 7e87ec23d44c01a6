"""Ops whose results have sizes that other operands hold, and ops that read and set such sizes.

`dynamic_broadcast_in_dim`, `dynamic_iota` and `dynamic_reshape` are `broadcast_in_dim`, `iota` and `reshape`
with the result's shape as an operand.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...ir.element_types import I32
from ...ir.types import Dimension, TensorType
from ..core.dynamic_op import DynamicFindings, DynamicForm, Numbers, length_constraint, numbers_of, sizes_fit
from ..core.facets import Explanation, HloSpelling, Section, Traits, numbered
from ..core.kinds import COMPLEX, FLOAT, INTEGER, PER_TENSOR, holds, is_scalar
from ..core.op import Array, Constraint, Op, shapes_agree
from ..core.rules import agree, at_most, format_list, inside_rank, is_unique
from .creation import Iota
from .data_movement import BroadcastInDim, Reshape, Slice


@dataclass(frozen=True)
class GetDimensionSize(Op):
    """The size of one dimension of `operand`, as the run has it. No element is read. Specification: get_dimension_size."""

    name = "stablehlo.get_dimension_size"
    traits = Traits(reads_sizes_alone=True)
    short_form = "operands , dim = $dimension attr-dict : functional-type"
    hlo = HloSpelling("get-dimension-size", "GetDimensionSize")
    explanation = Explanation(constant_note="It is a size that the value has; no element is read.")

    operand: TensorType
    dimension: int

    def constraints(self) -> Iterator[Constraint]:
        rank = self.operand.rank
        yield "C1", 0 <= self.dimension < rank, f"dimension {self.dimension} is outside rank {rank}"

    def infer(self) -> TensorType:
        return TensorType((), I32)

    def evaluate(self, *operands: Array) -> Array:
        return np.asarray(operands[0].shape[self.dimension]).astype(np.int32)


@dataclass(frozen=True)
class SetDimensionSize(DynamicForm):
    """Keeps the first `size` elements along `dimension` of `operand`; nothing reads the others.

    XLA keeps the memory of the whole bound and only notes the size, so a later one may be larger again; here
    what is beyond `size` is gone, and to ask for more than there is ends the run. StableHLO's specification has
    no section on it; XLA: SetDimensionSize.
    """

    name = "stablehlo.set_dimension_size"
    findings = DynamicFindings(moves_elements=True)
    short_form = "operands , dim = $dimension attr-dict : functional-type"
    hlo = HloSpelling(
        "set-dimension-size",
        "SetDimensionSize",
        note="A dimension of the result that can be smaller is written with its bound: `f32[<=8]`.",
    )
    dynamic_fields = ("size",)
    section = Section(input_labels={})

    operand: TensorType
    size: TensorType
    dimension: int

    def constraints(self) -> Iterator[Constraint]:
        yield is_scalar("", "size", self.size, I32)
        rank = self.operand.rank
        yield "", 0 <= self.dimension < rank, f"dimension {self.dimension} is outside rank {rank}"
        source, target = self.operand.element_type, self.result.element_type
        yield "", source == target, f"operand holds {source}, the result {target}"
        yield "", self.result.rank == rank, f"operand has rank {rank}, the result {self.result.rank}"
        others = [(*shape[: self.dimension], *shape[self.dimension + 1 :]) for shape in self._shapes]
        sentence = f"operand and result differ outside dimension {self.dimension}: {format_list(self.operand.shape)} and {format_list(self.result.shape)}"
        yield "", shapes_agree(*others), sentence
        if self.numbers is not None:
            yield from self._size_constraints(self.numbers[0][0])

    @property
    def _shapes(self) -> tuple[tuple[Dimension, ...], tuple[Dimension, ...]]:
        return self.operand.shape, self.result.shape

    def _size_constraints(self, size: int) -> Iterator[Constraint]:
        whole = self.operand.shape[self.dimension]
        sentence = f"size {size} of dimension {self.dimension} is outside [0, {whole}], what the operand has"
        yield "", size >= 0 and at_most(size, whole), sentence
        stated = self.result.shape[self.dimension]
        sentence = f"size {size} of dimension {self.dimension} is not the {stated} that the result declares"
        yield "", agree(stated, size), sentence

    def infer(self) -> TensorType:
        if self.numbers is None:
            return self.result
        ((size,),) = self.numbers
        whole = self.operand.shape
        return self.operand.with_shape((*whole[: self.dimension], size, *whole[self.dimension + 1 :]))

    def known_numbers(self) -> tuple[Numbers, ...] | None:
        size = self.result.shape[self.dimension]
        return None if size is None else ((size,),)

    @property
    def _dynamic_shapes(self) -> list[tuple[int, ...]]:
        return [()]

    def static_form(self, *numbers: Numbers) -> Op:
        sizes = self.infer().sizes
        rank = len(sizes)
        return Slice(self.operand, (0,) * rank, sizes, (1,) * rank)


@dataclass(frozen=True)
class DynamicallyShaped(DynamicForm):
    """An op whose result has the shape that its last operand holds."""

    findings = DynamicFindings(moves_elements=True)

    label: ClassVar[str]
    """The label of the rule that the operand has a size for each dimension of the result."""

    def known_numbers(self) -> tuple[Numbers, ...] | None:
        return (self.result.sizes,) if self.result.is_static else None

    def likely(self) -> tuple[tuple[int | None, ...] | None, ...]:
        return (self.result.shape,)

    def _shape_constraints(self, label: str) -> Iterator[Constraint]:
        """Constraint with this label: the shape operand states the shape of the result."""
        (name,) = self.dynamic_fields
        found = self._tensor(name)
        yield from numbers_of(label, name, found)
        yield length_constraint(self.label, name, found, "the result", self.result.rank)
        if self.numbers is not None:
            yield from sizes_fit(self.label, name, self.numbers[0], self.result)

    @property
    def _sized(self) -> TensorType:
        """The result's type, with its sizes if they are known."""
        return self.result if self.numbers is None else self.result.with_shape(self.numbers[0])


@dataclass(frozen=True)
class DynamicBroadcastInDim(DynamicallyShaped):
    """`broadcast_in_dim` to the shape `output_dimensions`, which may be computed.

    `known_expanding_dimensions` and `known_nonexpanding_dimensions` of `operand` are what the program's author
    knows; they change nothing. Sizes that do not fit end the run. Specification: dynamic_broadcast_in_dim.
    """

    name = "stablehlo.dynamic_broadcast_in_dim"
    short_form = "operands , dims = $broadcast_dimensions attr-dict : functional-type"
    dynamic_fields = ("output_dimensions",)
    label = "C7"
    section = Section(
        input_labels=numbered(
            "operand output_dimensions broadcast_dimensions known_expanding_dimensions "
            "known_nonexpanding_dimensions"
        )
    )

    operand: TensorType
    output_dimensions: TensorType
    broadcast_dimensions: tuple[int, ...]
    known_expanding_dimensions: tuple[int, ...] = ()
    known_nonexpanding_dimensions: tuple[int, ...] = ()

    def constraints(self) -> Iterator[Constraint]:
        yield from self._shape_constraints("I2")
        yield from BroadcastInDim(self.operand, self.broadcast_dimensions, self._sized).constraints()
        expanding, others = self.known_expanding_dimensions, self.known_nonexpanding_dimensions
        sentence = f"known_expanding_dimensions {format_list(expanding)} and known_nonexpanding_dimensions {format_list(others)} name a dimension twice"
        yield "C8", is_unique(expanding + others), sentence
        rank = self.operand.rank
        yield inside_rank("C9", "known_expanding_dimensions", expanding, "the operand's ", rank)
        yield inside_rank("C10", "known_nonexpanding_dimensions", others, "the operand's ", rank)

    def static_form(self, *numbers: Numbers) -> Op:
        return BroadcastInDim(self.operand, self.broadcast_dimensions, self.result.with_shape(numbers[0]))


@dataclass(frozen=True)
class DynamicIota(DynamicallyShaped):
    """`iota` of the shape `output_shape`, which may be computed. Specification: dynamic_iota."""

    name = "stablehlo.dynamic_iota"
    short_form = "operands , dim = $iota_dimension attr-dict : functional-type"
    dynamic_fields = ("output_shape",)
    label = "C2"
    section = Section(input_labels={"output_shape": "I1", "iota_dimension": "I2"})

    output_shape: TensorType
    iota_dimension: int

    def constraints(self) -> Iterator[Constraint]:
        yield holds("", "the result", self.result, (*INTEGER, *FLOAT, *COMPLEX, *PER_TENSOR))
        yield from self._shape_constraints("I1")
        rank = self.result.rank
        inside = 0 <= self.iota_dimension < rank
        yield "C1", inside, f"iota_dimension {self.iota_dimension} is outside rank {rank}"

    def static_form(self, *numbers: Numbers) -> Op:
        return Iota(self.iota_dimension, self.result.with_shape(numbers[0]))


@dataclass(frozen=True)
class DynamicReshape(DynamicallyShaped):
    """`reshape` to the shape `output_shape`, which may be computed. Specification: dynamic_reshape."""

    name = "stablehlo.dynamic_reshape"
    short_form = "operands attr-dict : functional-type"
    hlo = HloSpelling("dynamic-reshape", "DynamicReshape")
    dynamic_fields = ("output_shape",)
    label = "C4"
    section = Section(input_labels={"operand": "I1", "output_shape": "I2"})

    operand: TensorType
    output_shape: TensorType

    def constraints(self) -> Iterator[Constraint]:
        yield from self._shape_constraints("I2")
        yield from Reshape(self.operand, self._sized).constraints()

    def static_form(self, *numbers: Numbers) -> Op:
        return Reshape(self.operand, self.result.with_shape(numbers[0]))
