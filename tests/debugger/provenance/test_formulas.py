"""Formulas with the numbers of the run: what they say, and that the numbers make the value."""

from __future__ import annotations

import re

import ml_dtypes
import numpy as np
import pytest

from hloscope.engine.debugger.address import Address, result
from hloscope.engine.debugger.provenance import Links, RecordedRun
from hloscope.engine.debugger.provenance.formulas import MOST_TERMS, Formulas
from hloscope.engine.debugger.provenance.terms import Factors, Formula, Term, element_text
from hloscope.engine.ops.core.op import Array
from tests.debugger.programs import COUNTDOWN, recorded, returned_by
from tests.each import for_each

ARGUMENTS = {
    "%x": ("tensor<2x3xf32>", np.array([[0.5, -2, 4], [1, 8, 0.25]], np.float32)),
    "%y": ("tensor<3x2xf32>", np.array([[2, 1], [3, 0], [0.5, -1]], np.float32)),
    "%p": ("tensor<2x3xi1>", np.array([[True, False, True], [False, True, True]])),
    "%i": ("tensor<2x1xi32>", np.array([[7], [0]], np.int32)),
    "%s": ("tensor<f32>", np.array(9, np.float32)),
}
GATHER = (
    '"stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], '
    "start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<2x3xf32>, "
    "tensor<2x1xi32>) -> tensor<2x3xf32>"
)
SCATTER = (
    '"stablehlo.scatter"(%x, %j, %x) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], '
    "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n"
    "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n    %c = stablehlo.add %a, %b : tensor<f32>\n"
    "    stablehlo.return %c : tensor<f32>\n  }) : (tensor<2x3xf32>, tensor<2x1xi32>, tensor<2x3xf32>) -> tensor<2x3xf32>"
)
SORT = (
    '"stablehlo.sort"(%x) <{dimension = 1 : i64}> ({\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n'
    "    %c = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "    stablehlo.return %c : tensor<i1>\n  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>"
)
SAID = [
    ("stablehlo.add %x, %x : tensor<2x3xf32>", (1, 2), "%r[1, 2] = %x[1, 2] + %x[1, 2] = 0.25 + 0.25 = 0.5"),
    (
        "stablehlo.subtract %x, %x : tensor<2x3xf32>",
        (0, 1),
        "%r[0, 1] = %x[0, 1] - %x[0, 1] = -2 - (-2) = 0",
    ),
    (
        "stablehlo.maximum %x, %x : tensor<2x3xf32>",
        (0, 1),
        "%r[0, 1] = max(%x[0, 1] = -2, %x[0, 1] = -2) = -2",
    ),
    ("stablehlo.negate %x : tensor<2x3xf32>", (0, 1), "%r[0, 1] = negate(%x[0, 1] = -2) = 2"),
    (
        "stablehlo.select %p, %x, %x : tensor<2x3xi1>, tensor<2x3xf32>",
        (0, 1),
        "%r[0, 1] = select(%p[0, 1] = false, %x[0, 1] = -2 (taken)) = -2",
    ),
    (
        "stablehlo.compare LT, %x, %x, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>",
        (1, 1),
        "%r[1, 1] = %x[1, 1] < %x[1, 1] = 8 < 8 = false",
    ),
    (
        "stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>",
        (0, 1),
        "%r[0, 1] = %x[0, 0] * %y[0, 1] + %x[0, 1] * %y[1, 1] + %x[0, 2] * %y[2, 1] = -3.5",
    ),
    ("stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<6xf32>", (4,), "%r[4] = %x[1, 1] = 8"),
    (
        "stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>",
        (2, 0),
        "%r[2, 0] = %x[0, 2] = 4",
    ),
    (
        "stablehlo.pad %x, %s, low = [0, 1], high = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x4xf32>",
        (1, 0),
        "%r[1, 0] = %s = 9 (the padding value)",
    ),
    (
        "stablehlo.reduce(%x init: %s) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>",
        (0,),
        "%r[0] = %s + %x[0, 0] + %x[0, 1] + %x[0, 2] = 11.5",
    ),
    (
        "stablehlo.reduce(%x init: %s) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>",
        (),
        "%r = max of %s, %x[0, 0], %x[0, 1], %x[0, 2], … (7 terms) = 9",
    ),
    (GATHER, (0, 2), "%r[0, 2] = %x[clamp(0, %i[0, 0] = 7, 1) = 1, 2] = 0.25"),
    (GATHER, (1, 0), "%r[1, 0] = %x[clamp(0, %i[1, 0] = 0, 1) = 0, 0] = 0.5"),
    (SORT, (0, 0), "%r[0, 0] = %x[0, 1] = -2 (it came here by 3 elements that were compared)"),
    ("stablehlo.constant dense<3.0> : tensor<2xf32>", (1,), "%r[1] = 3 (a constant)"),
    (
        "stablehlo.optimization_barrier %x : tensor<2x3xf32>",
        (1, 1),
        "%r[1, 1] = %x[1, 1] = 8 (the same value)",
    ),
]


