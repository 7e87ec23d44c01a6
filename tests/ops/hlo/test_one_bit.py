"""Integers of one bit, which only HLO has: s1 is -1 or 0, u1 is 0 or 1, and all arithmetic wraps."""

from __future__ import annotations

import numpy as np
import pytest

from .running import results_of_hlo


def of_bits(name: str, *bits: int) -> list[list[int]]:
    """The numbers of such bits, as the only result."""
    return [[-bit if name == "s1" else bit for bit in bits]]


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
    sums, wrapped, whole = results_of_hlo(text, bits)
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
    bits, back = results_of_hlo(text, np.array([1, 0xA5], np.uint8))
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
    assert results_of_hlo(text, np.array([0, 1, 1, 0], np.int32)) == of_bits(name, 0, 1, 1, 0, 0, 1)
