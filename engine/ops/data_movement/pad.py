"""pad: space around and between the elements of a tensor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...indexing import IndexMap, OperandMap, dims, pad_maps
from ...ir.types import Dimension, TensorType
from ..core.facets import Drawing, Explanation, HloSpelling, Picture, Section, Shown, SlidingWindows
from ..core.facets.findings import Findings
from ..core.kinds import TENSOR_OR_PER_TENSOR, holds
from ..core.op import Array, Constraint, Op, all_equal
from ..core.rules import Sizes, format_list


class PadDrawing(Drawing["Pad"]):
    def picture(self, op: Pad) -> Picture | None:
        if not op.open_sizes.are_known(op):
            return None
        places = [d - low for d, low in zip(dims(op.operand.rank), op.edge_padding_low, strict=True)]
        apart = [interior + 1 for interior in op.interior_padding]
        positions = IndexMap.of(places, op.infer().sizes)
        return SlidingWindows("pad", Shown("result"), (Shown("operand"),), apart, positions)

    def documented_maps(self, op: Pad) -> Iterator[OperandMap]:
        """Every element reads the padding value."""
        return pad_maps(op.operand.sizes, *op._padding, exact=False)


@dataclass(frozen=True)
class Pad(Op):
    """Puts `interior_padding[d]` copies of `padding_value` between neighbours of `operand`, then others at the edges.

    `result[edge_padding_low + i * (interior_padding + 1)] = operand[i]`, and `padding_value` elsewhere. Negative
    edge padding removes elements, also padded ones. Without any padding no data is copied. Specification: pad.
    """

    name = "stablehlo.pad"
    findings = Findings(moves_elements=True)
    short_form = (
        "operands , low = $edge_padding_low , high = $edge_padding_high , interior = $interior_padding"
        " attr-dict : functional-type"
    )
    hlo = HloSpelling(
        "pad",
        "Pad",
        note="`padding=1_2_0x0_0` states for each dimension what is added before, behind and, if there is a "
        "third number, between elements.",
    )
    section = Section(result_labels={"element_type": "C1", "shape": "C4"})
    explanation = Explanation(notes={1: "the padding value"})
    drawing = PadDrawing()

    operand: TensorType
    padding_value: TensorType
    edge_padding_low: tuple[int, ...]
    edge_padding_high: tuple[int, ...]
    interior_padding: tuple[int, ...]

    def constraints(self) -> Iterator[Constraint]:
        yield holds("I1", "operand", self.operand, TENSOR_OR_PER_TENSOR)
        yield holds("I2", "padding_value", self.padding_value, TENSOR_OR_PER_TENSOR)
        sentence = f"padding_value must have rank 0, not {self.padding_value.rank}"
        yield "I2", self.padding_value.rank == 0, sentence
        source, value = self.operand.element_type, self.padding_value.element_type
        yield "C1", source == value, f"operand holds {source}, padding_value {value}"
        counts = [len(x) for x in (self.edge_padding_low, self.edge_padding_high, self.interior_padding)]
        sentence = (
            f"edge_padding_low, edge_padding_high and interior_padding have {format_list(counts)} elements "
            f"for rank {self.operand.rank}"
        )
        yield "C2", all_equal([*counts, self.operand.rank]), sentence
        sentence = f"interior_padding {format_list(self.interior_padding)} must not be negative"
        yield "C3", all(interior >= 0 for interior in self.interior_padding), sentence
        sizes = self._padded(self.operand.greatest_shape)
        sentence = (
            f"more elements are removed than there are: the result's sizes would be {format_list(sizes)}"
        )
        yield "C4", all(size is None or size >= 0 for size in sizes), sentence

    def _padded(self, shape: Sizes) -> tuple[Dimension, ...]:
        parts = zip(
            *(shape, self.edge_padding_low, self.interior_padding, self.edge_padding_high), strict=True
        )
        return tuple(
            None if size is None else size + low + max(size - 1, 0) * interior + high
            for size, low, interior, high in parts
        )

    def infer(self) -> TensorType:
        return self.operand.with_shape(self._padded(self.operand.shape))

    def evaluate(self, *operands: Array) -> Array:
        operand, padding_value = operands
        sizes = self.infer().sizes
        return pad_array(operand, padding_value, sizes, self.edge_padding_low, self.interior_padding)

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        return pad_maps(self.operand.sizes, *self._padding, inverse=inverse)

    @property
    def _padding(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        return self.edge_padding_low, self.edge_padding_high, self.interior_padding


def pad_array(
    operand: Array, padding_value: Array, shape: Sequence[int], low: Sequence[int], interior: Sequence[int]
) -> Array:
    """`operand` padded to `shape`; a view of it where nothing is put between or around its elements."""
    parts = zip(operand.shape, shape, low, interior, strict=True)
    kept = [_kept_slices(size, whole, first, between + 1) for size, whole, first, between in parts]
    index: list[Any] = [source for source, _ in kept]
    taken = operand[(*index, ...)]
    if taken.shape == tuple(shape):
        return taken
    if taken.size == 0:
        return np.broadcast_to(padding_value, shape)
    result = np.full(shape, padding_value, operand.dtype)
    result[tuple(target for _, target in kept)] = taken
    return result


def _kept_slices(size: int, whole: int, low: int, step: int) -> tuple[slice, slice]:
    """In one dimension: the operand's elements that negative padding leaves, and their places in the result."""
    first = max(0, -(low // step))
    count = max(0, min(size - 1, (whole - 1 - low) // step) - first + 1)
    # Without elements any place will do; the computed one may lie outside.
    place = low + first * step if count else 0
    return slice(first, first + count), slice(place, place + (count - 1) * step + 1 if count else 0, step)
