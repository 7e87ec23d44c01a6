"""What the specification forbids and MLIR's verifier takes: it runs where its meaning is plain, with a warning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import hloscope
from hloscope.engine.frontend import load
from hloscope.engine.source import Source
from tests.each import for_each

Q8 = "!quant.uniform<i8:f32, 0.5>"
SHIFTED = "!quant.uniform<i8:f32, 0.5:3>"
BY_ROW = "!quant.uniform<i8:f32:0, {1.0, 2.0}>"
MATRIX = np.array([[1, 2], [3, 4]])


@dataclass(frozen=True)
class Warned:
    """One op over `%a` and `%b`, whose warning has this label, and what comes out."""

    statement: str
    types: tuple[str, str, str]
    """Of both operands and the result."""
    label: str
    inputs: tuple[Any, ...]
    result: Any

    @property
    def text(self) -> str:
        left, right, result = (f"tensor<{found}>" for found in self.types)
        return (
            f"func.func @main(%a: {left}, %b: {right}) -> {result} {{\n"
            f"  %r = {self.statement} : ({left}, {right}) -> {result}\n  return %r : {result}\n}}\n"
        )


def _reduced(element: str, name: str = "reduce", attributes: str = "dimensions = array<i64: 0>") -> str:
    return (
        f'"stablehlo.{name}"(%a, %b) ({{ ^bb0(%x: tensor<{element}>, %y: tensor<{element}>):\n'
        f"    %s = stablehlo.add %x, %y : tensor<{element}>\n    stablehlo.return %s : tensor<{element}>\n"
        f"  }}) {{{attributes}}}"
    )


DOT = (
    '"stablehlo.dot_general"(%a, %b) {dot_dimension_numbers = '
    "#stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}"
)
ONE_PRECISION = DOT.replace(">}", ">, precision_config = [#stablehlo<precision HIGHEST>]}")
CONVOLUTION = (
    "stablehlo.convolution(%a, %b) dim_numbers = [b, f]x[i, o]->[b, f], window = {} {batch_group_count = 1 : i64, "
    "feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>]}"
)
LESS = "stablehlo.compare LT, %a, %b, TOTALORDER"
f32, i8 = np.float32, np.int8

WARNED = {
    "total order of integers": Warned(
        LESS, ("2xi32", "2xi32", "2xi1"), "C3", (np.array([-1, 5], np.int32), np.array([0, -7], np.int32)), [True, False]
    ),
    "total order of unsigned integers": Warned(
        LESS, ("2xui8", "2xui8", "2xi1"), "C3", (np.array([1, 200], np.uint8), np.array([200, 1], np.uint8)), [True, False]
    ),
    "total order of quantized values": Warned(
        LESS, (f"2x{Q8}", f"2x{SHIFTED}", "2xi1"), "C3", (np.array([-1, 0], i8), np.array([3, 3], i8)), [True, False]
    ),
    "one precision": Warned(
        ONE_PRECISION,
        ("2x2xf32", "2x2xf32", "2x2xf32"),
        "C11",
        (MATRIX.astype(f32),) * 2,
        [[7, 10], [15, 22]],
    ),
    "one precision of a convolution": Warned(
        CONVOLUTION,
        ("2x2xf32", "2x2xf32", "2x2xf32"),
        "C24",
        (MATRIX.astype(f32),) * 2,
        [[7, 10], [15, 22]],
    ),
    "integers of two types": Warned(
        DOT,
        ("2x2xi8", "2x2xui8", "2x2xi32"),
        "C13",
        (MATRIX.astype(i8) - 2, np.full((2, 2), 200, np.uint8)),
        [[-200, -200], [600, 600]],
    ),
    "floats of two types": Warned(
        DOT,
        ("2x2xf8E4M3FN", "2x2xf8E5M2", "2x2xf32"),
        "C13",
        (MATRIX.astype(ml_dtypes.float8_e4m3fn), MATRIX.astype(ml_dtypes.float8_e5m2)),
        [[7, 10], [15, 22]],
    ),
    "reals and complex numbers": Warned(
        DOT,
        ("2x2xf32", "2x2xcomplex<f32>", "2x2xcomplex<f32>"),
        "C13",
        (MATRIX.astype(f32), (MATRIX * 1j).astype(np.complex64)),
        [[7j, 10j], [15j, 22j]],
    ),
    "booleans and integers": Warned(
        DOT,
        ("2x2xi1", "2x2xi8", "2x2xi8"),
        "C13",
        (np.array([[True, False], [True, True]]), np.array([[100, -1], [100, 2]], i8)),
        [[100, -1], [-56, 1]],
    ),
    "floats and booleans": Warned(
        DOT,
        ("2x2xbf16", "2x2xi1", "2x2xf32"),
        "C13",
        (np.array([[1.5, 256], [0.5, 1]], ml_dtypes.bfloat16), np.array([[True, True], [True, False]])),
        [[257.5, 1.5], [1.5, 0.5]],
    ),
    "zero points of dot's rhs": Warned(
        '"stablehlo.dot"(%a, %b)',
        (f"2x2x{Q8}", f"2x2x{SHIFTED}", f"2x2x{Q8}"),
        "C15",
        (MATRIX.astype(i8), MATRIX.astype(i8) + i8(3)),
        [[4, 5], [8, 11]],  # 3.5 and 7.5 rounded to even
    ),
    "dot along a quantized dimension": Warned(
        '"stablehlo.dot"(%a, %b)',
        (f"2x2x{Q8}", f"2x2x{BY_ROW}", "2x2x!quant.uniform<i8:f32, 1.0>"),
        "C16",
        (MATRIX.astype(i8), MATRIX.astype(i8)),
        [[6, 9], [14, 19]],
    ),
    "a wider initial value": Warned(
        _reduced("i32"), ("2x2xi8", "i32", "2xi32"), "C2", (np.array([[100, 1], [100, 2]], i8), np.int32(1000)), [1200, 1003]
    ),
    "a wider initial value of windows": Warned(
        _reduced("f64", "reduce_window", "window_dimensions = array<i64: 2, 2>"),
        ("2x2xf32", "f64", "1x1xf64"),
        "C3",
        (MATRIX.astype(f32), np.float64(0.1)),
        [[10.1]],
    ),
    "a narrower initial value": Warned(
        _reduced("f64"), ("2x2xf64", "f32", "2xf64"), "C2", (MATRIX.astype(np.float64), f32(0.5)), [4.5, 6.5]
    ),
    "a narrower initial value of windows": Warned(
        _reduced("i64", "reduce_window", "window_dimensions = array<i64: 2, 2>"),
        ("2x2xi64", "i8", "1x1xi64"),
        "C3",
        (MATRIX, i8(-1)),
        [[9]],
    ),
}  # fmt: skip


@for_each("warned", WARNED.values(), ids=WARNED.keys())
def test_it_runs_with_a_warning_that_names_the_label(warned: Warned) -> None:
    loaded = load(Source(warned.text))
    told = {(found.severity, found.label) for found in loaded.diagnostics}
    assert told == {("warning", warned.label)}
    assert loaded.program is not None
    assert loaded.program.warnings == loaded.diagnostics
    (result,) = hloscope.run(warned.text, warned.inputs)
    assert result.tolist() == warned.result


SCATTER = """func.func @main(%a: tensor<4xi8>, %s: tensor<2xi8>, %i: tensor<i32>) -> tensor<4xi32> {
  %r = "stablehlo.select_and_scatter"(%a, %s, %i) ({
  ^bb0(%x: tensor<i8>, %y: tensor<i8>):
    %p = stablehlo.compare GE, %x, %y : (tensor<i8>, tensor<i8>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%x: tensor<i32>, %y: tensor<i32>):
    %p = stablehlo.add %x, %y : tensor<i32>
    stablehlo.return %p : tensor<i32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}
    : (tensor<4xi8>, tensor<2xi8>, tensor<i32>) -> tensor<4xi32>
  return %r : tensor<4xi32>
}
"""


def test_a_wider_initial_value_of_select_and_scatter() -> None:
    (found,) = hloscope.check(SCATTER)
    assert (found.severity, found.op, found.label) == ("warning", "stablehlo.select_and_scatter", "C3")
    (result,) = hloscope.run(SCATTER, [np.array([1, 2, 4, 3], i8), np.array([100, 101], i8), np.int32(1000)])
    assert result.tolist() == [1000, 1100, 1101, 1000]


UPDATED = """func.func @main(%a: tensor<3xi64>, %i: tensor<2x1xi32>, %u: tensor<2xi8>) -> tensor<3xi64> {
  %r = "stablehlo.scatter"(%a, %i, %u) ({
  ^bb0(%x: tensor<i64>, %y: tensor<i64>):
    %s = stablehlo.add %x, %y : tensor<i64>
    stablehlo.return %s : tensor<i64>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
    : (tensor<3xi64>, tensor<2x1xi32>, tensor<2xi8>) -> tensor<3xi64>
  return %r : tensor<3xi64>
}
"""


def test_updates_of_a_narrower_type() -> None:
    (found,) = hloscope.check(UPDATED)
    assert (found.severity, found.op, found.label) == ("warning", "stablehlo.scatter", "C6")
    inputs = [np.array([1 << 40, 2, 3]), np.array([[0], [2]], np.int32), np.array([-1, 100], i8)]
    (result,) = hloscope.run(UPDATED, inputs)
    assert result.tolist() == [(1 << 40) - 1, 2, 103]


def _refused(statement: str, types: tuple[str, str, str]) -> list[tuple[str, str | None]]:
    loaded = load(Source(Warned(statement, types, "", (), None).text))
    assert loaded.program is None
    return [(found.severity, found.label) for found in loaded.diagnostics]


REFUSED = {
    "signed order of unsigned integers": ("stablehlo.compare LT, %a, %b, SIGNED", ("2xui8", "2xui8", "2xi1"), "C3"),
    "order of floats for integers": ("stablehlo.compare LT, %a, %b, FLOAT", ("2xi32", "2xi32", "2xi1"), "C3"),
    "total order of complex numbers": (LESS, ("2xcomplex<f32>", "2xcomplex<f32>", "2xi1"), "C3"),
    "a real product of complex numbers": (DOT, ("2x2xcomplex<f32>", "2x2xf32", "2x2xf32"), "C13"),
    "an integer product of floats": (DOT, ("2x2xf32", "2x2xf16", "2x2xi32"), "C13"),
    "a boolean product of integers and booleans": (DOT, ("2x2xi1", "2x2xi8", "2x2xi1"), "C13"),
    "stored integers of two kinds": (DOT, (f"2x2x{Q8}", f"2x2x{Q8.replace('i8', 'u8')}", f"2x2x{Q8}"), "C17"),
    "zero points of dot_general's rhs": (DOT, (f"2x2x{Q8}", f"2x2x{SHIFTED}", f"2x2x{Q8}"), "C15"),
    "an initial value wider than the body": (_reduced("f32"), ("2x2xf32", "f64", "2xf32"), "C2"),
    "an initial value that is no scalar": (_reduced("2xf32"), ("2x2xf32", "2xf32", "2xf32"), "I2"),
}  # fmt: skip


@pytest.mark.parametrize(("statement", "types", "label"), REFUSED.values(), ids=REFUSED.keys())
def test_what_has_no_meaning_is_refused(statement: str, types: tuple[str, str, str], label: str) -> None:
    assert _refused(statement, types) == [("error", label)]


def test_an_error_beside_a_warning_keeps_the_program_from_running() -> None:
    text = WARNED["one precision"].text.replace("return %r", "return %b")
    text += WARNED["one precision"].text.replace("@main", "@other").replace("return %r", "return %q")
    assert load(Source(text)).program is None
    spoiled = WARNED["one precision"].text.replace("-> tensor<2x2xf32> {", "-> tensor<3x2xf32> {")
    found = load(Source(spoiled))
    assert found.program is None
    assert sorted(item.severity for item in found.diagnostics) == ["error", "warning"]


HLO = """HloModule m

ENTRY e {{
  a = {0}[2,2] parameter(0)
  b = {1}[2,2] parameter(1)
  ROOT r = {2}
}}
"""


def test_hlo_text_has_xlas_rules() -> None:
    dot = "s32[2,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}, operand_precision={high}"
    assert load(Source(HLO.format("s8", "u8", dot))).diagnostics == ()
    order = "pred[2,2] compare(a, b), direction=LT, type=TOTALORDER"
    (found,) = load(Source(HLO.format("s8", "s8", order))).diagnostics
    assert (found.severity, found.label) == ("error", "C3")
