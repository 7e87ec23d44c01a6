"""is_finite, rounding, reduce_precision and the parts of complex values, against fractions and examples."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES, I32
from hloscope.engine.ops.elementwise.floating_point import reduce_precision
from tests.each import for_each

from .broken.stating import number
from .building import array, evaluated, same_bits

NAN, INF = np.nan, np.inf


def test_quantized_elements_are_finite() -> None:
    found = evaluated("is_finite", [np.array([[1, -128]], np.int8)], ["q8"], "i1")
    assert found.tolist() == [[True, True]]


ROUNDED = [
    ("round_nearest_afz", "f64", [-2.5, 0.4, 0.5, 0.6, 2.5], [-3.0, 0.0, 1.0, 1.0, 3.0]),
    ("round_nearest_even", "f64", [-2.5, 0.4, 0.5, 0.6, 2.5], [-2.0, 0.0, 0.0, 1.0, 2.0]),
    ("round_nearest_afz", "f32", [-1.5, -0.5, 0.49999997, -0.0, -0.2, INF], [-2, -1, 0, -0.0, -0.0, INF]),
    ("round_nearest_even", "f32", [-1.5, -0.5, 0.49999997, -0.0, -0.2, INF], [-2, -0.0, 0, -0.0, -0.0, INF]),
    (
        "round_nearest_afz",
        "f32",
        [8388607.5, 8388609, -16777215, 4194304.5],
        [8388608, 8388609, -16777215, 4194305],
    ),
    ("round_nearest_afz", "f64", [0.49999999999999994, 4503599627370495.5], [0, 4503599627370496]),
    ("round_nearest_afz", "bf16", [2.5, -3.5, 0.498046875], [3, -4, 0]),
    ("round_nearest_afz", "f32", [NAN], [NAN]),
]


@pytest.mark.parametrize(("name", "element_type", "operand", "expected"), ROUNDED)
def test_rounding(name: str, element_type: str, operand: list[float], expected: list[float]) -> None:
    found = evaluated(name, [array(operand, element_type)], [element_type], element_type)
    assert same_bits(found, array(expected, element_type)), found


REDUCED = [
    ("f64", 5, 10, [INF, NAN, 5e-324, 0.0, 65519.0, 65520.0], [INF, NAN, 0.0, 0.0, 65504.0, INF]),
    ("f32", 5, 10, [65504, 65519.9, 65520, 1e-8, 6e-5, 2049], [65504, 65504, INF, 0, 0, 2048]),
    ("f32", 1, 0, [0.5, 1, 1.5, 2], [0, 0, INF, INF]),
    ("f32", 2, 1, [0.5, 0.6, 1, 1.25, 1.75, 2.5, 3.5, 4], [0, 0, 1, 1, 2, 2, INF, INF]),
    ("f32", 8, 23, [1e-45, -1e-45], [1e-45, -1e-45]),
    ("f32", 5, 10, [-1e-8, -1e9], [-0.0, -INF]),
    ("f32", 40, 60, [1.1], [1.1]),
    ("bf16", 8, 3, [1.0625, 3.3e38], [1.0, INF]),
    ("f8E4M3FN", 4, 1, [448, 416, -448], [NAN, 384, NAN]),
    ("f8E4M3FNUZ", 2, 3, [-0.25, 240], [0.0, NAN]),
    ("f4E2M1FN", 2, 0, [6, 3, -0.5], [6, 2, -0.0]),
    ("f8E8M0FNU", 3, 0, [1, 16, 0.125], [1, NAN, NAN]),
]


@for_each(("element_type", "exponent", "mantissa", "operand", "expected"), REDUCED)
def test_reduce_precision(
    element_type: str, exponent: int, mantissa: int, operand: list[float], expected: list[float]
) -> None:
    bits = {"exponent_bits": number(exponent, I32), "mantissa_bits": number(mantissa, I32)}
    value = array(operand, element_type)
    found = evaluated("reduce_precision", [value], [element_type], element_type, **bits)
    assert same_bits(found, array(expected, element_type)), found


NORMAL = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False, width=32),
    st.floats(-100, 100, allow_subnormal=False, width=32),
)


@given(NORMAL, st.integers(2, 7), st.integers(1, 22))
def test_reduce_precision_of_fractions(value: float, exponent_bits: int, mantissa_bits: int) -> None:
    found = reduce_precision(np.array([value], np.float32), exponent_bits, mantissa_bits)[0]
    assert found == nearest(value, exponent_bits, mantissa_bits)
    assert np.signbit(found) == np.signbit(value)


def nearest(value: float, exponent_bits: int, mantissa_bits: int) -> float:
    """With fractions: the rounded number, infinity above the greatest, 0 below the least normal number."""
    if value == 0:
        return value
    exponent = np.frexp(value)[1] - 1
    unit = Fraction(2) ** int(exponent - mantissa_bits)
    rounded = round(Fraction(value) / unit) * unit
    reach = (1 << exponent_bits - 1) - 1
    if abs(rounded) >= Fraction(2) ** (reach + 1):
        return float(np.copysign(INF, value))
    return float(rounded) if abs(rounded) >= Fraction(2) ** (1 - reach) else 0.0


@pytest.mark.parametrize("narrow", ["f16", "bf16", "f8E5M2", "f8E4M3", "f8E3M4"])
def test_reduce_precision_is_the_way_there_and_back(narrow: str) -> None:
    dtype: Any = ELEMENT_TYPES[narrow].dtype
    info = ml_dtypes.finfo(dtype)
    random = np.random.default_rng(0)
    values = np.ldexp(random.uniform(-2, 2, 20_000), random.integers(-30, 30, 20_000)).astype(np.float32)
    with np.errstate(over="ignore"):
        there = values.astype(dtype).astype(np.float32)
    rounded_up = np.abs(reduce_precision(values, 8, int(info.nmant))) >= float(info.smallest_normal)
    expected = np.where(rounded_up, there, np.copysign(np.float32(0), values))
    assert same_bits(reduce_precision(values, int(info.nexp), int(info.nmant)), expected)


def test_parts_of_complex_values() -> None:
    operand = array([1 + 2j, complex(NAN, -0.0)], "complex<f32>")
    real = evaluated("real", [operand], ["complex<f32>"], "f32")
    imag = evaluated("imag", [operand], ["complex<f32>"], "f32")
    assert same_bits(real, array([1, NAN], "f32"))
    assert same_bits(imag, array([2, -0.0], "f32"))
    assert np.shares_memory(real, operand)
    again = evaluated("complex", [real, imag], ["f32"] * 2, "complex<f32>")
    assert same_bits(again, operand)


@pytest.mark.parametrize("element_type", ["f64", "bf16", "f8E4M3FNUZ"])
def test_real_numbers_have_an_imaginary_part_of_0(element_type: str) -> None:
    operand = array([1.5, -2], element_type)
    assert evaluated("real", [operand], [element_type], element_type) is operand
    imag = evaluated("imag", [operand], [element_type], element_type)
    assert same_bits(imag, array([0, 0], element_type))
