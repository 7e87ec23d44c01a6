"""Every label of the specification is broken by some operation, and reported; valid operations break none."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from engine.errors import ConstraintError, StructureError, VerificationError
from engine.ir.attributes import DenseAttribute, IntegerAttribute, StringAttribute
from engine.ir.element_types import I64
from engine.ir.module import Operation, Region
from engine.ir.types import ScalarType
from engine.ops import OPS, op_table
from engine.ops.binding import bind
from engine.ops.checking import check, checklist
from engine.ops.op import Op

from .building import bound, enum, operation, region, tensor

LABELS: dict[str, list[str]] = json.loads(Path(__file__).with_name("specification_labels.json").read_text())
"""Each op's labels. For `not` the specification forgets the column; it is read as in its neighbours."""

UNBREAKABLE = {
    ("while", "I1"): "any value may be an operand",
    ("while", "I2"): "a missing region is a rule of structure",
    ("while", "I3"): "a missing region is a rule of structure",
    ("if", "I2"): "a missing region is a rule of structure",
    ("if", "I3"): "a missing region is a rule of structure",
    ("case", "I2"): "a missing region is C1",
}
"""Labels of ops that no operation of a text can break, and why."""

SAME_TYPE_BINARY = ["subtract", "multiply", "divide", "remainder", "power", "maximum", "minimum"]
FUNCTIONS = [
    *("exponential", "exponential_minus_one", "log", "log_plus_one", "logistic", "tanh"),
    *("sqrt", "rsqrt", "sine", "cosine"),
]
Broken = tuple[str, Operation]


def constant(values: object, text: str) -> DenseAttribute:
    found = tensor(text)
    return DenseAttribute(found, np.asarray(values, found.element_type.dtype))


def number(value: int) -> IntegerAttribute:
    return IntegerAttribute(value, ScalarType(I64))


def _unary(name: str, good: str, *bad: str) -> Iterator[Broken]:
    for element_type in bad:
        yield "I1", operation(name, [f"2x{element_type}"], [f"2x{element_type}"])
    yield "C1", operation(name, [f"2x{good}"], [f"3x{good}"])
    yield "C1", operation(name, [f"2x{good}"], ["2xi32" if good != "i32" else "2xi8"])


def _binary(name: str, good: str, *bad: str) -> Iterator[Broken]:
    for element_type in bad:
        yield "I1", operation(name, [f"2x{element_type}"] * 2, [f"2x{element_type}"])
        yield "I2", operation(name, [f"2x{good}", f"2x{element_type}"], [f"2x{good}"])
    yield "C1", operation(name, [f"2x{good}", f"3x{good}"], [f"2x{good}"])
    yield "C1", operation(name, [f"2x{good}", f"2x1x{good}"], [f"2x{good}"])
    yield "C1", operation(name, [f"2x{good}", "2xi8"], [f"2x{good}"])
    yield "C1", operation(name, [f"2x{good}"] * 2, [f"4x{good}"])
    yield "C1", operation(name, [f"2x{good}"] * 2, ["2xi8"])


def _add() -> Iterator[Broken]:
    yield "I1", operation("add", ["index", "f32"], ["f32"])
    yield "I2", operation("add", ["f32", "index"], ["f32"])
    yield from _binary("add", "f32")
    yield "C2", operation("add", ["2xq8", "2xf32"], ["2xq8"])
    yield "C2", operation("add", ["2xq8", "2xq8"], ["2xf32"])
    yield "C2", operation("add", ["2xf32", "2xf32"], ["2xq8"])
    yield "C3", operation("add", ["2xq8", "2xq16"], ["2xq8"])
    yield "C4", operation("add", ["2xq8", "2xq8h"], ["2xq8"])
    yield "C5", operation("add", ["2xa8", "2xq8"], ["2xq8"])
    yield "C5", operation("add", ["2xq8", "2xq8"], ["2xa8"])
    yield "C6", operation("add", ["2x2xa8", "2x2xq8"], ["2x2xb8"])
    yield "C7", operation("add", ["2x2xb8", "2x2xa8"], ["2x2xb8"])


