"""scaled-dot: a dot of small floats, whose blocks have scales."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...indexing import Dim, Expression, IndexMap, OperandMap, Range, compose, dot_general_maps, floor_divide
from ...ir.element_types import ELEMENT_TYPES
from ...ir.types import TensorType, Type
from ..contractions.dot_general import DotDimensionNumbers, DotGeneral, Precision
from ..core.dynamic_op import relabel
from ..core.facets import Drawing, HloSpelling, Roles, Rounding, Section
from ..core.facets.rounding import full_error
from ..core.kinds import FLOAT, holds
from ..core.numeric import round_to
from ..core.op import Array, Constraint, Cost, Op
from ..core.ranks import Arrays
from ..core.rounding import NO_ERROR, UNKNOWN, Error, Errors, magnitude, rounded_error
from ..core.rules import format_list

_BF16 = ELEMENT_TYPES["bf16"]


class ScaledDotDrawing(Drawing["ScaledDot"]):
    def dimension_roles(self, op: ScaledDot) -> Roles:
        """A scale's dimensions have the roles of the dimensions that they scale."""
        operands, results = op._dot.drawing.dimension_roles(op._dot)
        return operands * 2, results


class ScaledDotRounding(Rounding["ScaledDot"]):
    def error_bound(self, op: ScaledDot, operands: Arrays, errors: Errors, results: Arrays) -> Errors:
        """The bound of the dot_general of the scaled operands, which other engines may not round to bf16."""
        factors = tuple(map(_apply_scale, operands[:2], operands[2:]))
        moved = tuple(map(_scaled_error, operands[:2], operands[2:], errors[:2], errors[2:], factors))
        return op._dot.rounding.error_bound(op._dot, factors, moved, results)


@dataclass(frozen=True)
class ScaledDot(Op):
    """The product of `lhs` and `rhs`, each element of which is first multiplied by the scale of its block.

    `lhs_scale` and `rhs_scale` have an element for each block: a dimension that has n times the size of its scale's
    has blocks of n elements. Scales whose sizes are all 1 scale nothing. Scaled elements are rounded to bf16, as where XLA or JAX spell the op out; then they are
    multiplied and summed as dot_general does. XLA operation semantics: ScaledDot.
    """

    name = "hlo.scaled_dot"
    hlo = HloSpelling("scaled-dot", "ScaledDot")
    section = Section(
        rules=(
            "All four operands hold floats.",
            (
                "A scale has the rank of its operand, and along each dimension a size by which that of the "
                "operand can be divided."
            ),
            (
                "`lhs` and `rhs` have as many batching and as many contracting dimensions, each named once "
                "and within the rank; those in the same place have the same size."
            ),
        )
    )
    drawing = ScaledDotDrawing()
    rounding = ScaledDotRounding()

    lhs: TensorType
    rhs: TensorType
    lhs_scale: TensorType
    rhs_scale: TensorType
    dot_dimension_numbers: DotDimensionNumbers
    precision_config: tuple[Precision, ...] | None = None
    result: TensorType | None = None

    def constraints(self) -> Iterator[Constraint]:
        for name, found, scale in self._sides:
            yield holds("", name, found, FLOAT)
            yield holds("", f"{name}_scale", scale, FLOAT)
            sentence = f"{name} has rank {found.rank}, {name}_scale {scale.rank}: they must be equal"
            yield "", found.rank == scale.rank, sentence
            sentence = f"sizes {format_list(found.shape)} of {name} must be multiples of {format_list(scale.shape)} of {name}_scale"
            yield "", all(map(_divides, scale.shape, found.shape)), sentence
        if self.result is not None:
            yield holds("", "the result", self.result, FLOAT)
        yield from relabel(self._dot.constraints(), {})

    @property
    def _sides(self) -> tuple[tuple[str, TensorType, TensorType], ...]:
        return ("lhs", self.lhs, self.lhs_scale), ("rhs", self.rhs, self.rhs_scale)

    @cached_property
    def _dot(self) -> DotGeneral:
        """The dot_general of the scaled operands."""
        lhs, rhs = (TensorType(found.shape, _BF16) for found in (self.lhs, self.rhs))
        result = self.result or self.lhs  # of which only the element type matters
        return DotGeneral(lhs, rhs, self.dot_dimension_numbers, self.precision_config, None, result)

    def infer(self) -> TensorType:
        return self._dot.infer()

    def evaluate(self, *operands: Array) -> Array:
        lhs, rhs, lhs_scale, rhs_scale = operands
        return self._dot.evaluate(_apply_scale(lhs, lhs_scale), _apply_scale(rhs, rhs_scale))

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """A scale is read where the elements of its block are."""
        lists = self.dot_dimension_numbers.lists
        for found in dot_general_maps(self.lhs.sizes, self.rhs.sizes, *lists, inverse=inverse):
            yield found
            _, operand, scale = self._sides[found.operand]
            if _is_one(scale.sizes):
                continue
            if inverse:
                through = compose(_from_scale(scale.sizes, operand.sizes), found.map)
            else:
                through = compose(found.map, _to_scale(operand.sizes, scale.sizes))
            yield OperandMap(2 + found.operand, through)

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """The cost of the dot_general, and a multiplication for each element."""
        dot = self._dot.cost((self._dot.lhs, self._dot.rhs), (self.infer(),))
        count = self.lhs.element_count + self.rhs.element_count
        return Cost(dot.flops + count, dot.result_bytes, dot.scratch_bytes + 8 * count)


