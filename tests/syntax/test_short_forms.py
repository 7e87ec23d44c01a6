"""The words of short forms, with one or two ops for each."""

from __future__ import annotations

from contextlib import suppress

import pytest

from hloscope.engine.errors import ParseError, ProgramError
from hloscope.engine.ir.attributes import (
    Attribute,
    BoolAttribute,
    DenseArrayAttribute,
    EnumAttribute,
    FloatAttribute,
    SymbolAttribute,
)
from hloscope.engine.ir.module import Operation
from hloscope.engine.source import Source
from hloscope.engine.syntax import parse_module, print_attribute, print_operation
from hloscope.engine.syntax.forms.short_forms import describe_form
from tests.each import for_each

from .op_table import OP_TABLE, SyntaxOp
from .reading import program, read, read_one


def with_form(form: str, line: str, inherent: str = "") -> Operation:
    """Parse `line` with an op `t.x` whose short form is `form`."""
    table = {"t.x": SyntaxOp("t.x", form, (), frozenset(inherent.split()))}
    text = f"func.func @f(%a: i1, %b: i2) {{\n{line}\n}}"
    body = parse_module(Source(text), table).functions[0].body
    assert body is not None
    (operation,) = body.block.operations
    assert print_operation(operation, table) == line
    return operation


def types(operation: Operation) -> str:
    return str(operation.function_type)


@for_each(
    ("form", "line", "expected"),
    [
        ("operands attr-dict : functional-type", "%0 = t.x %a, %b : (i1, i2) -> i3", "(i1, i2) -> i3"),
        ("operands attr-dict : functional-type", "%0:2 = t.x : () -> (i3, i4)", "() -> (i3, i4)"),
        ("operands attr-dict : functional-type", "t.x %a {c = 1 : i64} : (i1) -> ()", "(i1) -> ()"),
        ("operands attr-dict : same-type", "%0 = t.x %a, %a : i1", "(i1, i1) -> i1"),
        ("operands attr-dict : same-type", "%0 = t.x %a : (i1) -> i8", "(i1) -> i8"),
        ("operands attr-dict : same-type", "%0 = t.x : i1", "() -> i1"),
        ("operands attr-dict : select-type", "%0 = t.x %a, %b, %b : i1, i2", "(i1, i2, i2) -> i2"),
        (
            "operands attr-dict : select-type",
            "%0 = t.x %a, %a, %b : (i1, i1, i2) -> i2",
            "(i1, i1, i2) -> i2",
        ),
        ("operands attr-dict : pairwise-types", "%0:2 = t.x %a, %b : i1, i2", "(i1, i2) -> (i1, i2)"),
        ("operands attr-dict : operand-type", "t.x %a, %a : i1", "(i1, i1) -> ()"),
        ("operands attr-dict : operand-types", "t.x %a, %b : i1, i2", "(i1, i2) -> ()"),
        ("operands attr-dict : result-type", "%0 = t.x %a, %b : i9", "(i1, i2) -> i9"),
        (
            "operands attr-dict : operand-types -> result-types",
            "%0:2 = t.x %a : i1 -> (i2, i3)",
            "(i1) -> (i2, i3)",
        ),
        ("operands attr-dict : operand-type -> result-type", "%0 = t.x %a : i1 -> i2", "(i1) -> i2"),
        ("operands? attr-dict (: operand-types)?", "t.x", "() -> ()"),
        ("operands? attr-dict (: operand-types)?", "t.x %b : i2", "(i2) -> ()"),
        ("operands , $value attr-dict", "t.x %b, dense<1> : tensor<2xi8>", "(i2) -> ()"),
        ("attr-dict $value", "%0 = t.x {k} dense<1> : tensor<2xi8>", "() -> tensor<2xi8>"),
        ("( operands ) attr-dict : functional-type", "t.x(%a, %b) : (i1, i2) -> ()", "(i1, i2) -> ()"),
        ("( operands ) attr-dict : functional-type", "t.x() : () -> ()", "() -> ()"),
    ],
)
def test_words_for_operands_and_types(form: str, line: str, expected: str) -> None:
    assert types(with_form(form, line)) == expected


@for_each(
    ("form", "line", "expected"),
    [
        ("operands , dims = $p", "t.x %a, dims = [1, 0]", "array<i64: 1, 0>"),
        ("operands , dims = $p", "t.x %a, dims = []", "array<i64>"),
        ("operands , flags = $p", "t.x %a, flags = [true, false]", "array<i1: true, false>"),
        ("operands , lists = $p", "t.x %a, lists = [[@f, @g], []]", "[[@f, @g], []]"),
        ("dim = $p", "t.x dim = -3", "-3 : i64"),
        ("close = $p", "t.x close = 1.000000e-01", "1.000000e-01 : f64"),
        ("lower = $p", "t.x lower = true", "true"),
        ("config = $p", 't.x config = "ij,jk->ik"', '"ij,jk->ik"'),
        ("$p", "t.x @f::@g", "@f::@g"),
        ("$p<kind_of>", "t.x WORD", "#t<kind_of WORD>"),
        ("operands [ $p<i32> ]", "t.x %a[3]", "3 : i32"),
        ("$p<symbol-name>", 't.x @"a b"', '"a b"'),
        ("$p<#other.name>", 't.x <[{"x"}]>', '#other.name<[{"x"}]>'),
        ("operands (, k = $p)?", "t.x %a, k = 2", "2 : i64"),
    ],
)
def test_words_for_properties(form: str, line: str, expected: str) -> None:
    assert print_attribute(with_form(form, line, "p").properties["p"]) == expected


