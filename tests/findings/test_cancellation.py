"""Digits lost in differences: what is a finding, and what is not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hloscope

BIG = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<1.0e8> : tensor<4xf32>
  %a = stablehlo.add %x, %c : tensor<4xf32>
  %r = stablehlo.subtract %a, %c : tensor<4xf32>
  return %r : tensor<4xf32>
}
"""
CENTRED = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %part = stablehlo.constant dense<0.25> : tensor<f32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %mean = stablehlo.multiply %sum, %part : tensor<f32>
  %m = stablehlo.broadcast_in_dim %mean, dims = [] : (tensor<f32>) -> tensor<4xf32>
  %r = stablehlo.subtract %x, %m : tensor<4xf32>
  return %r : tensor<4xf32>
}
"""
CORRECTED = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<1.0e8> : tensor<4xf32>
  %a = stablehlo.add %x, %c : tensor<4xf32>
  %r = stablehlo.subtract %a, %c : tensor<4xf32>
  %large = stablehlo.constant dense<1.0e6> : tensor<4xf32>
  %s = stablehlo.add %r, %large : tensor<4xf32>
  return %s : tensor<4xf32>
}
"""
COUNTED = """
func.func @main(%n: tensor<4xi32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<-16777216.0> : tensor<4xf32>
  %a = stablehlo.convert %n : (tensor<4xi32>) -> tensor<4xf32>
  %r = stablehlo.add %a, %c : tensor<4xf32>
  return %r : tensor<4xf32>
}
"""


def found(text: str, x: Any) -> list[str]:
    return [each.sentence for each in hloscope.record(text, [x]).findings if each.kind == "cancellation"]


def test_a_sum_that_was_rounded_is_named_with_its_numbers() -> None:
    (sentence,) = found(BIG, np.array([1, 2, 3, 3.5], np.float32))
    assert sentence == (
        "first cancellation: line 5, subtract, 4 of 4 elements, "
        "where %a is 100000000 and %c is 100000000, and the result is 0"
    )


def test_an_integer_that_a_float_does_not_hold_counts_as_rounded() -> None:
    assert len(found(COUNTED, 2**24 + np.array([1, 3, 5, 7], np.int32))) == 1
    assert found(COUNTED, 2**24 + np.array([2, 4, 6, 8], np.int32)) == []


@pytest.mark.parametrize(
    ("text", "x"),
    [
        (BIG, [8.0, 16.0, 24.0, 8.0]),  # exact
        (BIG.replace("f32", "f64"), [1.0, 2.0, 3.0, 3.5]),  # f64 has the digits
        (BIG.replace("e8", "e1"), [1.0, 2.0, 3.0, 3.5]),  # few digits are lost
        (CENTRED, [0.1, 0.1, 0.1, 0.1]),  # 0 without rounding
        (CENTRED, [1000.0, 1001.0, 1002.0, 1000.5]),
        (CORRECTED, [1.0, 2.0, 3.0, 3.5]),  # small beside the result
    ],
)
def test_no_digits_are_lost_or_they_do_no_harm(text: str, x: list[float]) -> None:
    assert found(text, np.array(x, np.float64 if "f64" in text else np.float32)) == []
