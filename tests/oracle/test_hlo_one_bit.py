"""Integers of one bit against XLA on CPU, which takes neither inputs nor constants of them: they are converted."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from . import ours
from .client import Oracle

pytestmark = pytest.mark.oracle
BINARY = (
    *("add", "subtract", "multiply", "divide", "remainder", "and", "or", "xor", "maximum", "minimum"),
    *("shift-left", "shift-right-logical", "shift-right-arithmetic"),
)
"""All but power: there, and for no wider integers, XLA makes 0 of 0 to the power of 0."""
UNARY: dict[str, tuple[str, ...]] = {"s1": ("abs", "negate", "sign", "not", "popcnt", "count-leading-zeros")}
UNARY["u1"] = tuple(opcode for opcode in UNARY["s1"] if opcode not in ("abs", "sign"))
FLOATS = [-np.inf, -300, -2, -1.5, -1, -0.9, -0.0, 0, 0.4, 0.9, 1, 1.5, 2, 300, np.inf, np.nan, -np.nan]
SOURCES: dict[str, Any] = {
    "f64": np.float64,
    "f32": np.float32,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f8e5m2": ml_dtypes.float8_e5m2,
    **{f"s{bits}": f"i{bits // 8}" for bits in (8, 16, 32, 64)},
    **{f"u{bits}": f"u{bits // 8}" for bits in (8, 16, 32, 64)},
    "pred": np.bool_,
}


@pytest.fixture(autouse=True)
def _computes_with_one_bit(oracle: Oracle) -> None:
    """XLA of jaxlib 0.12 computes integers of one bit as bytes, so that 1 + 1 is 2: it is no oracle of them."""
    body = "x = u1[2] iota(), iota_dimension=0\n  y = u1[2] add(x, x)\n  ROOT r = u8[2] convert(y)"
    (found,) = oracle.run_hlo(f"HloModule m\n\nENTRY e {{\n  {body}\n}}\n", [], emitted=True)
    if found[1] == 2:
        pytest.skip("XLA computes integers of one bit as bytes")


def agree(oracle: Oracle, body: str, *inputs: Any) -> None:
    """The entry computation gives the same here and there."""
    text = f"HloModule m\n\nENTRY e {{\n{body}\n}}\n"
    (mine,), (wanted,) = ours.run_hlo(text, inputs), oracle.run_hlo(text, inputs, emitted=True)
    np.testing.assert_array_equal(mine, wanted)


@pytest.mark.parametrize("name", ["s1", "u1"])
@pytest.mark.parametrize("opcode", [*BINARY, "compare"])
def test_two_operands(oracle: Oracle, opcode: str, name: str) -> None:
    result, direction = ("pred", ", direction=LT") if opcode == "compare" else (name, "")
    body = f"""
      a = s32[4] parameter(0)
      b = s32[4] parameter(1)
      x = {name}[4] convert(a)
      y = {name}[4] convert(b)
      z = {result}[4] {opcode}(x, y){direction}
      ROOT r = s8[4] convert(z)"""
    agree(oracle, body, np.array([0, 0, 1, 1], np.int32), np.array([0, 1, 0, 1], np.int32))


@pytest.mark.parametrize(("name", "opcode"), [(name, opcode) for name in UNARY for opcode in UNARY[name]])
def test_one_operand(oracle: Oracle, name: str, opcode: str) -> None:
    body = f"""
      i = {name}[5] iota(), iota_dimension=0
      x = {name}[5] {opcode}(i)
      ROOT r = s8[5] convert(x)"""
    agree(oracle, body)


@pytest.mark.parametrize("name", ["s1", "u1"])
@pytest.mark.parametrize("other", SOURCES)
def test_conversions(oracle: Oracle, other: str, name: str) -> None:
    dtype = np.dtype(SOURCES[other])
    values = np.arange(-3, 4) if dtype.kind in "iub" else np.array(FLOATS)
    size = values.size
    body = f"""
      p = {other}[{size}] parameter(0)
      x = {name}[{size}] convert(p)
      ROOT r = s8[{size}] convert(x)"""
    agree(oracle, body, values.astype(dtype))
    body = f"""
      p = s32[2] parameter(0)
      x = {name}[2] convert(p)
      ROOT r = {other}[2] convert(x)"""
    agree(oracle, body, np.array([0, 1], np.int32))
