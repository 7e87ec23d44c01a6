"""is_finite of quantized elements, reduce_precision against fractions, and imaginary parts of real numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ops.elementwise.floating_point import reduce_precision

from .building import array, evaluated, same_bits


def test_quantized_elements_are_finite() -> None:
    found = evaluated("is_finite", [np.array([[1, -128]], np.int8)], ["q8"], "i1")
    assert found.tolist() == [[True, True]]


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
        return float(np.copysign(np.inf, value))
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


@pytest.mark.parametrize("element_type", ["f64", "bf16", "f8E4M3FNUZ"])
def test_real_numbers_have_an_imaginary_part_of_0(element_type: str) -> None:
    operand = array([1.5, -2], element_type)
    assert evaluated("real", [operand], [element_type], element_type) is operand
    imag = evaluated("imag", [operand], [element_type], element_type)
    assert same_bits(imag, array([0, 0], element_type))