def _divides(scale: int | None, size: int | None) -> bool:
    if scale is None or size is None:
        return True
    return size % scale == 0 if scale else size == 0


def _blocks(sizes: Sequence[int], scales: Sequence[int]) -> list[int]:
    """The number of elements in each dimension that share a scale."""
    return [size // max(count, 1) for size, count in zip(sizes, scales, strict=True)]


def _to_scale(sizes: Sequence[int], scales: Sequence[int]) -> IndexMap:
    """The map from an element to its scale: (d0, d1) -> (d0, d1 floordiv 32)."""
    blocks = enumerate(_blocks(sizes, scales))
    return IndexMap.of([floor_divide(Dim(k), max(block, 1)) for k, block in blocks], sizes)


def _from_scale(scales: Sequence[int], sizes: Sequence[int]) -> IndexMap:
    """(d0, d1)[s0, s1] -> (d0 + s0, d1 * 32 + s1): of a scale to its elements."""
    blocks = _blocks(sizes, scales)
    index: list[Expression] = [Dim(k) * block + Range(k) for k, block in enumerate(blocks)]
    return IndexMap.of(index, scales, blocks)


def _is_one(sizes: Sequence[int]) -> bool:
    return all(size == 1 for size in sizes)


def _apply_scale(operand: Array, scale: Array) -> Array:
    """The operand times its scale as bf16, block by block."""
    wide = operand.astype(np.float32)
    if not _is_one(scale.shape):
        pairs = zip(scale.shape, _blocks(operand.shape, scale.shape), strict=True)
        spread = np.expand_dims(scale.astype(np.float32), tuple(range(1, 2 * scale.ndim, 2)))
        wide = (wide.reshape([size for pair in pairs for size in pair]) * spread).reshape(operand.shape)
    return round_to(wide, _BF16)


def _scaled_error(operand: Array, scale: Array, error: Error, scale_error: Error, found: Array) -> Error:
    """The error of the scaled operand `found`: that of both factors, and that of rounding to bf16."""
    size, own = magnitude(operand), full_error(operand, error)
    if _is_one(scale.shape):
        times, other = np.ones(()), NO_ERROR
    else:
        times, other = (
            _spread(side, operand.shape) for side in (magnitude(scale), full_error(scale, scale_error))
        )
    with np.errstate(all="ignore"):
        moved = size * other + own * (times + other)
        is_rounded = np.isfinite(found) & (size * times != magnitude(found))
        return np.where(np.isnan(moved), UNKNOWN, moved) + np.where(is_rounded, rounded_error(found), 0.0)


def _spread(scale: Array, shape: Sequence[int]) -> Array:
    """The element of a scale for each element that it scales."""
    for axis, block in enumerate(_blocks(shape, scale.shape)):
        scale = np.repeat(scale, block, axis)
    return scale