def _abs() -> Iterator[Broken]:
    yield "I1", operation("abs", ["2xui8"], ["2xui8"])
    yield "I1", operation("abs", ["2xi1"], ["2xi1"])
    yield "C1", operation("abs", ["2xi32"], ["3xi32"])
    yield "C2", operation("abs", ["2xcomplex<f32>"], ["2xcomplex<f32>"])


def _compare() -> Iterator[Broken]:
    direction = enum("comparison_direction", "LT")

    def compared(lhs: str, rhs: str, result: str, compare_type: str = "FLOAT") -> Operation:
        order = enum("comparison_type", compare_type)
        return operation("compare", [lhs, rhs], [result], comparison_direction=direction, compare_type=order)

    yield "I1", compared("2xa8", "2xa8", "2xi1")
    yield "I2", compared("2xf32", "2xa8", "2xi1")
    wrong = enum("comparison_direction", "LESS")
    yield "I3", operation("compare", ["f32", "f32"], ["i1"], comparison_direction=wrong)
    yield "I4", compared("2xf32", "2xf32", "2xi1", "ORDERED")
    yield "C1", compared("2xf32", "2xf16", "2xi1")
    yield "C2", compared("2xf32", "3xf32", "2xi1")
    yield "C2", compared("2xf32", "2xf32", "3xi1")
    yield "C3", compared("2xi32", "2xi32", "2xi1")
    yield "C3", compared("2xi1", "2xi1", "2xi1", "SIGNED")
    yield "C3", compared("2xcomplex<f32>", "2xcomplex<f32>", "2xi1", "TOTALORDER")
    yield "", compared("2xf32", "2xf32", "2xf32")


def _select() -> Iterator[Broken]:
    yield "I1", operation("select", ["2xi8", "2xf32", "2xf32"], ["2xf32"])
    yield "I2", operation("select", ["2xi1", "2xa8", "2xf32"], ["2xf32"])
    yield "I3", operation("select", ["2xi1", "2xf32", "2xa8"], ["2xf32"])
    yield "C1", operation("select", ["3xi1", "2xf32", "2xf32"], ["2xf32"])
    yield "C2", operation("select", ["2xi1", "2xf32", "2xf16"], ["2xf32"])
    yield "C2", operation("select", ["i1", "2xf32", "2xf32"], ["3xf32"])


def _clamp() -> Iterator[Broken]:
    yield "I1", operation("clamp", ["2xa8", "2xf32", "2xf32"], ["2xf32"])
    yield "I2", operation("clamp", ["2xf32", "2xa8", "2xf32"], ["2xf32"])
    yield "I3", operation("clamp", ["2xf32", "2xf32", "2xa8"], ["2xf32"])
    yield "C1", operation("clamp", ["3xf32", "2xf32", "f32"], ["2xf32"])
    yield "C2", operation("clamp", ["f32", "2xf32", "1xf32"], ["2xf32"])
    yield "C3", operation("clamp", ["f32", "2xf32", "f16"], ["2xf32"])
    yield "C4", operation("clamp", ["f32", "2xf32", "f32"], ["3xf32"])


def _convert() -> Iterator[Broken]:
    yield "I1", operation("convert", ["2xq8"], ["2xf32"])
    yield "C1", operation("convert", ["2xf32"], ["3xi32"])
    yield "", operation("convert", ["2xf32"], ["2xq8"])


def _creation() -> Iterator[tuple[str, Broken]]:
    yield "constant", ("I1", operation("constant", [], ["2xi32"], value=StringAttribute("2")))
    yield "constant", ("C1", operation("constant", [], ["2xi32"], value=constant([1, 2], "2xi64")))
    yield "constant", ("C1", operation("constant", [], ["3xi32"], value=constant([1, 2], "2xi32")))
    yield "iota", ("I1", operation("iota", [], ["2xi32"], iota_dimension=StringAttribute("0")))
    yield "iota", ("C1", operation("iota", [], ["2xi32"], iota_dimension=number(1)))
    yield "iota", ("C1", operation("iota", [], ["2xi32"], iota_dimension=number(-1)))
    yield "iota", ("C1", operation("iota", [], ["i32"], iota_dimension=number(0)))
    yield "iota", ("", operation("iota", [], ["2xi1"], iota_dimension=number(0)))


def _loop(cond: Region, body: Region, results: list[str]) -> Operation:
    return operation("while", ["i32", "2xf32"], results, [cond, body])


