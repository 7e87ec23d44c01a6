"""NaN that leave only an order, a position, or a NaN constant that the program takes instead."""

from __future__ import annotations

import numpy as np
import pytest

from .finding import found

F32 = np.float32
X, Y = np.array([1, 0, 3], F32), np.array([5, 6, 7], F32)
V = "tensor<3xf32>"


def grades(body: str, divisor: list[float], given: str = "") -> list[tuple[str, str]]:
    """The kinds and grades of the findings in a program that divides, and returns `%r`."""
    text = f"""func.func @main(%x: {V}, %y: {V}, %by: {V}) -> {V} {{
      %zeros = stablehlo.constant dense<0.0> : {V}
      %nan = stablehlo.constant dense<0x7FC00000> : {V}
      {given or f"%keys = stablehlo.divide %x, %by : {V}"}
      {body}
      return %r : {V}
    }}"""
    return [(each.kind, each.grade) for each in found(text, X, Y, np.array(divisor, F32))]


SORT = f"""%sorted, %along = "stablehlo.sort"(%keys, %y) <{{dimension = 0 : i64}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    %before = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %before : tensor<i1>
  }}) : ({V}, {V}) -> ({V}, {V})
"""
ALONG = f"%r = stablehlo.add %along, %zeros : {V}"


def test_a_nan_that_others_are_sorted_by_does_harm() -> None:
    assert grades(SORT + ALONG, [1, 0, 1]) == [("nan", "harmful")]
    assert grades(SORT + ALONG, [1, 1, 1]) == []


@pytest.mark.parametrize("y", ["%zeros", "%x"])
def test_an_infinity_has_its_place_in_an_order(y: str) -> None:
    body = SORT.replace("%y", y) + ALONG
    assert grades(body, [0, 1, 1]) == [("inf", "masked")]


def test_a_nan_that_sorts_what_nobody_reads_does_none() -> None:
    assert grades(SORT + f"%r = stablehlo.add %y, %zeros : {V}", [1, 0, 1]) == [("nan", "masked")]


def test_a_nan_that_the_program_states_is_sorted_to_the_end_on_purpose() -> None:
    given = f"""%missing = stablehlo.compare EQ, %by, %zeros : ({V}, {V}) -> tensor<3xi1>
      %keys = stablehlo.select %missing, %nan, %x : tensor<3xi1>, {V}"""
    assert grades(SORT + ALONG, [1, 0, 1], given) == [("nan", "neutral")]


ASKED = f"""%bad = stablehlo.compare NE, %keys, %keys : ({V}, {V}) -> tensor<3xi1>
  %own = stablehlo.select %bad, {{}}, %keys : tensor<3xi1>, {V}
  %r = stablehlo.{{}} : {V}"""


@pytest.mark.parametrize(
    ("instead", "end", "expected"),
    [
        ("%nan", "negate %own", [("nan", "harmful")]),
        ("%zeros", "negate %own", [("nan", "masked")]),
    ],
)
def test_a_nan_in_whose_place_the_program_takes_its_own_does_harm(
    instead: str, end: str, expected: list[tuple[str, str]]
) -> None:
    assert grades(ASKED.format(instead, end), [1, 0, 1]) == expected


TOP = """HloModule best
ENTRY %main (x: f32[4], w: f32[4]) -> f32[2] {
  %x = f32[4]{0} parameter(0)
  %w = f32[4]{0} parameter(1)
  %logs = f32[4]{0} log(%x)
  %best = (f32[2]{0}, s32[2]{0}) custom-call(%logs), custom_call_target="TopK"
  %places = s32[2]{0} get-tuple-element(%best), index=1
  ROOT %taken = f32[2]{0} gather(%w, %places), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}
}
"""


def test_the_place_of_a_nan_among_the_best_does_harm() -> None:
    """XLA calls top_k in this way on CPUs; the finding is that of the logarithm."""
    weights = np.arange(4, dtype=F32)
    (told,) = found(TOP, np.array([1, -1, 2, 3], F32), weights)
    assert (told.kind, told.grade) == ("nan", "harmful")
    assert not found(TOP, np.array([1, 0.5, 2, 3], F32), weights)
