"""uniform_quantize and uniform_dequantize: the specification's examples, edges, and exact fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES, QuantizedType
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.elementwise.quantize_ops import UniformDequantize, UniformQuantize

from .quantized import quantized


def quantize(operand: Array, target: QuantizedType, source: str | QuantizedType = "f32") -> Array:
    known = ELEMENT_TYPES[source] if isinstance(source, str) else source
    found = TensorType(operand.shape, known)
    return UniformQuantize(found, found.with_element_type(target)).evaluate(operand)


def dequantize(stored: Array, source: QuantizedType) -> Array:
    return UniformDequantize(TensorType(stored.shape, source)).evaluate(stored)


def test_halves_go_to_even_and_what_is_too_large_is_clamped() -> None:
    operand = np.array([0.25, 0.75, -0.25, 1e30, -1e30, np.inf, -np.inf, np.nan], np.float32)
    assert quantize(operand, quantized()).tolist() == [0, 2, 0, 127, -128, 127, -128, 0]


def test_narrow_and_unsigned_storage() -> None:
    operand = np.array([-1, 3.4, 100], np.float32)
    assert quantize(operand, quantized((1.0,), storage="ui8")).tolist() == [0, 3, 100]
    assert quantize(operand, quantized((1.0,), storage="i4")).tolist() == [-1, 3, 7]


def test_expressed_types_are_computed_and_rounded_once() -> None:
    source = quantized((0.3,), (1,), expressed="bf16")
    found = dequantize(np.array([4], np.int8), source)
    assert found.dtype == ELEMENT_TYPES["bf16"].dtype
    # 0.3 is 0.30078125 in bf16; three times that is 0.90234375, which bf16 has.
    assert float(found[0]) == 0.90234375


@pytest.mark.parametrize("shape", [(), (0,), (1,), (2, 0)])
def test_sizes(shape: tuple[int, ...]) -> None:
    stored = np.full(shape, 3, np.int8)
    assert dequantize(stored, quantized()).tolist() == np.full(shape, 1.5).tolist()


@given(st.integers(-128, 127), st.sampled_from([0.5, 0.25, 3.0]), st.integers(-128, 127))
def test_exact_values_come_back(stored: int, scale: float, zero_point: int) -> None:
    parameters = quantized((scale,), (zero_point,))
    value = dequantize(np.array([stored], np.int8), parameters)
    assert Fraction(float(value[0])) == (stored - zero_point) * Fraction(scale)
    assert quantize(value, parameters).tolist() == [stored]
