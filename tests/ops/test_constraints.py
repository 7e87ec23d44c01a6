"""Every label of the specification is broken by some operation, and reported; valid operations break none."""

import json
from pathlib import Path

import pytest

from hloscope.engine.errors import ConstraintError, StructureError, VerificationError
from hloscope.engine.ir.module import Operation
from hloscope.engine.ops import OPS, op_table
from hloscope.engine.ops.checking import check, checklist
from hloscope.engine.ops.core.binding import bind
from hloscope.engine.ops.core.field_plans import field_plans
from hloscope.engine.ops.core.op import Op
from tests.each import for_each

from .broken import BROKEN, UNBREAKABLE, UNBROKEN
from .broken.stating import constant, number
from .building import bound, enum, operation, region, tensor
from .stated_operations import every_stated

LABELS: dict[str, list[str]] = json.loads(Path(__file__).with_name("specification_labels.json").read_text())
"""Each op's labels. For `not` the specification forgets the column; it is read as in its neighbours."""


NAMES = sorted({*LABELS, *(name for name, _ in BROKEN)})


@for_each("name", NAMES)
def test_broken_constraints_are_named(name: str) -> None:
    """Each label of an op is broken by an operation, and the verifier reports that label."""
    broken = [found for of, found in BROKEN if of == name]
    wrong = {}
    for label, stated in broken:
        with pytest.raises(ConstraintError) as raised:
            check(bound(stated), stated)
        error = raised.value
        if (error.label or "", error.op) != (label, f"stablehlo.{name}") or not error.message:
            wrong[label] = error
    assert not wrong
    known = {label for of, label in UNBREAKABLE if of == name}
    assert {label for label, _ in broken} - {""} | known == set(LABELS.get(name, ()))


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
    operation("constant", [], ["2xq8"], value=constant([1, 2], "2xi8")),
    operation("while", ["?xf32"], ["2xf32"], [region(["?xf32"], ["i1"]), region(["?xf32"], ["2xf32"])]),
    operation("while", [], [], [region([], ["i1"]), region()]),
    operation("if", ["i1"], ["2xf32"], [region([], ["2xf32"]), region([], ["?xf32"])]),
    operation("bitcast_convert", ["2x?xf32"], ["2x?x4xi8"]),
    operation("bitcast_convert", ["2x?xi8"], ["2xi32"]),
    operation("bitcast_convert", ["2xq16"], ["2xbf16"]),
    operation("complex", ["2x?xf64"] * 2, ["2x3xcomplex<f64>"]),
    operation("real", ["?xf16"], ["2xf16"]),
    operation("uniform_quantize", ["2x2xq8b"], ["2x2xa8"]),
    operation("uniform_dequantize", ["2x2xa8"], ["2x?xf32"]),
    operation("return", ["f32", "i1"]),
    operation("func.return"),
    operation("chlo.square", ["2xf32"], ["2xf32"]),
    *UNBROKEN,
]


def test_valid_operations_break_nothing() -> None:
    for stated in VALID:
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


CHANNEL_TYPES = {"stablehlo.send": {"I4"}, "stablehlo.recv": {"I3"}}
"""Labels of inputs that are no field of the op, but a parameter of its `channel_handle`."""


STABLEHLO = [op_class for op_class in OPS if op_class.name.startswith("stablehlo.")]


def _labels(op_class: type[Op]) -> set[str]:
    """Labels of the op's section; none if it has no section."""
    return set(LABELS.get(op_class.name.partition(".")[2], ()))


def test_every_op_is_described() -> None:
    # A dataclass without a docstring has its signature for one.
    bare = [op for op in OPS if not op.__doc__ or op.__doc__.startswith(f"{op.__name__}(")]
    assert not bare
    assert not [op.name for op in OPS if op.name.count(".") != 1]


def test_labels_are_those_of_the_section_or_there_are_none() -> None:
    wrong = {}
    for op_class in STABLEHLO:
        inputs = {plan.label for plan in field_plans(op_class)} | set(
            (op_class.section.input_labels or {}).values()
        )
        inputs |= CHANNEL_TYPES.get(op_class.name, set())
        stated = {label for label in _labels(op_class) if label.startswith("I")}
        if inputs - {None} != stated or not set(op_class.section.result_labels.values()) <= _labels(op_class):
            wrong[op_class.name] = (inputs, op_class.section.result_labels, stated)
    assert not wrong


def test_ops_of_other_dialects_have_no_labels_of_their_own() -> None:
    labels = {op.name: [plan.label for plan in field_plans(op) if plan.label] for op in OPS}
    borrowed = {"hlo.all_reduce_start"}  # its rules are those of StableHLO's all_reduce
    assert not [name for name in labels.keys() - {op.name for op in STABLEHLO} - borrowed if labels[name]]


def test_constraints_have_labels_of_the_section_or_none() -> None:
    wrong = {}
    for op_class in STABLEHLO:
        ops = [found.op for found in every_stated()[op_class.name] if isinstance(found.op, op_class)]
        found = {label for op in ops for label, _, _ in op.constraints()}
        if not found <= {"", *_labels(op_class)}:
            wrong[op_class.name] = found - _labels(op_class)
    assert not wrong


def test_twins_in_hlo_text_are_named_as_in_the_semantics_of_xla() -> None:
    assert not [op.name for op in STABLEHLO if (op.hlo.opcode is None) != (op.hlo.xla_name is None)]


def test_attributes_may_stand_in_either_place() -> None:
    stated = operation("iota", [], ["2xi32"], iota_dimension=number(0))
    moved = Operation(stated.name, (), stated.results, {}, stated.properties)
    assert bind(op_table()[stated.name], moved) == bound(stated)
