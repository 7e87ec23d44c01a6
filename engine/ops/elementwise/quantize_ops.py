"""uniform_quantize and uniform_dequantize: between floats and the integers that stand for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ...ir.element_types import ElementType, QuantizedType
from ...ir.types import TensorType
from ..core.facets import Rounding
from ..core.kinds import FLOAT, QUANTIZED, holds
from ..core.nudging import moved_apart
from ..core.op import Array, Constraint
from ..core.quantization import dequantize, quantize
from ..core.ranks import Arrays
from ..core.rounding import Errors, magnitude, unit_roundoff
from .elementwise import Elementwise


class UniformQuantizeRounding(Rounding["UniformQuantize"]):
    def error_bound(self, op: UniformQuantize, operands: Arrays, errors: Errors, results: Arrays) -> Errors:
        """One step up or down, where rounding may decide otherwise."""
        target = op.result.element_type
        assert isinstance(target, QuantizedType)
        with np.errstate(all="ignore"):
            number = np.asarray(dequantize(operands[0], op.operand.element_type), np.float64)
            steps = errors[0] * max(source_scales(op.operand.element_type))
            reach = steps + 4 * unit_roundoff(target.expressed.dtype) * np.abs(number)
            return (moved_apart(lambda value: quantize(value, target), (number,), (reach,), results[0]),)


@dataclass(frozen=True)
class UniformQuantize(Elementwise):
    """Floats, or integers that stand for floats, as integers of the result's scales and zero points.

    `clamp(storage_min, x / scale + zero_point, storage_max)`, rounded to nearest even. NaN, of which the
    specification says nothing, becomes 0 as where floats are converted. Specification: uniform_quantize.
    """

    name = "stablehlo.uniform_quantize"
    short_form = "operands attr-dict : same-type"
    section = replace(Elementwise.section, result_labels={"shape": "C1"})
    rounding = UniformQuantizeRounding()

    operand: TensorType
    result: TensorType

    def constraints(self) -> Iterator[Constraint]:
        yield holds("I1", "operand", self.operand, (*FLOAT, *QUANTIZED))
        yield holds("", "the result", self.result, QUANTIZED)
        source, target = self.operand.element_type, self.result.element_type
        assert isinstance(target, QuantizedType)
        found = source.expressed if isinstance(source, QuantizedType) else source
        sentence = f"the result stands for {target.expressed}, the operand for {found}"
        yield "C2", found == target.expressed, sentence

    def infer(self) -> TensorType:
        return self.operand.with_element_type(self.result.element_type)

    def evaluate(self, *operands: Array) -> Array:
        target = self.result.element_type
        assert isinstance(target, QuantizedType)
        return quantize(dequantize(operands[0], self.operand.element_type), target)


class UniformDequantizeRounding(Rounding["UniformDequantize"]):
    def error_bound(self, op: UniformDequantize, operands: Arrays, errors: Errors, results: Arrays) -> Errors:
        own = 2 * unit_roundoff(results[0].dtype) * magnitude(results[0])
        return (errors[0] * max(source_scales(op.operand.element_type)) + own,)


@dataclass(frozen=True)
class UniformDequantize(Elementwise):
    """The floats that integers stand for: `(x - zero_point) * scale`. Specification: uniform_dequantize."""

    name = "stablehlo.uniform_dequantize"
    short_form = "operands attr-dict : same-type"
    section = replace(Elementwise.section, result_labels={"element_type": "C2", "shape": "C1"})
    rounding = UniformDequantizeRounding()

    operand: TensorType

    def constraints(self) -> Iterator[Constraint]:
        yield holds("I1", "operand", self.operand, QUANTIZED)

    def infer(self) -> TensorType:
        source = self.operand.element_type
        assert isinstance(source, QuantizedType)
        return self.operand.with_element_type(source.expressed)

    def evaluate(self, *operands: Array) -> Array:
        return dequantize(operands[0], self.operand.element_type)


def source_scales(found: ElementType) -> tuple[float, ...]:
    """The scales of a quantized type; one of 1 of any other."""
    return found.scales if isinstance(found, QuantizedType) else (1.0,)