def _control_flow() -> Iterator[tuple[str, Broken]]:
    values = ["i32", "2xf32"]
    cond, body = region(values, ["i1"]), region(values, values)
    for wrong in (
        region(values, ["i32"]),
        region(values, []),
        region(["i32"], ["i1"]),
        region(values, ["1xi1"]),
    ):
        yield "while", ("C1", _loop(wrong, body, values))
    for wrong in (region(values, ["i32"]), region(values[::-1], values), region(values, ["i32", "3xf32"])):
        yield "while", ("C2", _loop(cond, wrong, values))
    yield "while", ("C3", _loop(cond, body, ["i32", "3xf32"]))
    yield "while", ("C3", _loop(cond, body, ["i64", "2xf32"]))
    one, other, taking = region([], ["i32"]), region([], ["i64"]), region(["i32"], ["i32"])
    yield "if", ("I1", operation("if", ["1xi1"], ["i32"], [one, one]))
    yield "if", ("I1", operation("if", ["i32"], ["i32"], [one, one]))
    yield "if", ("C1", operation("if", ["i1"], ["i32"], [one, taking]))
    yield "if", ("C2", operation("if", ["i1"], ["i32"], [one, other]))
    yield "if", ("C3", operation("if", ["i1"], ["i64"], [one, one]))
    yield "case", ("I1", operation("case", ["i64"], ["i32"], [one]))
    yield "case", ("C1", operation("case", ["i32"], ["i32"]))
    yield "case", ("C2", operation("case", ["i32"], ["i32"], [one, taking]))
    yield "case", ("C3", operation("case", ["i32"], ["i32"], [one, one, other]))
    yield "case", ("C4", operation("case", ["i32"], ["i64"], [one]))


def _all() -> Iterator[tuple[str, Broken]]:
    families: dict[str, Iterator[Broken]] = {
        "add": _add(),
        "abs": _abs(),
        "compare": _compare(),
        "select": _select(),
        "clamp": _clamp(),
        "convert": _convert(),
        "not": _unary("not", "i32", "f32", "q8"),
        "negate": _unary("negate", "f32", "i1", "a8"),
        "sign": _unary("sign", "f32", "i1", "ui8"),
        "floor": _unary("floor", "f32", "i32", "complex<f32>"),
        "ceil": _unary("ceil", "f32", "i32", "complex<f32>"),
        **{name: _unary(name, "f32", "i32", "i1", "a8") for name in FUNCTIONS},
        **{name: _binary(name, "i32", "f32", "q8") for name in ("and", "or", "xor")},
        **{name: _binary(name, "f32", "a8") for name in SAME_TYPE_BINARY},
    }
    for name, broken in families.items():
        yield from ((name, found) for found in broken)
    yield from _creation()
    yield from _control_flow()


BROKEN = list(_all())


@pytest.mark.parametrize(("name", "broken"), BROKEN, ids=[f"{name}-{found[0]}" for name, found in BROKEN])
def test_broken_constraints_are_named(name: str, broken: Broken) -> None:
    label, stated = broken
    with pytest.raises(ConstraintError) as raised:
        check(bound(stated), stated)
    assert (raised.value.label or "", raised.value.op) == (label, f"stablehlo.{name}")
    assert raised.value.message


@pytest.mark.parametrize("name", sorted({name for name, _ in BROKEN}))
def test_every_label_is_broken_by_a_test(name: str) -> None:
    broken = {found[0] for of, found in BROKEN if of == name} - {""}
    assert broken | {label for of, label in UNBREAKABLE if of == name} == set(LABELS[name])


