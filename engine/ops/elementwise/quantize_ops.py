"""uniform_quantize and uniform_dequantize: between floats and the integers that stand for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from ...ir.element_types import QuantizedType
from ...ir.types import TensorType
from ..core.kinds import FLOAT, QUANTIZED, holds
from ..core.op import Array, Constraint, Op
from ..core.quantization import dequantize, quantize
from .elementwise import Elementwise


@dataclass(frozen=True)
class UniformQuantize(Elementwise):
    """Floats, or integers that stand for floats, as integers of the result's scales and zero points.

    `clamp(storage_min, x / scale + zero_point, storage_max)`, rounded to nearest even. NaN, of which the
    specification says nothing, becomes 0 as where floats are converted. Specification: uniform_quantize.
    """

    name = "stablehlo.uniform_quantize"
    short_form = "operands attr-dict : same-type"
    result_labels: ClassVar[Mapping[str, str]] = {"shape": "C1"}

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


@dataclass(frozen=True)
class UniformDequantize(Elementwise):
    """The floats that integers stand for: `(x - zero_point) * scale`. Specification: uniform_dequantize."""

    name = "stablehlo.uniform_dequantize"
    short_form = "operands attr-dict : same-type"
    result_labels: ClassVar[Mapping[str, str]] = {"element_type": "C2", "shape": "C1"}

    operand: TensorType

    def constraints(self) -> Iterator[Constraint]:
        yield holds("I1", "operand", self.operand, QUANTIZED)

    def infer(self) -> TensorType:
        source = self.operand.element_type
        assert isinstance(source, QuantizedType)
        return self.operand.with_element_type(source.expressed)

    def evaluate(self, *operands: Array) -> Array:
        return dequantize(operands[0], self.operand.element_type)


OPS: tuple[type[Op], ...] = (UniformQuantize, UniformDequantize)
