"""What MLIR's verifier refuses beyond the specification: parameters of attributes, open sizes, bounds, unknown types."""

from __future__ import annotations

import pytest

from hloscope.engine.frontend import Loaded, load
from hloscope.engine.source import Source
from tests.each import for_each

EXP = '"stablehlo.exponential"(%a) {{result_accuracy = #stablehlo.result_accuracy<{}>}} : (tensor<2xf32>) -> tensor<2xf32>'
MODE = "mode = #stablehlo.result_accuracy_mode<{}>"
DOT = (
    '"stablehlo.dot_general"(%b, %b) {{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], '
    "rhs_contracting_dimensions = [0]>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = {0}, "
    "rhs_precision_type = {1}, accumulation_type = {2}, lhs_component_count = {3}, rhs_component_count = 1, "
    "num_primitive_operations = {4}, allow_imprecise_accumulation = {5}>}} : (tensor<2x2xf32>, tensor<2x2xf32>) -> "
    "tensor<2x2xf32>"
)
INFEED = (
    '"stablehlo.infeed"(%t) {{infeed_config = "", layout = {}}} : (!stablehlo.token) -> '
    "(tensor<2x3xf32>, !stablehlo.token)"
)
BOUNDED = "tensor<?xf32, #stablehlo.bounds<4>>"
ARGUMENTS = f"%a: tensor<2xf32>, %b: tensor<2x2xf32>, %c: {BOUNDED}, %d: tensor<?xf32>, %t: !stablehlo.token"


def _loaded(statement: str, count: int = 1) -> Loaded:
    results = "%r" if count == 1 else f"%r:{count}"
    return load(Source(f"func.func @main({ARGUMENTS}) {{\n  {results} = {statement}\n  return\n}}\n"))


def _problems(statement: str, count: int = 1) -> list[str]:
    found = _loaded(statement, count)
    assert (found.program is None) == bool(found.diagnostics)
    return [item.message for item in found.diagnostics]


@pytest.mark.parametrize(
    "statement",
    [
        EXP.format(MODE.format("HIGHEST")),
        EXP.format("atol = 1.0, rtol = 0.5, ulps = 2, " + MODE.format("TOLERANCE")),
        EXP.format("ulps = 0, " + MODE.format("DEFAULT")),
        DOT.format("tf32", "tf32", "f32", 1, 3, "false"),
        DOT.format("f8E5M2", "f8E4M3FN", "f32", 1, 1, "true"),
        f"stablehlo.abs %c : ({BOUNDED}) -> tensor<4xf32>",
        f"stablehlo.reshape %c : ({BOUNDED}) -> {BOUNDED}",
        f"stablehlo.broadcast_in_dim %c, dims = [0] : ({BOUNDED}) -> {BOUNDED}",
    ],
)
def test_what_fits_is_taken(statement: str) -> None:
    assert _problems(statement) == []


@pytest.mark.parametrize("layout", ["[[0, 1]]", "[[1, 0]]", "[[1 : i32, 0 : i32]]"])
def test_a_layout_of_an_infeed_orders_the_dimensions(layout: str) -> None:
    assert _problems(INFEED.format(layout), 2) == []


@pytest.mark.parametrize("layout", ["[[0]]", "[[0, 0]]", "[[0, 2]]", "[[0, 1, 2]]"])
def test_a_layout_that_does_not_fit_changes_no_value(layout: str) -> None:
    loaded = _loaded(INFEED.format(layout), 2)
    assert loaded.program is not None
    (found,) = loaded.diagnostics
    assert found.severity == "warning"
    assert found.message == "layout 0 must list the dimensions of tensor<2x3xf32>, each once"


@pytest.mark.parametrize("layout", ["[[0.0, 1.0]]", '["a"]'])
def test_a_layout_is_a_list_of_integers(layout: str) -> None:
    assert _problems(INFEED.format(layout), 2) == ["layout 0 must be a list of integers"]


@for_each(
    ("statement", "message"),
    [
        (
            EXP.format("ulps = 1, " + MODE.format("HIGHEST")),
            "of mode HIGHEST, tolerances of result_accuracy must be 0",
        ),
        (
            EXP.format("atol = 1.0, " + MODE.format("DEFAULT")),
            "of mode DEFAULT, tolerances of result_accuracy must be 0",
        ),
        (EXP.format("rtol = -1.0, " + MODE.format("TOLERANCE")), "must not be negative, not [0.0, -1.0, 0]"),
        (EXP.format("ulps = -1, " + MODE.format("TOLERANCE")), "must not be negative"),
        (
            DOT.format("tf32", "tf32", "f32", 1, 9, "false"),
            "no hardware is known to have the algorithm tf32 by tf32",
        ),
        (DOT.format("tf32", "tf32", "f32", 2, 1, "false"), "2 by 1 components"),
        (DOT.format("f32", "f16", "f32", 1, 1, "false"), "f32 by f16"),
        (DOT.format("f32", "f32", "f32", 1, 1, "true"), "imprecise"),
        ("stablehlo.reshape %d : (tensor<?xf32>) -> tensor<?xf32>", "dynamic_reshape takes it as an operand"),
        (
            "stablehlo.broadcast_in_dim %d, dims = [0] : (tensor<?xf32>) -> tensor<?xf32>",
            "dynamic_broadcast_in_dim takes it as an operand",
        ),
        (
            f"stablehlo.abs %c : ({BOUNDED}) -> tensor<7xf32>",
            "has size 7, above its bound in tensor<?xf32, #stablehlo",
        ),
        (
            f"stablehlo.add %c, %d : ({BOUNDED}, tensor<?xf32>) -> tensor<5xf32>",
            "has size 5, above its bound",
        ),
    ],
)
def test_what_does_not_fit_is_refused(statement: str, message: str) -> None:
    (found,) = _problems(statement)
    assert message in found


@pytest.mark.parametrize(
    "name", ["!stablehlo.foobar", "!chlo.x", "!mhlo.tokens", "!quant.uniforms<i8>", "!sdy.a<b>"]
)
def test_a_dialect_has_no_types_but_its_own(name: str) -> None:
    (found,) = load(Source(f"func.func @main(%a: {name}) {{\n  return\n}}\n")).diagnostics
    assert found.message == f"the dialect {name[1:].partition('.')[0]} has no type {name.partition('<')[0]}"
    assert found.hint


def test_an_encoding_that_stablehlo_does_not_have() -> None:
    (found,) = load(Source("func.func private @f(tensor<?xf32, #stablehlo.limits<4>>)")).diagnostics
    assert found.message == "a tensor has no #stablehlo.limits<4>"


@pytest.mark.parametrize("form", ["{}", "{} : ui64"])
def test_ulps_up_to_64_bits(form: str) -> None:
    check = (
        '"check.expect_close"(%x, %y) {{max_ulp_difference = {} : ui64}} : (tensor<f64>, tensor<f64>) -> ()'
        if "ui64" in form
        else "check.expect_close %x, %y, max_ulp_difference = {} : tensor<f64>, tensor<f64>"
    )
    text = "func.func @main(%x: tensor<f64>, %y: tensor<f64>) {{\n  {}\n  return\n}}\n"
    for limit, is_right in (((1 << 64) - 1, True), (1 << 63, True), (0, True), (-1, False), (1 << 64, False)):
        loaded = load(Source(text.format(check.format(limit))))
        assert (loaded.program is not None) == is_right, limit
