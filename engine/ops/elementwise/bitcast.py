"""bitcast_convert: the same bits as elements of another type."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...indexing import OperandMap, broadcast_in_dim_maps, elementwise_maps, reduce_maps
from ...ir.element_types import ElementType, QuantizedType
from ...ir.types import TensorType
from ..core.facets import Drawing, HloSpelling, Roles, Rounding, Section, Traits, name_dimensions
from ..core.facets.findings import Findings
from ..core.facets.rounding import reinterpreted_error
from ..core.kinds import ANY, holds
from ..core.op import Array, Constraint, Op
from ..core.ranks import Arrays, OperandRanks, SeenRanks, worst_rank
from ..core.rounding import Errors
from ..core.rules import agree, spelled_shape


class BitcastConvertRounding(Rounding["BitcastConvert"]):
    def error_bound(self, op: BitcastConvert, operands: Arrays, errors: Errors, results: Arrays) -> Errors:
        return (reinterpreted_error(errors[0], results[0]),)


class BitcastConvertDrawing(Drawing["BitcastConvert"]):
    def dimension_roles(self, op: BitcastConvert) -> Roles:
        """The last dimension of narrower elements holds the parts of one wider element."""
        (source, target), ranks = op._types, (op.operand.rank, op.infer().rank)
        parts = (source.bits < target.bits, target.bits < source.bits)
        operand, result = (
            name_dimensions(rank, {"parts": [rank - 1] if has_parts else []})
            for rank, has_parts in zip(ranks, parts, strict=True)
        )
        return (operand,), (result,)


class BitcastConvertFindings(Findings["BitcastConvert"]):
    def mixes_bits(self, op: BitcastConvert) -> bool:
        return True

    def ranks_read(
        self, op: BitcastConvert, operands: Arrays, ranks: OperandRanks, results: Arrays
    ) -> SeenRanks:
        return (worst_rank(ranks),) * len(results)


@dataclass(frozen=True)
class BitcastConvert(Op):
    """The bits of `operand`, read as elements of the result's type.

    A narrower type adds a last dimension, a wider one consumes it. The specification leaves the order of
    bits open; as on XLA the lowest bits come first. Where no type is narrower than a byte, no data is copied.
    Specification: bitcast_convert.
    """

    name = "stablehlo.bitcast_convert"
    findings = BitcastConvertFindings(moves_elements=True)
    traits = Traits(category="movement")
    short_form = "operands attr-dict : functional-type"
    hlo = HloSpelling("bitcast-convert", "BitcastConvertType")
    section = Section(result_labels={"shape": "C1"})
    rounding = BitcastConvertRounding()
    drawing = BitcastConvertDrawing()

    operand: TensorType
    result: TensorType

    def constraints(self) -> Iterator[Constraint]:
        yield holds("I1", "operand", self.operand, ANY)
        yield holds("", "the result", self.result, ANY)
        source, target = self._types
        same = source.is_complex == target.is_complex
        yield "C2", same, f"{source} is not reinterpreted as {target}: both are complex or neither is"
        yield "C1", *self._sizes_fit()

    @property
    def _types(self) -> tuple[ElementType, ElementType]:
        return _storage_type(self.operand.element_type), _storage_type(self.result.element_type)

    def _sizes_fit(self) -> tuple[bool, str]:
        source, target = self._types
        shape, wanted = spelled_shape(self.operand), spelled_shape(self.result)
        if target.bits < source.bits:
            fits = source.bits % target.bits == 0
            return fits, f"{source.bits} bits of {source} are no whole number of {target}"
        if target.bits > source.bits:
            whole = self.operand.rank > 0 and target.bits % source.bits == 0
            whole = whole and agree(self.operand.shape[-1], target.bits // source.bits)
            sentence = f"the last dimension of {shape} does not hold the {target.bits} bits of {target}"
            return whole, f"{sentence}, for a result of shape {wanted}"
        return True, ""

    def infer(self) -> TensorType:
        source, target = self._types
        shape = self.operand.shape
        if target.bits < source.bits:
            shape = (*shape, source.bits // target.bits)
        elif target.bits > source.bits:
            shape = shape[:-1]
        return TensorType(shape, self.result.element_type)

    def evaluate(self, *operands: Array) -> Array:
        (operand,) = operands
        source, target = self._types
        if source.bits % 8 == 0 and target.bits % 8 == 0:
            return _view_bytes(operand, target, self.infer().sizes)
        if source.bits == target.bits:
            return _from_bits(_to_bits(operand, source), target)
        if source.bits > target.bits:
            return _split(operand, source, target)
        return _join_bits(operand, source, target)

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        source, target = self._types
        sizes, result = self.operand.sizes, self.infer().sizes
        if target.bits < source.bits:
            return broadcast_in_dim_maps(sizes, range(len(sizes)), result, inverse=inverse)
        if target.bits > source.bits:
            return (
                found
                for found in reduce_maps([sizes], [len(sizes) - 1], inverse=inverse)
                if found.operand == 0
            )
        return elementwise_maps(result, [sizes], inverse=inverse)


def _storage_type(element_type: ElementType) -> ElementType:
    return element_type.storage if isinstance(element_type, QuantizedType) else element_type


def _view_bytes(operand: Array, target: ElementType, sizes: tuple[int, ...]) -> Array:
    """Elements of whole bytes as another type: a view of the operand, unless its last dimension is not contiguous."""
    if operand.dtype.itemsize == target.dtype.itemsize:
        return operand.view(target.dtype)
    if operand.size == 0:
        return np.empty(sizes, target.dtype)
    return np.ascontiguousarray(operand).view(np.uint8).reshape(-1).view(target.dtype).reshape(sizes)


def _to_bits(operand: Array, element_type: ElementType) -> Array:
    """Unsigned integers of the dtype's width; types narrower than a byte have their bits lowest."""
    bits = operand.view(f"u{operand.dtype.itemsize}")
    return bits & np.uint8((1 << element_type.bits) - 1) if element_type.bits < 8 else bits


def _from_bits(bits: Array, element_type: ElementType) -> Array:
    dtype = element_type.dtype
    bits = np.asarray(bits).astype(f"u{dtype.itemsize}", copy=False)
    return np.asarray(bits != 0) if element_type.kind == "boolean" else bits.view(dtype)


def _split(operand: Array, source: ElementType, target: ElementType) -> Array:
    places = np.arange(0, source.bits, target.bits).astype(f"u{operand.dtype.itemsize}")
    parts = _to_bits(operand, source)[..., np.newaxis] >> places
    return _from_bits(parts & places.dtype.type((1 << target.bits) - 1), target)


def _join_bits(operand: Array, source: ElementType, target: ElementType) -> Array:
    wide = np.dtype(f"u{target.dtype.itemsize}")
    places = np.arange(0, target.bits, source.bits).astype(wide)
    parts = _to_bits(operand, source).astype(wide) << places
    return _from_bits(np.bitwise_or.reduce(parts, axis=-1), target)
