"""dynamic_gather, dynamic_pad and real_dynamic_slice: gather, pad and slice with operands for attributes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ...indexing import OperandMap
from ...indexing.op_maps.dynamic_slice_maps import dynamic_pad_maps, real_dynamic_slice_maps
from ...ir.types import TensorType
from ..core.dynamic_op import (
    DynamicFindings,
    DynamicForm,
    DynamicFormDrawing,
    Numbers,
    has_addresses,
    length_constraint,
    numbers_of,
    relabel,
)
from ..core.facets import Drawing, MovedWindow, Picture, Roles, Section, Shown, all_dimensions, numbered
from ..core.facets.findings import OutsideStarts
from ..core.kinds import INTEGER, TENSOR_OR_PER_TENSOR, holds
from ..core.op import Constraint, Op, shapes_agree
from ..core.ranks import Arrays
from ..core.rules import agree, format_list
from ..data_movement.data_movement import Slice
from ..data_movement.pad import Pad
from .gather import Gather, GatherDimensionNumbers

_GATHER_LABELS = {
    "I1": "I1",
    "I2": "I2",
    **{label: label for label in ("C1", "C2", "C3", "C4", "C5", "C6")},
    "C7": "C6",
    "C8": "C7",
    "C9": "C8",
    "C18": "C9",
    "C19": "C10",
    "C20": "C11",
    "C21": "C12",
}
"""The label in dynamic_gather's section of each rule in gather's; there are none for batching dimensions."""


class DynamicGatherDrawing(Drawing["DynamicGather"]):
    def picture(self, op: DynamicGather) -> Picture | None:
        window = op.dimension_numbers.offset_dims
        return MovedWindow("gather", Shown("result"), window, Shown("operand"), 1)

    def dimension_roles(self, op: DynamicGather) -> Roles:
        """The roles of `gather`; they do not depend on the slice sizes."""
        gather = op._with((1,) * op.operand.rank)
        operands, results = gather.drawing.dimension_roles(gather)
        return (*operands, ("",)), results


class DynamicGatherFindings(DynamicFindings["DynamicGather"]):
    def deciding_operands(self, op: DynamicGather) -> Iterable[int]:
        return (1, *op.dynamic_operands)

    def may_clamp(self, op: DynamicGather) -> bool:
        return True

    def outside_starts(self, op: DynamicGather, operands: Arrays) -> OutsideStarts | None:
        twin = (op if op.numbers is not None else op.with_numbers(operands)).twin
        outside: OutsideStarts | None = twin.findings.outside_starts(twin, operands[:2])
        return outside


@dataclass(frozen=True)
class DynamicGather(DynamicForm):
    """`gather` of slices of `slice_sizes`, which may be computed.

    Batching dimensions, which the specification has for `gather` only, mean what they mean there.
    Specification: dynamic_gather.
    """

    name = "stablehlo.dynamic_gather"
    findings = DynamicGatherFindings(moves_elements=True, gathers=True)
    dynamic_fields = ("slice_sizes",)
    section = Section(
        input_labels=numbered(
            "operand start_indices slice_sizes offset_dims collapsed_slice_dims "
            "start_index_map index_vector_dim indices_are_sorted"
        )
    )
    drawing = DynamicGatherDrawing()

    operand: TensorType
    start_indices: TensorType
    slice_sizes: TensorType
    dimension_numbers: GatherDimensionNumbers
    indices_are_sorted: bool = False

    def constraints(self) -> Iterator[Constraint]:
        yield holds("I1", "operand", self.operand, TENSOR_OR_PER_TENSOR)
        yield holds("I2", "start_indices", self.start_indices, INTEGER)
        yield holds("I3", "slice_sizes", self.slice_sizes, INTEGER)
        yield from numbers_of("I3", "slice_sizes", self.slice_sizes)
        rank = self.operand.rank
        yield length_constraint("C11", "slice_sizes", self.slice_sizes, "the operand", rank)
        placed = self._with(self.numbers[0] if self.numbers is not None else ())
        rules = placed.placing_constraints() if self.numbers is None else placed.constraints()
        yield from relabel(rules, _GATHER_LABELS)
        wanted = placed.result_with(self.numbers[0] if self.numbers is not None else (None,) * rank)
        sentence = (
            f"the result must have shape {format_list(wanted.shape)}, not {format_list(self.result.shape)}"
        )
        yield "C13", shapes_agree(wanted.shape, self.result.shape), sentence
        source, target = self.operand.element_type, self.result.element_type
        yield "C14", source == target, f"operand holds {source}, the result {target}"

    def known_numbers(self) -> tuple[Numbers, ...] | None:
        """Sizes of dimensions that the result loses are 1: those of 0 read an element too."""
        if not self.result.is_static:
            return None
        n = self.dimension_numbers
        dropped = n.collapsed_slice_dims + n.operand_batching_dims
        offset = (self.result.sizes[d] for d in n.offset_dims)
        return (tuple(1 if d in dropped else next(offset) for d in range(self.operand.rank)),)

    def _with(self, slice_sizes: Numbers) -> Gather:
        return Gather(
            self.operand, self.start_indices, self.dimension_numbers, slice_sizes, self.indices_are_sorted
        )

    def static_form(self, *numbers: Numbers) -> Op:
        return self._with(numbers[0])


class DynamicPadDrawing(DynamicFormDrawing["DynamicPad"]):
    def picture(self, op: DynamicPad) -> Picture | None:
        static = op.with_known_numbers if op.open_sizes.are_known(op) else None
        return static.twin.drawing.picture(static.twin) if static else None


@dataclass(frozen=True)
class DynamicPad(DynamicForm):
    """`pad` with paddings that may be computed. Specification: dynamic_pad."""

    name = "stablehlo.dynamic_pad"
    findings = DynamicFindings(moves_elements=True)
    short_form = "operands attr-dict : functional-type"
    dynamic_fields = ("edge_padding_low", "edge_padding_high", "interior_padding")
    drawing = DynamicPadDrawing()

    operand: TensorType
    padding_value: TensorType
    edge_padding_low: TensorType
    edge_padding_high: TensorType
    interior_padding: TensorType

    def constraints(self) -> Iterator[Constraint]:
        yield holds("I1", "operand", self.operand, TENSOR_OR_PER_TENSOR)
        yield holds("I2", "padding_value", self.padding_value, TENSOR_OR_PER_TENSOR)
        sentence = f"padding_value must have rank 0, not {self.padding_value.rank}"
        yield "I2", self.padding_value.rank == 0, sentence
        for number, name in enumerate(self.dynamic_fields):
            yield from numbers_of(f"I{number + 3}", name, self._tensor(name))
        types = (self.operand, self.padding_value, self.result)
        source, value, target = (found.element_type for found in types)
        sentence = f"operand holds {source}, padding_value {value}, the result {target}"
        yield "C1", source == value == target, sentence
        rank = self.operand.rank
        for name in self.dynamic_fields:
            yield length_constraint("C2", name, self._tensor(name), "the operand", rank)
        yield "C4", self.result.rank == rank, f"operand has rank {rank}, the result {self.result.rank}"
        if self.numbers is not None:
            yield from self._padded_constraints(self.static_form(*self.numbers))

    def likely(self) -> tuple[tuple[int | None, ...] | None, ...]:
        return ((0,) * self.operand.rank,) * 3

    def _padded_constraints(self, twin: Pad) -> Iterator[Constraint]:
        yield from twin.constraints()
        sizes = twin.infer().shape
        sentence = (
            f"the paddings make sizes {format_list(sizes)}: there are no addresses for as many elements"
        )
        yield "C4", has_addresses(sizes), sentence
        sentence = (
            f"the paddings make sizes {format_list(sizes)}, but the result is declared as {self.result}"
        )
        yield "C4", shapes_agree(sizes, self.result.shape), sentence

    def _symbolic_maps(self, inverse: bool) -> Iterator[OperandMap]:
        if not (self.operand.is_static and self.result.is_static):
            yield from super()._symbolic_maps(inverse)
            return
        operand, result = self.operand.sizes, self.result.sizes
        yield from dynamic_pad_maps(operand, result, 2, 4, inverse=inverse)
        yield from self._number_maps(result, inverse)

    def static_form(self, *numbers: Numbers) -> Pad:
        low, high, interior = numbers
        return Pad(self.operand, self.padding_value, low, high, interior)


class RealDynamicSliceDrawing(DynamicFormDrawing["RealDynamicSlice"]):
    def picture(self, op: RealDynamicSlice) -> Picture | None:
        return MovedWindow(
            "dynamic_slice", Shown("result"), all_dimensions(op.operand_types[0]), Shown("operand"), 1
        )


@dataclass(frozen=True)
class RealDynamicSlice(DynamicForm):
    """`slice` with starts, limits and strides that may be computed; unlike dynamic_slice it clamps nothing.

    A range that reaches outside ends the run. StableHLO's specification has no section on it: its rules are
    those of `slice`.
    """

    name = "stablehlo.real_dynamic_slice"
    findings = DynamicFindings(moves_elements=True)
    short_form = "operands attr-dict : functional-type"
    dynamic_fields = ("start_indices", "limit_indices", "strides")
    section = Section(input_labels={})
    drawing = RealDynamicSliceDrawing()

    operand: TensorType
    start_indices: TensorType
    limit_indices: TensorType
    strides: TensorType

    def constraints(self) -> Iterator[Constraint]:
        yield holds("", "operand", self.operand, TENSOR_OR_PER_TENSOR)
        rank = self.operand.rank
        for name in self.dynamic_fields:
            yield from numbers_of("", name, self._tensor(name))
            yield length_constraint("", name, self._tensor(name), "the operand", rank)
        yield "", self._are_alike(), "start_indices, limit_indices and strides differ in type"
        source, target = self.operand.element_type, self.result.element_type
        yield "", source == target, f"operand holds {source}, the result {target}"
        yield "", self.result.rank == rank, f"operand has rank {rank}, the result {self.result.rank}"
        if self.numbers is not None:
            yield from self._sliced_constraints(self.static_form(*self.numbers))

    def likely(self) -> tuple[tuple[int | None, ...] | None, ...]:
        rank = self.operand.rank
        return (0,) * rank, self.result.shape, (1,) * rank

    def _are_alike(self) -> bool:
        first, *others = (self._tensor(name) for name in self.dynamic_fields)
        return all(
            first.element_type == other.element_type and agree(first.shape[0], other.shape[0])
            for other in others
        )

    def _sliced_constraints(self, twin: Slice) -> Iterator[Constraint]:
        yield from relabel(twin.constraints(), {})
        sizes = twin.infer().shape
        sentence = f"the slice has sizes {format_list(sizes)}, but the result is declared as {self.result}"
        yield "", shapes_agree(sizes, self.result.shape), sentence

    def _symbolic_maps(self, inverse: bool) -> Iterator[OperandMap]:
        if not (self.operand.is_static and self.result.is_static):
            yield from super()._symbolic_maps(inverse)
            return
        operand, result = self.operand.sizes, self.result.sizes
        yield from real_dynamic_slice_maps(operand, result, 1, 3, inverse=inverse)
        yield from self._number_maps(result, inverse)

    def static_form(self, *numbers: Numbers) -> Slice:
        start, limit, strides = numbers
        return Slice(self.operand, start, limit, strides)