def test_several_optional_groups() -> None:
    form = "operands (, low = $low)? (, high = $high)? attr-dict"
    assert with_form(form, "t.x %a, high = 2", "low high").properties.keys() == {"high"}
    assert with_form(form, "t.x %a, low = 1, high = 2", "low high").properties.keys() == {"low", "high"}
    assert with_form(form, "t.x %a", "low high").properties.keys() == set()


def values(attribute: Attribute) -> object:
    return attribute.values if isinstance(attribute, DenseArrayAttribute) else None


def operation_named(file: str, name: str) -> Operation:
    for function in read(program(file)).functions:
        for operation in function.body.block.operations if function.body else ():
            if operation.name == name:
                return operation
    raise AssertionError(name)


def test_while_whose_regions_name_them_differently_keeps_the_generic_form() -> None:
    loop = read_one(
        """%0 = "stablehlo.while"(%a) ({
        ^bb0(%x: tensor<2xf32>):
          stablehlo.return %x : tensor<2xf32>
        }, {
        ^bb0(%y: tensor<2xf32>):
          stablehlo.return %y : tensor<2xf32>
        }) : (tensor<2xf32>) -> tensor<2xf32>"""
    )
    printed = print_operation(loop, OP_TABLE)
    assert printed.startswith('%0 = "stablehlo.while"(%a) ({')
    assert read_one(printed) == loop


REDUCE = "%0 = stablehlo.reduce(%a init: %c) {} across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>"


def reduce(applied: str) -> Operation:
    constant = "%c = stablehlo.constant dense<0.0> : tensor<f32>"
    return read_one(f"{constant}\n{REDUCE.format(applied)}")


def test_reduce_applies_makes_a_region() -> None:
    (region,) = reduce("applies stablehlo.add").regions
    inner, ending = region.block.operations
    assert [f"{value.name}: {value.type}" for value in region.block.arguments] == [
        "%lhs: tensor<f32>",
        "%rhs: tensor<f32>",
    ]
    assert (inner.name, inner.operands) == ("stablehlo.add", region.block.arguments)
    assert (ending.name, ending.operands) == ("stablehlo.return", inner.results)


def test_reduce_applies_only_what_commutes() -> None:
    assert "applies stablehlo.maximum" in print_operation(reduce("applies stablehlo.maximum"), OP_TABLE)
    with pytest.raises(ParseError, match="takes commutative ops"):
        reduce("applies stablehlo.subtract")


def test_reduce_applies_takes_names_that_are_free() -> None:
    body = (
        read(
            """func.func @f(%lhs: tensor<2xf32>, %rhs: tensor<f32>) -> tensor<f32> {
          %0 = stablehlo.reduce(%lhs init: %rhs) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
          return %0 : tensor<f32>
        }"""
        )
        .functions[0]
        .body
    )
    assert body is not None
    arguments = body.block.operations[0].regions[0].block.arguments
    assert [value.name for value in arguments] == ["%lhs_0", "%rhs_0"]


def test_kinds_of_property() -> None:
    call = read_one("%0 = call @f(%a) {no_inline} : (tensor<2xf32>) -> i1")
    assert call.properties["callee"] == SymbolAttribute("f")
    fft = operation_named("short_forms", "stablehlo.fft")
    assert fft.properties["fft_type"] == EnumAttribute("stablehlo", "fft_type", "RFFT")
    cholesky = operation_named("short_forms", "stablehlo.cholesky")
    assert cholesky.properties["lower"] == BoolAttribute(True)
    assert not isinstance(cholesky.properties["lower"], FloatAttribute)


def test_a_form_is_described_for_people() -> None:
    assert describe_form("operands , dims = $permutation attr-dict : functional-type") == (
        " %operands, dims = permutation : (types) -> types"
    )
    assert (
        describe_form("$callee ( operands ) attr-dict : functional-type")
        == " callee(%operands) : (types) -> types"
    )


def test_every_op_of_the_table_survives_a_bad_text() -> None:
    for name, op in OP_TABLE.items():
        if op.short_form is not None:
            for rest in ("", " %a", " %a : ", "(", " {", " [0", " %a, dims = ["):
                with suppress(ProgramError):  # any other exception fails the test
                    read_one(f"%0 = {name}{rest}")
