"""MHLO as printed by TensorFlow and XLA: each op is read as its StableHLO, CHLO or HLO op."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pytest

from hloscope.engine.frontend import load
from hloscope.engine.ops import op_table
from hloscope.engine.source import Source
from hloscope.engine.syntax import print_module
from tests.each import for_each
from tests.programs import load_program, ran

X = np.array([[1.25, -2.5, 3.75], [0.5, 0.25, -0.5]], np.float32)
F32, I32 = "tensor<2x3xf32>", "tensor<2x3xi32>"


def program(statements: str, arguments: str, result: str) -> str:
    """A function that returns `%r`."""
    return f"func.func @main({arguments}) -> {result} {{\n{statements}\nreturn %r : {result}\n}}"


def printed(text: str) -> str:
    return print_module(load_program(text).module, op_table(), "generic")


@for_each("name", ["acos", "acosh", "asin", "asinh", "atanh", "cosh", "erf", "sinh"])
@for_each("stated", [F32, f"({F32}) -> {F32}"])
def test_functions_of_each_element_are_those_of_chlo(name: str, stated: str) -> None:
    mhlo = program(f"%r = mhlo.{name} %a : {stated}", f"%a: {F32}", F32)
    chlo = program(f"%r = chlo.{name} %a : {F32} -> {F32}", f"%a: {F32}", F32)
    assert printed(mhlo) == printed(chlo)


SAME: Sequence[tuple[str, str, str, str]] = (
    ("%r = mhlo.mulhi %a, %a : T", "%r = chlo.mulhi %a, %a : T, T -> T", I32, I32),
    ('%r = "mhlo.copy"(%a) : (T) -> T', "%r = mhlo.copy %a : T", F32, F32),
    (
        '%r = "mhlo.compare"(%a, %a) <{comparison_direction = #mhlo<comparison_direction LT>, '
        "compare_type = #mhlo<comparison_type FLOAT>}> : (T, T) -> tensor<2x3xi1>",
        "%r = stablehlo.compare LT, %a, %a, FLOAT : (T, T) -> tensor<2x3xi1>",
        F32,
        "tensor<2x3xi1>",
    ),
    (
        '%r = "mhlo.dot_general"(%a, %a) <{dot_dimension_numbers = #mhlo.dot<lhs_contracting_dimensions = [1], '
        "rhs_contracting_dimensions = [1]>, precision_config = [#mhlo<precision HIGH>, "
        "#mhlo<precision DEFAULT>]}> : (T, T) -> tensor<2x2xf32>",
        '%r = "stablehlo.dot_general"(%a, %a) <{dot_dimension_numbers = #stablehlo.dot<'
        "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config = "
        "[#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]}> : (T, T) -> tensor<2x2xf32>",
        F32,
        "tensor<2x2xf32>",
    ),
    (
        "%c = mhlo.constant dense<0.0> : tensor<f32>\n%r = mhlo.reduce(%a init: %c) applies mhlo.add across "
        "dimensions = [1] : (T, tensor<f32>) -> tensor<2xf32>",
        "%c = stablehlo.constant dense<0.0> : tensor<f32>\n%r = stablehlo.reduce(%a init: %c) applies "
        "stablehlo.add across dimensions = [1] : (T, tensor<f32>) -> tensor<2xf32>",
        F32,
        "tensor<2xf32>",
    ),
    (
        '%r = "mhlo.transpose"(%a) <{permutation = dense<[1, 0]> : tensor<2xi64>}> : (T) -> tensor<3x2xf32>',
        "%r = stablehlo.transpose %a, dims = [1, 0] : (T) -> tensor<3x2xf32>",
        F32,
        "tensor<3x2xf32>",
    ),
    (
        "%t = mhlo.create_token : !mhlo.token\n%u = mhlo.after_all %t : !mhlo.token\n%r = mhlo.negate %a : T",
        "%t = stablehlo.create_token : !stablehlo.token\n%u = stablehlo.after_all %t : !stablehlo.token\n"
        "%r = stablehlo.negate %a : T",
        F32,
        F32,
    ),
)


@pytest.mark.parametrize(("mhlo", "own", "operand", "result"), SAME)
def test_what_is_read_is_the_op_itself(mhlo: str, own: str, operand: str, result: str) -> None:
    texts = [program(re.sub(r"\bT\b", operand, text), f"%a: {operand}", result) for text in (mhlo, own)]
    assert printed(texts[0]) == printed(texts[1])


def test_types_may_have_bounds_as_mhlo_writes_them() -> None:
    mhlo, own = (
        program("%r = stablehlo.abs %a : T", "%a: T", "T").replace(
            "T", f"tensor<?xf32, #{dialect}.type_extensions<bounds = [4]>>"
        )
        for dialect in ("mhlo", "stablehlo")
    )
    assert printed(mhlo) == printed(own)


def test_ragged_dot_has_the_numbers_of_its_dot_inside() -> None:
    types = "(tensor<4x3xf32>, tensor<2x3x5xf32>, tensor<2xi32>) -> tensor<4x5xf32>"
    text = program(
        '%r = "mhlo.ragged_dot"(%a, %b, %g) <{precision_config = [#mhlo<precision DEFAULT>, #mhlo<precision DEFAULT>], '
        "ragged_dot_dimension_numbers = #mhlo.ragged_dot<dot_dimension_numbers = #mhlo.dot<lhs_contracting_dimensions "
        f"= [1], rhs_contracting_dimensions = [1]>, lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}}> : {types}",
        "%a: tensor<4x3xf32>, %b: tensor<2x3x5xf32>, %g: tensor<2xi32>",
        "tensor<4x5xf32>",
    )
    random = np.random.default_rng(0)
    a, b = random.normal(size=(4, 3)).astype(np.float32), random.normal(size=(2, 3, 5)).astype(np.float32)
    (found,) = ran(text, a, b, np.array([1, 3], np.int32))
    np.testing.assert_allclose(found, np.concatenate([a[:1] @ b[0], a[1:] @ b[1]]), rtol=1e-5, atol=1e-6)


def test_ops_of_hlo_run() -> None:
    """A copy, domain or dependency returns its operand; bitcasts use layouts; generators advance."""
    text = program(
        "%t = mhlo.create_token : !mhlo.token\n"
        "%0 = mhlo.copy %a {cross_program_prefetch_index = 0 : i32} : tensor<2x3xf32>\n"
        "%1 = mhlo.add_dependency %0, %t : (tensor<2x3xf32>, !mhlo.token) -> tensor<2x3xf32>\n"
        '%2 = "mhlo.domain"(%1) <{entry_metadata = "{}", exit_metadata = "{maximal device=0}", '
        "kind = #mhlo<kind sharding>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
        "%r = mhlo.bitcast %2 {result_layout = dense<[0, 1]> : tensor<2xindex>, "
        "source_layout = dense<[1, 0]> : tensor<2xindex>} : (tensor<2x3xf32>) -> tensor<3x2xf32>",
        f"%a: {F32}",
        "tensor<3x2xf32>",
    )
    assert ran(text, X)[0].tolist() == X.T.tolist()
    rows = text.replace("{result_layout = dense<[0, 1]>", "{result_layout = dense<[1, 0]>")
    assert ran(rows, X)[0].tolist() == X.reshape(3, 2).tolist()
    state = program(
        "%s = mhlo.xla.rng_get_and_update_state {delta = 5 : i64}\n%r = mhlo.negate %s : tensor<2xui64>",
        "",
        "tensor<2xui64>",
    )
    assert (-ran(state)[0]).tolist() == [0x7012395, 0]


@pytest.mark.parametrize(("largest", "wanted"), [(", largest = false", [-2.5, 1.25]), ("", [3.75, 1.25])])
def test_topk_takes_the_largest_unless_told(largest: str, wanted: list[float]) -> None:
    text = program(
        f"%r, %i = mhlo.topk(%a, k = 2{largest}) : {F32} -> (tensor<2x2xf32>, tensor<2x2xi32>)",
        f"%a: {F32}",
        "tensor<2x2xf32>",
    )
    assert ran(text, X)[0][0].tolist() == wanted


def test_stochastic_convert_rounds_as_it_is_told() -> None:
    text = program(
        '%r = "mhlo.stochastic_convert"(%a, %b) : (tensor<2x3xf32>, tensor<2x3xui32>) -> tensor<2x3xi8>',
        f"%a: {F32}, %b: tensor<2x3xui32>",
        "tensor<2x3xi8>",
    )
    assert ran(text, X, np.zeros((2, 3), np.uint32))[0].tolist() == [[2, -3, 4], [1, 1, -1]]
    assert ran(text, X, np.full((2, 3), 2**32 - 1, np.uint32))[0].tolist() == [[1, -2, 3], [0, 0, 0]]


FUSION = program(
    '%0:2 = "mhlo.fusion"(%a, %b) <{fusion_kind = #mhlo<fusion_kind kLoop>, output_operand_aliases = []}> ({\n'
    "^bb0(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>):\n"
    "  %1 = mhlo.add %x, %y : tensor<2x3xf32>\n  %2 = mhlo.multiply %x, %y : tensor<2x3xf32>\n"
    "  mhlo.return %1, %2 : tensor<2x3xf32>, tensor<2x3xf32>\n"
    "}) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)\n"
    "%r = mhlo.subtract %0#1, %0#0 : tensor<2x3xf32>",
    f"%a: {F32}, %b: {F32}",
    F32,
)


def test_a_fusion_runs_its_region() -> None:
    assert ran(FUSION, X, 2 * X)[0].tolist() == (2 * X * X - 3 * X).tolist()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "^bb0(%x: tensor<2x3xf32>, %y",
            "^bb0(%x: tensor<2x3xf32>, %z: tensor<2x3xf32>, %y",
            "the computation is",
        ),
        ("#mhlo<fusion_kind kLoop>", "#mhlo<fusion_kind kNone>", "kNone is none of kLoop"),
    ],
)
def test_a_fusion_that_does_not_fit_is_refused(old: str, new: str, message: str) -> None:
    loaded = load(Source(FUSION.replace(old, new)))
    assert message in loaded.diagnostics[0].text


@pytest.mark.parametrize("name", ["async_start", "trace", "nothing"])
def test_other_ops_are_not_known(name: str) -> None:
    text = program(f'%r = "mhlo.{name}"(%a) : ({F32}) -> {F32}', f"%a: {F32}", F32)
    assert load(Source(text)).diagnostics[0].text == f"unknown op 'mhlo.{name}'"
