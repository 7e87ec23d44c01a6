"""bitcast: the same memory as a tensor of another type and layout."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ...indexing import Expression, OperandMap
from ...ir.element_types import UI8, ElementType
from ...ir.layouts import Layout
from ...ir.module import Module
from ...ir.types import TensorType, Type
from ..core.bases import Moving
from ..core.facets import Drawing, Folding, HloSpelling, Lanes, Part, Rounding, Section, Storage
from ..core.facets.rounding import full_error, reinterpreted_error
from ..core.integer_folding import Index, OperandElements
from ..core.kinds import TENSOR, holds
from ..core.op import Array, Constraint, Cost
from ..core.ranks import Arrays
from ..core.rounding import Errors, greatest
from ..core.rules import spelled_shape
from ..elementwise.bitcast import BitcastConvert
from .memory_order import (
    Steps,
    apply_steps,
    compose_maps,
    inverse_steps,
    is_order,
    reshape_steps,
    simplify_steps,
    to_memory,
)


class BitcastRounding(Rounding["Bitcast"]):
    def error_bound(self, op: Bitcast, operands: Arrays, errors: Errors, results: Arrays) -> Errors:
        """Infinite for errors in elements of another type, as with `BitcastConvert`."""
        if op.operand.element_type != op._result.element_type:
            return (reinterpreted_error(greatest(errors), results[0]),)
        before, after = op._steps
        return (apply_steps(apply_steps(full_error(operands[0], errors[0]), before), after),)


class BitcastFolding(Folding["Bitcast"]):
    def element(self, op: Bitcast, index: Index, operands: OperandElements) -> Expression | None:
        same = op.operand.element_type == op.result.element_type
        return Moving.folding.element(op, index, operands) if same else None


class BitcastLanes(Lanes["Bitcast"]):
    def is_lane_by_lane(self, op: Bitcast) -> bool:
        source, target = op.operand.element_type, op.result.element_type
        return not (op.operand.shape or op.result.shape) and source.bits == target.bits


class BitcastStorage(Storage["Bitcast"]):
    def shared_part(self, op: Bitcast, result: int, path: tuple[int, ...] = ()) -> Part:
        return 0, path


@dataclass(frozen=True)
class Bitcast(Moving):
    """The memory of `operand`, read as a tensor of the result's type and layout.

    The elements are taken in the order in which `operand` lies in memory, its minor-to-major order, and put in that
    of the result; a type without a layout is row-major. So `f32[4,4]{0,1} bitcast(f32[4,4]{1,0})` is a transpose,
    and between row-major layouts it is a reshape. Tiles are followed where they divide the tensor.

    Elements of another width are made of the same bytes, the lowest first. Elements narrower than a byte take one
    each, unless the layout gives their width (`E(4)`), or only packed make both sides equally large: the first
    element of a byte has its lowest bits. XLA operation semantics: Bitcast.
    """

    name = "hlo.bitcast"
    hlo = HloSpelling("bitcast", "Bitcast")
    drawing = Drawing(keeps_points=True)
    section = Section(
        rules=(
            "Layouts order all dimensions, each once.",
            "`operand` and the result have as many bits.",
            "An element of either side has a whole number of times as many bits as one of the other.",
            (
                "If a size is known only when the program runs, `operand` and the result have the same "
                "element type and sizes."
            ),
        ),
    )
    rounding = BitcastRounding()
    storage = BitcastStorage()
    folding = BitcastFolding()
    lanes = BitcastLanes()

    operand: TensorType
    result: TensorType
    source_layout: tuple[int, ...] | None = field(default=None, metadata={"discardable": True})
    """The operand's minor-to-major order, and below the result's, where types have no layouts: in MHLO."""
    result_layout: tuple[int, ...] | None = field(default=None, metadata={"discardable": True})

    def link(self, module: Module) -> Bitcast:
        if self.source_layout is None and self.result_layout is None:
            return self
        operand, result = (
            _laid_out(self.operand, self.source_layout),
            _laid_out(self.result, self.result_layout),
        )
        return Bitcast(operand, result)

    def constraints(self) -> Iterator[Constraint]:
        for name, found in (("operand", self.operand), ("the result", self.result)):
            yield holds("", name, found, TENSOR)
            sentence = (
                f"the layout {found.layout} of {name} does not order the dimensions of {spelled_shape(found)}"
            )
            yield "", is_order(found.layout, found.rank), sentence
        if not self.result.is_static:
            yield self._open_sizes()
        if not self.operand.is_static or not self._result.is_static:
            return
        source, target = self._widths
        taken, made = self.operand.element_count * source, self._result.element_count * target
        sentence = f"the result must be as large as operand, {taken:,} bits, not {made:,} bits"
        yield "", taken == made, sentence
        wide, narrow = max(source, target), min(source, target)
        yield (
            "",
            wide % narrow == 0,
            f"elements of {wide} bits are no whole number of elements of {narrow} bits",
        )

    def _open_sizes(self) -> Constraint:
        """Sizes that the run shows are those of the operand."""
        source, target = self.operand, self.result
        pairs = zip(source.shape, target.shape, strict=False)
        alike = source.rank == target.rank and all(old == new or None in (old, new) for old, new in pairs)
        same = alike and source.element_type == target.element_type
        sentence = f"a size is not known, so operand and result must have one type, not {source} and {target}"
        return "", same, sentence

    @property
    def _result(self) -> TensorType:
        """The result's type with the sizes that the run has shown."""
        if self.result.is_static:
            return self.result
        return replace(self.result, shape=self.operand.shape, bounds=None)

    def infer(self) -> TensorType:
        return self.result

    @cached_property
    def _widths(self) -> tuple[int, int]:
        """The bits that an element of either side takes in memory."""
        operand, result = self.operand, self._result
        widths = _stated_width(operand), _stated_width(result)
        if operand.element_count * widths[0] == result.element_count * widths[1]:
            return widths
        return _packed_width(operand), _packed_width(result)

    @cached_property
    def _conversion(self) -> BitcastConvert | None:
        """The conversion of elements in memory order; it adds or removes a last dimension."""
        operand, result = self.operand, self._result
        if operand.element_type == result.element_type:
            return None
        source, target = map(_full_width_type, (operand.element_type, result.element_type), self._widths)
        count = operand.element_count
        if target.bits <= source.bits:
            made: tuple[int, ...] = (
                (count,) if target.bits == source.bits else (count, source.bits // target.bits)
            )
            return BitcastConvert(TensorType((count,), source), TensorType(made, target))
        ratio = target.bits // source.bits
        given = (count // ratio, ratio)
        return BitcastConvert(TensorType(given, source), TensorType(given[:1], target))

    @cached_property
    def _steps(self) -> tuple[Steps, Steps]:
        """The movements of elements before the conversion and after it."""
        before, after = to_memory(self.operand), inverse_steps(to_memory(self._result))
        memory, refilled = before[-1].after, after[0].before
        conversion = self._conversion
        if conversion is None:
            return simplify_steps((*before, *reshape_steps(memory, refilled), *after)), ()
        given, made = conversion.operand.sizes, conversion.result.sizes
        return (
            simplify_steps((*before, *reshape_steps(memory, given))),
            simplify_steps((*reshape_steps(made, refilled), *after)),
        )

    def evaluate(self, *operands: Array) -> Array:
        if self.lanes.is_lane_by_lane(self):
            return operands[0].view(self.result.element_type.dtype)
        before, after = self._steps
        array = apply_steps(operands[0], before)
        if self._conversion is not None:
            array = self._convert(array, self._conversion)
        return apply_steps(array, after)

    def _convert(self, array: Array, conversion: BitcastConvert) -> Array:
        source, target = self.operand.element_type, self._result.element_type
        given = array.view(np.uint8) if conversion.operand.element_type != source else array
        made = conversion.evaluate(given)
        if conversion.result.element_type == target:
            return made
        if target.kind == "boolean":
            return np.asarray(made != 0)
        # Of a byte that holds one narrow element, the other bits mean nothing.
        return (made & np.uint8((1 << target.bits) - 1)).view(target.dtype)

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        before, after = ([step.index_map(inverse=inverse) for step in steps] for steps in self._steps)
        conversion = self._conversion.directed_maps(inverse=inverse) if self._conversion else ()
        maps = [*before, *(found.map for found in conversion), *after]
        if inverse:
            yield OperandMap(0, compose_maps(maps, self.operand.sizes))
        else:
            yield OperandMap(0, compose_maps(maps[::-1], self._result.sizes))

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """Elements are moved; nothing is computed."""
        made = self._result.byte_count
        return Cost(0, made, self.operand.byte_count + made if self._conversion else 0)


def _laid_out(found: TensorType, order: tuple[int, ...] | None) -> TensorType:
    return found if order is None else replace(found, layout=Layout(order))


def _stated_width(found: TensorType) -> int:
    """Bits of an element in memory by its layout: whole bytes, where that does not say otherwise."""
    stated = found.layout.element_size_in_bits if found.layout else 0
    bits = found.element_type.bits
    return bits if stated == bits else _bytes_of(found.element_type)


def _packed_width(found: TensorType) -> int:
    """Bits of an element in memory, where none are left unused. Booleans always take a byte each."""
    element_type = found.element_type
    return _bytes_of(element_type) if element_type.kind == "boolean" else element_type.bits


def _bytes_of(element_type: ElementType) -> int:
    return 8 * element_type.dtype.itemsize


def _full_width_type(element_type: ElementType, width: int) -> ElementType:
    """A type of the same memory whose bits all count."""
    return element_type if element_type.bits == width else UI8
