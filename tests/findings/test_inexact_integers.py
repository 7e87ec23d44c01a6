"""Integers that a conversion to a float rounds: where the lost digits count, and where they are rounding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hloscope

I32 = np.random.default_rng(5).integers(1 << 25, 1 << 30, 4096).astype(np.int32)


def found(body: str, *inputs: Any, result: str) -> list[str]:
    """The sentences about integers that were rounded, in a program that computes `%r`."""
    names = "abc"[: len(inputs)]
    kinds = {"int32": "i32", "int64": "i64", "uint32": "ui32", "float32": "f32"}
    types = [f"tensor<{'x'.join((*map(str, each.shape), kinds[each.dtype.name]))}>" for each in inputs]
    arguments = ", ".join(f"%{name}: {kind}" for name, kind in zip(names, types, strict=True))
    text = f"func.func @main({arguments}) -> {result} {{\n{body}\n  return %r : {result}\n}}"
    return [
        each.sentence
        for each in hloscope.record(text, list(inputs)).findings
        if each.kind == "inexact_integer"
    ]


BACK = """
  %f = stablehlo.convert %a : (tensor<4096xi32>) -> tensor<4096x{0}>
  %r = stablehlo.convert %f : (tensor<4096x{0}>) -> tensor<4096xi32>"""


def test_an_integer_that_does_not_come_back_is_named_with_both_numbers() -> None:
    (sentence,) = found(BACK.format("f32"), I32 | 1, result="tensor<4096xi32>")
    first = int(I32[0] | 1)
    assert sentence == (
        "first inexact integer: line 3, convert, 4,096 of 4,096 elements, "
        f"where %a is {first:,} and becomes {int(np.float32(first)):,}"
    )


def test_what_the_type_holds_is_none() -> None:
    assert not found(BACK.format("f64"), I32, result="tensor<4096xi32>")
    assert not found(BACK.format("f32"), I32 >> 7, result="tensor<4096xi32>")
    even = (I32 >> 8) << 8
    assert not found(BACK.format("f32"), even, result="tensor<4096xi32>")


HEALTHY = {
    "the float is the result": "%r = stablehlo.convert %a : (tensor<4096xi32>) -> tensor<4096xbf16>",
    "sums that are scaled": """
  %f = stablehlo.convert %a : (tensor<4096xi32>) -> tensor<4096xbf16>
  %s = stablehlo.constant dense<0.003> : tensor<4096xbf16>
  %r = stablehlo.multiply %f, %s : tensor<4096xbf16>""",
    "random bits below a limit": """
  %f = stablehlo.convert %a : (tensor<4096xi32>) -> tensor<4096xf32>
  %s = stablehlo.constant dense<5.0e8> : tensor<4096xf32>
  %p = stablehlo.compare LT, %f, %s : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xi1>
  %r = stablehlo.convert %p : (tensor<4096xi1>) -> tensor<4096xbf16>""",
    "a random choice of few": """
  %f = stablehlo.convert %a : (tensor<4096xi32>) -> tensor<4096xf32>
  %s = stablehlo.constant dense<1.0e-7> : tensor<4096xf32>
  %x = stablehlo.multiply %f, %s : tensor<4096xf32>
  %i = stablehlo.convert %x : (tensor<4096xf32>) -> tensor<4096xi32>
  %r = stablehlo.convert %i : (tensor<4096xi32>) -> tensor<4096xbf16>""",
    "numbers that a factor of 0 leaves out": """
  %f = stablehlo.convert %a : (tensor<4096xi32>) -> tensor<4096xf32>
  %n = stablehlo.constant dense<0.0> : tensor<4096xf32>
  %x = stablehlo.multiply %f, %n : tensor<4096xf32>
  %i = stablehlo.convert %x : (tensor<4096xf32>) -> tensor<4096xi32>
  %r = stablehlo.convert %i : (tensor<4096xi32>) -> tensor<4096xbf16>""",
}


@pytest.mark.parametrize("body", HEALTHY.values(), ids=HEALTHY.keys())
def test_rounding_is_none(body: str) -> None:
    assert not found(body, I32, result="tensor<4096xbf16>")


def test_a_difference_that_is_wrong_names_the_conversion() -> None:
    """Of both conversions, and not of the one whose digits another value hides."""
    body = """
  %x = stablehlo.convert %a : (tensor<4096xi32>) -> tensor<4096xf32>
  %y = stablehlo.convert %b : (tensor<4096xi32>) -> tensor<4096xf32>
  %d = stablehlo.subtract %x, %y : tensor<4096xf32>
  %l = stablehlo.constant dense<{}> : tensor<4096xf32>
  %r = stablehlo.add %d, %l : tensor<4096xf32>"""
    near = I32 + np.arange(4096, dtype=np.int32) % 5
    assert len(found(body.format("0.0"), I32, near, result="tensor<4096xf32>")) == 2
    assert not found(body.format("1.0e9"), I32, near, result="tensor<4096xf32>")


def test_answers_that_change_do_harm() -> None:
    body = """
  %x = stablehlo.convert %a : (tensor<4096xi32>) -> tensor<4096xf32>
  %y = stablehlo.convert %b : (tensor<4096xi32>) -> tensor<4096xf32>
  %r = stablehlo.compare EQ, %x, %y : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xi1>"""
    assert len(found(body, I32, I32 ^ 1, result="tensor<4096xi1>")) == 2
    assert not found(body, I32, I32 ^ (1 << 12), result="tensor<4096xi1>")