def _formula(op: str, index: tuple[int, ...], result_type: str = "") -> tuple[Formula, Array]:
    stated = result_type or re.findall(r"tensor<[^>]*>", op)[-1]
    arguments = ", ".join(f"{name}: {kind}" for name, (kind, _) in ARGUMENTS.items())
    text = f"func.func @main({arguments}) -> {stated} {{\n  %r = {op}\n  return %r : {stated}\n}}"
    recording = recorded(text, [value for _, value in ARGUMENTS.values()])
    assert recording.state.kind == "done", recording.state.reason
    links = Links(RecordedRun(recording))
    return Formulas(links).formula(result(0), index), recording.value(result(0))


@for_each(("op", "index", "text"), SAID, ids=lambda part: str(part)[:40])
def test_a_formula_says(op: str, index: tuple[int, ...], text: str) -> None:
    assert _formula(op, index)[0].text == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.float32(1.0000001), "1.0000001"),
        (np.float32(0.1), "0.1"),
        (np.float64(123456789.125), "123456789.125"),
        (np.float64(0.1) + np.float64(0.2), "0.30000000000000004"),
        (ml_dtypes.bfloat16(0.1), "0.100098"),
        (np.float32(-0.0), "-0"),
        (np.float64("nan"), "NaN"),
        (np.complex64(complex(1.0000001, -np.inf)), "(1.0000001, -Inf)"),
        (ml_dtypes.int4(-8), "-8"),
        (np.uint64(2**63), "9223372036854775808"),
    ],
)
def test_numbers_are_told_from_all_others_of_their_type(value: np.generic, text: str) -> None:
    assert element_text(np.array(value)) == text


CHOSEN = """
func.func @main(%x: tensor<4xf32>, %s: tensor<3xf32>, %z: tensor<f32>) -> tensor<4xf32> {
  %r = "stablehlo.select_and_scatter"(%x, %s, %z) <{window_dimensions = array<i64: 2>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
  }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.multiply %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
  }) : (tensor<4xf32>, tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
"""


def test_what_windows_have_sent_to_a_place_comes_in_its_order() -> None:
    arrays = [np.array(numbers, np.float32) for numbers in ([1, 5, 3, 2], [10, 20, 30], 0.5)]
    formulas = Formulas(Links(RecordedRun(recorded(CHOSEN, arrays))))
    text = "%r[1] = %z, then * %s[0], then * %s[1] = 100 (by 3 elements that were compared)"
    assert formulas.formula(result(0), (1,)).text == text
    assert formulas.formula(result(0), (1,)).numbers == "0.5, then * 10, then * 20 = 100"
    assert formulas.formula(result(0), (0,)).text == "%r[0] = %z = 0.5 (by 2 elements that were compared)"


def test_updates_come_in_their_order() -> None:
    arguments = "%x: tensor<2x3xf32>, %j: tensor<2x1xi32>"
    text = f"func.func @main({arguments}) -> tensor<2x3xf32> {{\n  %r = {SCATTER}\n  return %r : tensor<2x3xf32>\n}}"
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    links = Links(RecordedRun(recorded(text, [x, np.array([[1], [1]], np.int32)])))
    formulas = Formulas(links)
    assert (
        formulas.formula(result(0), (1, 2)).text
        == "%r[1, 2] = %x[1, 2], then + %x[0, 2], then + %x[1, 2] = 12"
    )
    assert formulas.formula(result(0), (1, 2)).numbers == "5, then + 2, then + 5 = 12"
    assert formulas.formula(result(0), (0, 1)).count == 1


def test_the_numbers_of_a_product_make_its_value() -> None:
    a, b = (np.random.default_rng(1).normal(size=shape) for shape in ((3, 5, 5), (4, 3, 3, 3)))
    text = """func.func @main(%a: tensor<1x3x5x5xf64>, %b: tensor<4x3x3x3xf64>) -> tensor<1x4x3x3xf64> {
  %r = stablehlo.convolution(%a, %b) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
    window = {stride = [2, 2], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x3x5x5xf64>, tensor<4x3x3x3xf64>) -> tensor<1x4x3x3xf64>
  return %r : tensor<1x4x3x3xf64>
}"""
    recording = recorded(text, [a[None], b])
    assert recording.state.kind == "done", recording.state.reason
    formulas = Formulas(Links(RecordedRun(recording)))
    corner = formulas.formula(result(0), (0, 2, 0, 0))
    assert corner.count == 3 * 2 * 2
    total = 0.0
    for term in corner.terms:
        assert isinstance(term, Factors)
        left, right = (recording.value(factor.address)[factor.index] for factor in term.factors)
        total += left * right
    assert np.isclose(total, recording.value(result(0))[0, 2, 0, 0])
    middle = formulas.formula(result(0), (0, 2, 1, 1))
    assert (middle.count, len(middle.terms)) == (27, MOST_TERMS)
    assert "… (27 terms)" in middle.text


def test_loops_and_frames() -> None:
    recording = recorded(COUNTDOWN, [np.array(2, np.int32), np.array(5, np.int32)])
    links = Links(RecordedRun(recording))
    formulas = Formulas(links)
    _, total = returned_by(links.run)
    formula = formulas.formula(total, ())
    assert formula.text.endswith("= 10 (what was returned)")
    argument = Address(0, "f", links.run.steps(0).opened_frames(total.number)[1], 1)
    formula = formulas.formula(argument, ())
    assert formula.text.endswith("= 0 (the same value)")
    (term,) = formula.terms
    assert isinstance(term, Term)
    assert formulas.formula(Address(0, "f", 0, 1), ()).text.endswith("= 5 (an input)")
