"""dynamic_slice and dynamic_update_slice: a window whose place is computed, moved inside where it reaches out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ...indexing import OperandMap, dynamic_slice_maps, dynamic_update_slice_maps
from ...ir.types import Dimension, TensorType
from ..core.facets import (
    Drawing,
    HloSpelling,
    MovedWindow,
    Picture,
    Section,
    Shown,
    UpdatingStorage,
    all_dimensions,
)
from ..core.facets.findings import Findings, WindowStart
from ..core.kinds import INTEGER, TENSOR_OR_PER_TENSOR, holds
from ..core.op import Array, Constraint, Op, all_equal
from ..core.quiet import Signals, raise_flag
from ..core.ranks import Arrays
from ..core.rules import at_most, format_list


class DynamicSliceDrawing(Drawing["DynamicSlice"]):
    def picture(self, op: DynamicSlice) -> Picture:
        window = all_dimensions(op.operand_types[0])
        return MovedWindow("dynamic_slice", Shown("result"), window, Shown("operand"), 1)


class DynamicSliceFindings(Findings["DynamicSlice"]):
    def deciding_operands(self, op: DynamicSlice) -> Iterable[int]:
        return range(1, 1 + len(op.start_indices))

    def may_clamp(self, op: DynamicSlice) -> bool:
        return can_move(op.operand.shape, op.slice_sizes)

    def window_start(self, op: DynamicSlice, operands: Arrays) -> WindowStart:
        return WindowStart(operands[1:], operands[0].shape, op.slice_sizes, 1)


@dataclass(frozen=True)
class DynamicSlice(Op):
    """Takes a slice of `slice_sizes` that starts at `start_indices`, one for each dimension of `operand`.

    A slice that would reach over an edge is moved inside: `start_indices` are clamped to
    `[0, shape(operand) - slice_sizes]`. No data is copied. Specification: dynamic_slice.
    """

    name = "stablehlo.dynamic_slice"
    findings = DynamicSliceFindings(moves_elements=True)
    short_form = "operands , sizes = $slice_sizes attr-dict : functional-type"
    hlo = HloSpelling(
        "dynamic-slice",
        "DynamicSlice",
        note="Start indices are scalars; older texts have one vector of them.",
    )
    section = Section(result_labels={"element_type": "C1", "shape": "C5"})
    drawing = DynamicSliceDrawing()

    operand: TensorType
    start_indices: tuple[TensorType, ...]
    slice_sizes: tuple[int, ...]

    def constraints(self) -> Iterator[Constraint]:
        yield holds("I1", "operand", self.operand, TENSOR_OR_PER_TENSOR)
        yield from _are_indices("I2", self.start_indices)
        counts = [len(self.start_indices), len(self.slice_sizes)]
        sentence = (
            f"start_indices and slice_sizes have {format_list(counts)} elements for rank {self.operand.rank}"
        )
        yield "C2", all_equal([*counts, self.operand.rank]), sentence
        yield _are_of_one_type("C3", self.start_indices)
        pairs = zip(self.slice_sizes, self.operand.shape, strict=True)
        sentence = f"slice_sizes {format_list(self.slice_sizes)} do not fit in the operand's sizes {format_list(self.operand.shape)}"
        yield "C4", all(size >= 0 and at_most(size, dim) for size, dim in pairs), sentence

    def infer(self) -> TensorType:
        return self.operand.with_shape(self.slice_sizes)

    def evaluate(self, *operands: Array) -> Array:
        operand, *start_indices = operands
        found: Array = operand[_window(operand.shape, self.slice_sizes, start_indices)]
        return found

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        return dynamic_slice_maps(self.operand.sizes, self.slice_sizes, inverse=inverse)


class DynamicUpdateSliceDrawing(Drawing[Any]):
    def picture(self, op: Any) -> Picture:
        window = all_dimensions(op.operand_types[1])
        return MovedWindow("dynamic_update_slice", Shown("operand", 1), window, Shown("result"), 2)

    def documented_maps(self, op: Any) -> Iterator[OperandMap]:
        """Every element reads the operand, and may read the update."""
        return dynamic_update_slice_maps(op.operand.sizes, op.update.sizes, exact=False)


class DynamicUpdateSliceFindings(Findings["DynamicUpdateSlice"]):
    def deciding_operands(self, op: DynamicUpdateSlice) -> Iterable[int]:
        return range(2, 2 + len(op.start_indices))

    def may_clamp(self, op: DynamicUpdateSlice) -> bool:
        return can_move(op.operand.shape, op.update.shape)

    def window_start(self, op: DynamicUpdateSlice, operands: Arrays) -> WindowStart:
        return WindowStart(operands[2:], operands[0].shape, operands[1].shape, 2)


@dataclass(frozen=True)
class DynamicUpdateSlice(Op):
    """`operand` with `update` in the place of the slice that starts at `start_indices`.

    An update that would reach over an edge is moved inside: `start_indices` are clamped to
    `[0, shape(operand) - shape(update)]`. No data is copied where `update` has no elements or covers everything.
    Specification: dynamic_update_slice.
    """

    name = "stablehlo.dynamic_update_slice"
    storage = UpdatingStorage()
    findings = DynamicUpdateSliceFindings(moves_elements=True)
    short_form = "operands attr-dict : functional-type"
    hlo = HloSpelling(
        "dynamic-update-slice",
        "DynamicUpdateSlice",
        note="Start indices are scalars; older texts have one vector of them.",
    )
    section = Section(result_labels={"element_type": "C1", "shape": "C1"})
    drawing = DynamicUpdateSliceDrawing()

    operand: TensorType
    update: TensorType
    start_indices: tuple[TensorType, ...]

    def constraints(self) -> Iterator[Constraint]:
        yield holds("I1", "operand", self.operand, TENSOR_OR_PER_TENSOR)
        yield holds("I2", "update", self.update, TENSOR_OR_PER_TENSOR)
        yield from _are_indices("I3", self.start_indices)
        sentence = f"operand holds {self.operand.element_type}, update {self.update.element_type}"
        yield "C2", self.update.element_type == self.operand.element_type, sentence
        rank = self.operand.rank
        yield "C3", self.update.rank == rank, f"operand has rank {rank}, update {self.update.rank}"
        count = len(self.start_indices)
        yield "C4", count == rank, f"start_indices has {count} elements for rank {rank}"
        yield _are_of_one_type("C5", self.start_indices)
        fits = all(map(at_most, self.update.shape, self.operand.shape))
        sentence = f"update's sizes {format_list(self.update.shape)} do not fit in the operand's {format_list(self.operand.shape)}"
        yield "C6", fits, sentence

    def infer(self) -> TensorType:
        return self.operand

    def evaluate(self, *operands: Array) -> Array:
        operand, update, *start_indices = operands
        if update.shape == operand.shape:
            return update
        if update.size == 0:
            return operand
        result = operand.copy()
        result[_window(operand.shape, update.shape, start_indices)] = update
        return result

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        return dynamic_update_slice_maps(self.operand.sizes, self.update.sizes, inverse=inverse)


def _are_indices(label: str, start_indices: Sequence[TensorType]) -> Iterator[Constraint]:
    for number, tensor in enumerate(start_indices):
        yield holds(label, f"start index {number}", tensor, INTEGER)
        yield label, tensor.rank == 0, f"start index {number} must have rank 0, not {tensor.rank}"


def _are_of_one_type(label: str, start_indices: Sequence[TensorType]) -> Constraint:
    types = format_list(tensor.element_type for tensor in start_indices)
    holds_one = all_equal(x.element_type for x in start_indices)
    return label, holds_one, f"start_indices differ in type: {types}"


def can_move(sizes: Sequence[Dimension], windows: Sequence[Dimension]) -> bool:
    """Whether a window can start elsewhere than at 0: one as large as the operand cannot."""
    return not all(size is not None and size == window for size, window in zip(sizes, windows, strict=True))


def _window(shape: Sequence[int], sizes: Sequence[int], start_indices: Sequence[Array]) -> tuple[Any, ...]:
    """The index of the window. Starts are Python integers, which cannot overflow."""
    asked_for = list(map(int, start_indices))
    parts = zip(asked_for, shape, sizes, strict=True)
    starts = [min(max(start, 0), dim - size) for start, dim, size in parts]
    if starts != asked_for:
        raise_flag(Signals.MOVED)
    index = (slice(start, start + size) for start, size in zip(starts, sizes, strict=True))
    return (*index, ...)  # without the ellipsis an operand of rank 0 gives no array
