"""Integers of one bit, which only HLO has: s1 is -1 or 0, u1 is 0 or 1, and all arithmetic wraps."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from .test_hlo_text import given

LEFT, RIGHT = (np.array(bits, np.int32) for bits in ([0, 0, 1, 1], [0, 1, 0, 1]))
NAN, INFINITY = float("nan"), float("inf")


def of_bits(name: str, *bits: int) -> list[list[int]]:
    """The numbers of such bits, as the only result."""
    return [[-bit if name == "s1" else bit for bit in bits]]


@pytest.mark.parametrize("name", ["s1", "u1"])
@pytest.mark.parametrize(
    ("opcode", "bits"),
    [
        ("add", (0, 1, 1, 0)),
        ("subtract", (0, 1, 1, 0)),
        ("multiply", (0, 0, 0, 1)),
        ("divide", (1, 0, 1, 1)),
        ("remainder", (0, 0, 1, 0)),
        ("and", (0, 0, 0, 1)),
        ("or", (0, 1, 1, 1)),
        ("xor", (0, 1, 1, 0)),
        ("shift-left", (0, 0, 1, 0)),
        ("shift-right-logical", (0, 0, 1, 0)),
        ("shift-right-arithmetic", (0, 0, 1, 1)),
    ],
)
def test_arithmetic_is_of_one_bit(opcode: str, name: str, bits: tuple[int, ...]) -> None:
    text = f"""
      a = s32[4] parameter(0)
      b = s32[4] parameter(1)
      x = {name}[4] convert(a)
      y = {name}[4] convert(b)
      ROOT r = {name}[4] {opcode}(x, y)"""
    assert given(text, LEFT, RIGHT) == of_bits(name, *bits)


@pytest.mark.parametrize(
    ("name", "opcode", "wanted"),
    [
        ("s1", "maximum", [0, 0, 0, -1]),
        ("u1", "maximum", [0, 1, 1, 1]),
        ("s1", "minimum", [0, -1, -1, -1]),
        ("u1", "minimum", [0, 0, 0, 1]),
    ],
)
def test_the_sign_decides_which_is_greater(name: str, opcode: str, wanted: list[int]) -> None:
    text = f"""
      a = {name}[4] parameter(0)
      b = {name}[4] parameter(1)
      l = pred[4] compare(a, b), direction=LT
      m = {name}[4] {opcode}(a, b)
      ROOT t = (pred[4], {name}[4]) tuple(l, m)"""
    dtype = ml_dtypes.int1 if name == "s1" else ml_dtypes.uint1
    less = [False, name == "u1", name == "s1", False]
    assert given(text, LEFT.astype(dtype), RIGHT.astype(dtype)) == [less, wanted]


@pytest.mark.parametrize("name", ["s1", "u1"])
@pytest.mark.parametrize(
    ("opcode", "bits"),
    [("not", (1, 0)), ("negate", (0, 1)), ("popcnt", (0, 1)), ("count-leading-zeros", (1, 0))],
)
def test_ops_on_one_operand(opcode: str, name: str, bits: tuple[int, ...]) -> None:
    text = f"i = {name}[2] iota(), iota_dimension=0\nROOT r = {name}[2] {opcode}(i)"
    assert given(text) == of_bits(name, *bits)


@pytest.mark.parametrize(
    ("source", "values", "signed", "unsigned"),
    [
        (
            "f32",
            [-INFINITY, -1.5, -1, -0.9, 0.9, 1, 3, NAN],
            [-1, -1, -1, 0, 0, 0, 0, 0],
            [0, 0, 0, 0, 0, 1, 1, 0],
        ),
        ("s32", [-2, -1, 0, 1, 2, 3], [0, -1, 0, -1, 0, -1], [0, 1, 0, 1, 0, 1]),
        ("pred", [False, True], [0, -1], [0, 1]),
    ],
)
def test_floats_saturate_and_integers_wrap(
    source: str, values: list[Any], signed: list[int], unsigned: list[int]
) -> None:
    size = len(values)
    text = f"""
      p = {source}[{size}] parameter(0)
      s = s1[{size}] convert(p)
      u = u1[{size}] convert(p)
      ROOT t = (s1[{size}], u1[{size}]) tuple(s, u)"""
    dtype = {"f32": np.float32, "s32": np.int32, "pred": np.bool_}[source]
    assert given(text, np.array(values, dtype)) == [signed, unsigned]


@pytest.mark.parametrize(
    ("target", "signed", "unsigned"),
    [("f32", [0, -1], [0, 1]), ("u8", [0, 255], [0, 1]), ("s4", [0, -1], [0, 1]), ("pred", [0, 1], [0, 1])],
)
def test_what_one_bit_becomes(target: str, signed: list[int], unsigned: list[int]) -> None:
    text = f"""
      a = s1[2] constant({{0, -1}})
      b = u1[2] constant({{0, 1}})
      x = {target}[2] convert(a)
      y = {target}[2] convert(b)
      ROOT t = ({target}[2], {target}[2]) tuple(x, y)"""
    assert given(text) == [signed, unsigned]


@pytest.mark.parametrize("size", [7, 100])
@pytest.mark.parametrize("name", ["s1", "u1"])
def test_sums_and_products_wrap(name: str, size: int) -> None:
    bits = np.random.default_rng(size).integers(0, 2, (2, size), np.int32)
    text = f"""
      p = s32[2,{size}] parameter(0)
      x = {name}[2,{size}] convert(p)
      z = {name}[] constant(0)
      s = {name}[2] reduce(x, z), dimensions={{1}}, to_apply={{
        a = {name}[] parameter(0)  b = {name}[] parameter(1)  ROOT c = {name}[] add(a, b) }}
      d = {name}[2,2] dot(x, x), lhs_contracting_dims={{1}}, rhs_contracting_dims={{1}}
      w = s32[2,2] dot(x, x), lhs_contracting_dims={{1}}, rhs_contracting_dims={{1}}
      ROOT t = ({name}[2], {name}[2,2], s32[2,2]) tuple(s, d, w)"""
    products = bits @ bits.T
    sums, wrapped, whole = given(text, bits)
    assert [sums] == of_bits(name, *(bits.sum(1) & 1).tolist())
    assert wrapped == ((products & 1) * (-1 if name == "s1" else 1)).tolist()
    assert whole == products.tolist()


@pytest.mark.parametrize("name", ["s1", "u1"])
def test_bits_of_a_byte(name: str) -> None:
    text = f"""
      p = u8[2] parameter(0)
      x = {name}[2,8] bitcast-convert(p)
      b = u8[2] bitcast-convert(x)
      ROOT t = ({name}[2,8], u8[2]) tuple(x, b)"""
    bits, back = given(text, np.array([1, 0xA5], np.uint8))
    assert [bits[0]] == of_bits(name, 1, 0, 0, 0, 0, 0, 0, 0)
    assert [bits[1]] == of_bits(name, 1, 0, 1, 0, 0, 1, 0, 1)
    assert back == [1, 0xA5]


@pytest.mark.parametrize("name", ["s1", "u1"])
def test_elements_are_moved(name: str) -> None:
    text = f"""
      p = s32[4] parameter(0)
      x = {name}[4] convert(p)
      z = {name}[] constant(0)
      q = pred[4] convert(x)
      n = {name}[4] not(x)
      s = {name}[4] select(q, x, n)
      c = {name}[8] concatenate(x, s), dimensions={{0}}
      d = {name}[2,4] reshape(c)
      t = {name}[4,2] transpose(d), dimensions={{1,0}}
      e = {name}[2,2] slice(t), slice={{[1:4:2], [0:2]}}
      f = {name}[2,3] pad(e, z), padding=0_0x1_0
      ROOT r = {name}[6] reshape(f)"""
    assert given(text, np.array([0, 1, 1, 0], np.int32)) == of_bits(name, 0, 1, 1, 0, 0, 1)
