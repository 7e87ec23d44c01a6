"""dynamic-reshape, and the old forms of dynamic-slice and dynamic-update-slice with one vector of indices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod

from ...indexing import (
    Constant,
    OperandMap,
    dynamic_slice_maps,
    dynamic_update_slice_maps,
    shared_dimensions_map,
)
from ...ir.element_types import I32
from ...ir.types import TensorType
from ..core.dynamic_op import DynamicFindings, DynamicForm, Numbers, relabel, sizes_fit
from ..core.facets import HloSpelling, Section, UpdatingStorage
from ..core.facets.findings import Findings, WindowStart
from ..core.kinds import INTEGER, holds, is_scalar
from ..core.op import Array, Constraint, Op
from ..core.ranks import Arrays
from ..core.rules import agree
from ..data_movement.data_movement import Reshape
from ..data_movement.dynamic_slices import (
    DynamicSlice,
    DynamicUpdateSlice,
    DynamicUpdateSliceDrawing,
    can_move,
)


@dataclass(frozen=True)
class HloDynamicReshape(DynamicForm):
    """`reshape` to sizes that are computed: `dim_sizes` has a scalar for each dimension of the result.

    A dimension that the result's type states has that size, one with a bound has at most the bound. Sizes that do not
    fit end the run. XLA operation semantics: DynamicReshape.
    """

    name = "hlo.dynamic_reshape"
    findings = DynamicFindings(moves_elements=True)
    hlo = HloSpelling("dynamic-reshape", "DynamicReshape")
    dynamic_fields = ("dim_sizes",)
    section = Section(
        rules=(
            "`dim_sizes` has a scalar of s32 for each dimension of the result.",
            "`operand` and the result have room for as many elements, by their sizes and bounds.",
            "At run time the sizes are those that the result's type states, and none is above its bound.",
        ),
    )

    operand: TensorType
    dim_sizes: tuple[TensorType, ...]

    def constraints(self) -> Iterator[Constraint]:
        counts = len(self.dim_sizes), self.result.rank
        sentence = f"takes a size for each of {counts[1]} dimensions of the result, not {counts[0]}"
        yield "", counts[0] == counts[1], sentence
        for number, found in enumerate(self.dim_sizes):
            yield is_scalar("", f"size {number}", found, I32)
        if self.numbers is None:
            yield self._room_constraint()
        else:
            yield from sizes_fit("", "dim_sizes", self._sizes, self.result)
        stated = self.result if self.numbers is None else self.result.with_shape(self._sizes)
        yield from relabel(Reshape(self.operand, stated).constraints(), {})

    def _room_constraint(self) -> Constraint:
        """The constraint on bounds, for the text alone: a run knows sizes, and no bounds."""
        before, after = _extent(self.operand), _extent(self.result)
        sentence = f"the bounds of the result make room for {after} elements, those of operand for {before}"
        return "", before is None or after is None or before == after, sentence

    @property
    def _sizes(self) -> Numbers:
        assert self.numbers is not None
        return tuple(size for (size,) in self.numbers)

    def static_form(self, *numbers: Numbers) -> Op:
        return Reshape(self.operand, self.result.with_shape(tuple(size for (size,) in numbers)))

    def known_numbers(self) -> tuple[Numbers, ...] | None:
        return tuple((size,) for size in self.result.sizes) if self.result.is_static else None

    @property
    def _dynamic_shapes(self) -> list[tuple[int, ...]]:
        return [()] * len(self.dim_sizes)


def _extent(found: TensorType) -> int | None:
    """Maximum number of elements, if each dimension has a size or a bound."""
    bounds = found.bounds or (None,) * found.rank
    most = [size if size is not None else bound for size, bound in zip(found.shape, bounds, strict=True)]
    return None if None in most else prod(size for size in most if size is not None)


class ByVector(Op):
    """An op whose start indices are one vector, where its StableHLO twin has a scalar for each.

    HLO was written this way before each index became a separate operand.
    """

    operand: TensorType
    start_indices: TensorType

    @property
    def _twin(self) -> DynamicSlice | DynamicUpdateSlice:
        raise NotImplementedError

    @property
    def _starts(self) -> tuple[TensorType, ...]:
        return (self.start_indices.with_shape(()),) * self.operand.rank

    def constraints(self) -> Iterator[Constraint]:
        found, rank = self.start_indices, self.operand.rank
        yield holds("", "start_indices", found, INTEGER)
        yield "", found.rank == 1, f"start_indices must have rank 1, not {found.rank}"
        sentence = f"start_indices has {found.shape[0]} elements for rank {rank}"
        yield "", agree(found.shape[0], rank), sentence
        yield from relabel(self._twin.constraints(), {})

    def infer(self) -> TensorType:
        return self._twin.infer()

    def evaluate(self, *operands: Array) -> Array:
        *tensors, starts = operands
        return self._twin.evaluate(*tensors, *starts)


class DynamicSliceByVectorFindings(Findings["DynamicSliceByVector"]):
    def may_clamp(self, op: DynamicSliceByVector) -> bool:
        return can_move(op.operand.shape, op.slice_sizes)

    def window_start(self, op: DynamicSliceByVector, operands: Arrays) -> WindowStart:
        return WindowStart(operands[1], operands[0].shape, op.slice_sizes, 1)


@dataclass(frozen=True)
class DynamicSliceByVector(ByVector):
    """Takes a slice of `slice_sizes` that starts at the vector `start_indices`, moved inside if necessary.

    HLO was written this way before each index became a separate operand; otherwise it is dynamic-slice.
    """

    name = "hlo.dynamic_slice_by_vector"
    findings = DynamicSliceByVectorFindings(moves_elements=True, deciding=(1,))
    hlo = HloSpelling("dynamic-slice", "DynamicSlice")
    section = Section(
        rules=(
            "`start_indices` is a vector of integers, one for each dimension of `operand`.",
            "`slice_sizes` has a size for each dimension, from 0 to that of `operand`.",
            "The result has those sizes and the element type of `operand`.",
        ),
    )
    drawing = DynamicSlice.drawing

    operand: TensorType
    start_indices: TensorType
    slice_sizes: tuple[int, ...]

    @property
    def _twin(self) -> DynamicSlice:
        return DynamicSlice(self.operand, self._starts, self.slice_sizes)

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        maps = dynamic_slice_maps(self.operand.sizes, self.slice_sizes, inverse=inverse)
        return _from_vector(maps, 1, self.infer(), self.start_indices, inverse=inverse)


class DynamicUpdateSliceByVectorDrawing(DynamicUpdateSliceDrawing):
    def documented_maps(self, op: DynamicUpdateSliceByVector) -> Iterator[OperandMap]:
        """Every element reads the operand, and may read the update."""
        maps = dynamic_update_slice_maps(op.operand.sizes, op.update.sizes, exact=False)
        return _from_vector(maps, 2, op.operand, op.start_indices, inverse=False)


class DynamicUpdateSliceByVectorFindings(Findings["DynamicUpdateSliceByVector"]):
    def may_clamp(self, op: DynamicUpdateSliceByVector) -> bool:
        return can_move(op.operand.shape, op.update.shape)

    def window_start(self, op: DynamicUpdateSliceByVector, operands: Arrays) -> WindowStart:
        return WindowStart(operands[2], operands[0].shape, operands[1].shape, 2)


@dataclass(frozen=True)
class DynamicUpdateSliceByVector(ByVector):
    """`operand` with `update` at the vector `start_indices`, moved inside if necessary.

    HLO was written this way before each index became a separate operand; otherwise it is dynamic-update-slice.
    """

    name = "hlo.dynamic_update_slice_by_vector"
    storage = UpdatingStorage()
    findings = DynamicUpdateSliceByVectorFindings(moves_elements=True, deciding=(2,))
    hlo = HloSpelling("dynamic-update-slice", "DynamicUpdateSlice")
    section = Section(
        rules=(
            "`start_indices` is a vector of integers, one for each dimension of `operand`.",
            "`update` has the rank and the element type of `operand`, and is nowhere larger.",
            "The result's type is that of `operand`.",
        ),
    )
    drawing = DynamicUpdateSliceByVectorDrawing()

    operand: TensorType
    update: TensorType
    start_indices: TensorType

    @property
    def _twin(self) -> DynamicUpdateSlice:
        return DynamicUpdateSlice(self.operand, self.update, self._starts)

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        maps = dynamic_update_slice_maps(self.operand.sizes, self.update.sizes, inverse=inverse)
        return _from_vector(maps, 2, self.operand, self.start_indices, inverse=inverse)


def _from_vector(
    maps: Iterator[OperandMap], vector: int, result: TensorType, start_indices: TensorType, *, inverse: bool
) -> Iterator[OperandMap]:
    """Maps with starts as separate operands from `vector` on, replaced by the elements of that operand.

    Every element of the result depends on all of the vector.
    """
    for found in maps:
        if found.operand < vector:
            runtimes = tuple(
                replace(
                    start, operand=vector, map=replace(start.map, results=(Constant(start.operand - vector),))
                )
                for start in found.map.runtimes
            )
            yield OperandMap(found.operand, replace(found.map, runtimes=runtimes))
    yield OperandMap(vector, shared_dimensions_map(result.sizes, start_indices.sizes, {}, inverse=inverse))