VALID = [
    operation("add", ["2x?xf32", "?x3xf32"], ["2x3xf32"]),
    operation("add", ["2xq8", "2xq8b"], ["2xq8b"]),
    operation("add", ["2x2xa8", "2x2xq8"], ["2x2xa8"]),
    operation("subtract", ["2xq8", "2xq8"], ["2xq8b"]),
    operation("abs", ["?xf64"], ["2xf64"]),
    operation("abs", ["2xcomplex<f64>"], ["2xf64"]),
    operation("clamp", ["f32", "2x?xf32", "2x3xf32"], ["2x3xf32"]),
    operation("select", ["i1", "2xf32", "2xf32"], ["2xf32"]),
    operation("convert", ["?xf32"], ["2xi4"]),
    operation("compare", ["2xi1", "2xi1"], ["?xi1"], comparison_direction=enum("comparison_direction", "EQ")),
    operation("exponential", ["2xf32"], ["2xf32"], result_accuracy=StringAttribute("DEFAULT")),
    operation("constant", [], ["2xq8"], value=constant([1, 2], "2xi8")),
    operation("while", ["?xf32"], ["2xf32"], [region(["?xf32"], ["i1"]), region(["?xf32"], ["2xf32"])]),
    operation("while", [], [], [region([], ["i1"]), region()]),
    operation("if", ["i1"], ["2xf32"], [region([], ["2xf32"]), region([], ["?xf32"])]),
    operation("return", ["f32", "i1"]),
    operation("func.return"),
    operation("chlo.square", ["2xf32"], ["2xf32"]),
]


@pytest.mark.parametrize("stated", VALID, ids=[stated.name for stated in VALID])
def test_valid_operations_break_nothing(stated: Operation) -> None:
    check(bound(stated), stated)


STRUCTURE = [
    (operation("add", ["f32"], ["f32"]), "takes 2 operands (lhs, rhs), not 1"),
    (operation("add", ["f32"] * 3, ["f32"]), "takes 2 operands (lhs, rhs), not 3"),
    (operation("constant", [], ["f32"]), "needs the attribute 'value'"),
    (operation("if", ["i1"], ["f32"], [region()]), "takes 2 regions, not 1"),
    (operation("add", ["f32"] * 2, ["f32"] * 2), "has one result, not 2"),
]


@pytest.mark.parametrize(("stated", "message"), STRUCTURE)
def test_operations_of_the_wrong_form_do_not_bind(stated: Operation, message: str) -> None:
    with pytest.raises(StructureError) as raised:
        bound(stated)
    assert raised.value.message == message


def test_checklist_stops_at_the_first_broken_constraint() -> None:
    stated = operation("clamp", ["3xf32", "2xf32", "3xf32"], ["2xf32"])
    found = checklist(bound(stated), [tensor("2xf32")])
    assert [(checked.label, checked.holds) for checked in found] == [
        ("I1", True),
        ("I2", True),
        ("I3", True),
        ("C1", False),
    ]
    assert found[-1].message == (
        "min is tensor<3xf32>: it must be one element or have the shape of operand, tensor<2xf32>"
    )


def test_checklist_of_a_valid_op_has_every_label() -> None:
    stated = operation("select", ["2xi1", "2xf32", "2xf32"], ["2xf32"])
    found = checklist(bound(stated), [tensor("2xf32")])
    assert [checked.label for checked in found] == LABELS["select"]
    assert all(checked.holds for checked in found)


def test_checklist_leaves_out_attributes_that_the_specification_does_not_have() -> None:
    stated = operation("exponential", ["2xf32"], ["2xf32"])
    assert [checked.label for checked in checklist(bound(stated), [tensor("2xf32")])] == ["I1", "C1"]


def test_messages_say_what_is_allowed_and_what_was_found() -> None:
    stated = operation("floor", ["2xi32"], ["2xi32"])
    with pytest.raises(
        VerificationError, match=r"^operand must hold floating-point or quantized \(per tensor\) "
    ):
        check(bound(stated), stated)
    stated = operation("and", ["2xf32"] * 2, ["2xf32"])
    with pytest.raises(VerificationError, match=r"^lhs must hold boolean or integer elements, not f32$"):
        check(bound(stated), stated)


@pytest.mark.parametrize("op_class", OPS)
def test_every_op_is_described(op_class: type[Op]) -> None:
    assert op_class.__doc__
    assert op_class.name.count(".") == 1
    dialect, _, mnemonic = op_class.name.partition(".")
    if dialect == "stablehlo" and mnemonic != "return":
        assert mnemonic in LABELS
        assert op_class.hlo_opcode
        assert op_class.xla_name


def test_attributes_may_stand_in_either_place() -> None:
    stated = operation("iota", [], ["2xi32"], iota_dimension=number(0))
    moved = Operation(stated.name, (), stated.results, {}, stated.properties)
    assert bind(op_table()[stated.name], moved) == bound(stated)
