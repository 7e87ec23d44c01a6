"""Infinities that are absorbed in a quotient do harm where they were only too large for their type."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from hloscope.engine.ops.elementwise.lost_sizes import are_great
from tests.each import for_each

from .finding import found

F32 = np.float32
V = "tensor<2xf32>"


def grades(body: str, *inputs: list[float]) -> list[tuple[str, str]]:
    """The kinds and grades of the findings in a program with two inputs."""
    text = f"""func.func @main(%x: {V}, %y: {V}) -> {V} {{
      %zero = stablehlo.constant dense<0.0> : {V}
      %one = stablehlo.constant dense<1.0> : {V}
      {body}
      return %r : {V}
    }}"""
    return [(each.kind, each.grade) for each in found(text, *(np.array(given, F32) for given in inputs))]


SQUARE = f"%square = stablehlo.multiply %x, %x : {V}\n"
NORM = SQUARE + f"%norm = stablehlo.sqrt %square : {V}\n"
LOGISTIC = f"""%powers = stablehlo.exponential %x : {V}
  %sum = stablehlo.add %one, %powers : {V}
  %r = stablehlo.divide %y, %sum : {V}"""
POWER = SQUARE + f"%power = stablehlo.power %square, %y : {V}\n"
RECIPROCAL = SQUARE + f"%share = stablehlo.divide %one, %square : {V}\n"
ROOT = SQUARE + f"%root = stablehlo.rsqrt %square : {V}\n"


@for_each(
    ("body", "x", "y", "grade"),
    [
        (f"{NORM}%r = stablehlo.divide %y, %norm : {V}", [1, 1e20], [1, 1], "harmful"),
        (f"{NORM}%r = stablehlo.divide %y, %norm : {V}", [1, 1e20], [1, 0], "masked"),
        (f"{ROOT}%r = stablehlo.multiply %x, %root : {V}", [1, 1e20], [1, 1], "harmful"),
        (f"{ROOT}%r = stablehlo.multiply %y, %root : {V}", [1, 1e20], [1, 0], "masked"),
        (f"{POWER}%r = stablehlo.multiply %x, %power : {V}", [1, 1e20], [-0.5, -0.5], "harmful"),
        (f"{POWER}%r = stablehlo.multiply %x, %power : {V}", [1, 1e20], [-2, -2], "masked"),
        (f"{SQUARE}%r = stablehlo.divide %y, %square : {V}", [1, 1e20], [1, 1], "masked"),
        (f"{SQUARE}%r = stablehlo.divide %y, %square : {V}", [1, 1e20], [1, 1e35], "harmful"),
        (f"{SQUARE}%r = stablehlo.minimum %y, %square : {V}", [1, 1e20], [1, 1], "masked"),
        (f"{RECIPROCAL}%r = stablehlo.multiply %y, %share : {V}", [1, 1e20], [1, 1e35], "harmful"),
        (f"{RECIPROCAL}%r = stablehlo.multiply %share, %y : {V}", [1, 1e20], [1, 1e20], "masked"),
        (LOGISTIC, [1, 200], [1, 1], "masked"),
        (LOGISTIC, [1, 200], [1, -200], "masked"),
    ],
    ids=str,
)
def test_a_quotient_that_is_0_for_an_infinite_divisor_does_harm_where_it_should_not_be_about_0(
    body: str, x: list[float], y: list[float], grade: str
) -> None:
    assert grades(body, x, y) == [("inf", grade)]


def test_a_select_that_asks_whether_a_norm_is_finite_leaves_it_out() -> None:
    body = f"""{NORM}%share = stablehlo.divide %y, %norm : {V}
      %known = stablehlo.is_finite %norm : ({V}) -> tensor<2xi1>
      %r = stablehlo.select %known, %share, %y : tensor<2xi1>, {V}"""
    assert grades(body, [1, 1e20], [1, 1]) == [("inf", "masked")]


def test_a_quotient_by_a_divisor_of_0_is_not_too_large_but_infinite() -> None:
    body = f"""%far = stablehlo.divide %one, %x : {V}
      %norm = stablehlo.sqrt %far : {V}
      %r = stablehlo.divide %y, %norm : {V}"""
    assert grades(body, [1, 0], [1, 1]) == [("inf", "masked")]


def test_complex_numbers_and_short_floats_are_great_by_the_same_measure() -> None:
    assert are_great(np.array([1 + 1j, 1e38j], np.complex64)).tolist() == [False, True]
    assert are_great(np.array([1, 100], np.float16)).tolist() == [False, True]
    assert are_great(np.array([1, 1e30, 1e38], ml_dtypes.bfloat16)).tolist() == [False, False, True]
