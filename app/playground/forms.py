"""The form of each op: its operands and fields, what they hold at the beginning, and examples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from hloscope.engine.errors import ProgramError
from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ir.module import Operation, Value
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops import op_table
from hloscope.engine.ops.binding import bind
from hloscope.engine.ops.checking import first_broken
from hloscope.engine.ops.field_plans import FieldPlan, field_plans
from hloscope.engine.ops.late import Late
from hloscope.engine.ops.op import Op

from ..reference import op_list
from ..reference.families import family_of, in_order
from ..reference.inputs import inputs_of
from ..reference.specification import section_of
from .bodies import choices_of
from .controls import Control, control_of
from .setups import NO_FORMS, SETUPS, Preset, Setup
from .tensors import TYPE_NAMES, FormTensor

JSON = dict[str, Any]
FIRST_FAMILY = "Gathering and scattering"
"""What people come for."""
_INTEGERS = tuple(name for name in TYPE_NAMES if ELEMENT_TYPES.get(name) and ELEMENT_TYPES[name].is_integer)
_PLACES = ("start_indices", "scatter_indices", "index", "size", "shape")
"""Operands that hold integers whatever the others hold."""
_USUAL = ("f32", "i32", "i1", "complex<f32>", "ui32")
"""What an elementwise op is shown on: the first of these that it takes."""


@dataclass(frozen=True)
class OperandForm:
    """One operand, or a group of as many as one likes."""

    plan: FieldPlan
    types: tuple[str, ...]
    at_first: tuple[FormTensor, ...]
    late: bool
    """Whether its values say what the op is: they are constants of the program."""
    scalars: bool
    """Whether there is a scalar for each dimension of the first operand."""

    @property
    def many(self) -> bool:
        """Whether there may be several."""
        return self.plan.source == "operands"


@dataclass(frozen=True)
class Form:
    """All of an op's form."""

    op: type[Op]
    operands: Mapping[str, OperandForm]
    controls: Mapping[str, Control]
    at_first: Mapping[str, Any]
    setup: Setup

    @property
    def equally_many(self) -> tuple[str, ...]:
        """The operands of which there are as many as of the first: inputs, their initial values, their updates."""
        return tuple(name for name, operand in self.operands.items() if operand.many and not operand.scalars)


def has_form(name: str) -> bool:
    """Whether the op of that full name has a form."""
    return form_of(name) is not None


@cache
def form_of(name: str) -> Form | None:
    """The form of an op by its full name."""
    op = op_table().get(name)
    if op is None or not name.startswith("stablehlo."):
        return None
    setup = SETUPS.get(op.name) or (_elementwise(op) if op.elementwise else None)
    if setup is None:
        return None
    operands = {plan.name: _operand(op, plan, setup) for plan in _shown_plans(op, setup)}
    first = next(iter(operands), "result")
    fields: JSON = {**setup.fields, **({"grid": list(setup.grid)} if setup.grid else {})}
    controls = {name: control_of(op, name, first, choices_of(op, name)) for name in fields}
    return Form(
        op, operands, controls, {name: _value(value, controls[name]) for name, value in fields.items()}, setup
    )


def _operand_plans(op: type[Op]) -> Iterator[FieldPlan]:
    return (plan for plan in field_plans(op) if plan.source in ("operand", "operands"))


def _shown_plans(op: type[Op], setup: Setup) -> Iterator[FieldPlan]:
    """Without further operands that one may leave out, where there are none at the beginning."""
    return (plan for plan in _operand_plans(op) if plan.required or plan.name in setup.operands)


def _operand(op: type[Op], plan: FieldPlan, setup: Setup) -> OperandForm:
    texts = setup.operands[plan.name]
    at_first = tuple(map(FormTensor.read, (texts,) if isinstance(texts, str) else texts))
    late = issubclass(op, Late) and plan.name in op.late
    types = _INTEGERS if late or plan.name in _PLACES else TYPE_NAMES
    return OperandForm(plan, types, at_first, late, setup.scalars == plan.name)


def _value(value: Any, control: Control) -> Any:
    """What a field holds at the beginning, as the page has it."""
    if control.kind != "tensor" or value is None:
        return value
    found = FormTensor.read(value).json()
    return {"shape": found["shape"], "type": found["type"]}


# Elementwise ops.


def _elementwise(op: type[Op]) -> Setup | None:
    """Tensors of one shape and type, the first that the op takes."""
    names = [plan.name for plan in _operand_plans(op)]
    chosen = next((name for name in _USUAL if takes(op, name)), None)
    if chosen is None or not names:
        return None
    first, *others = names
    later = dict.fromkeys(others, "=x=:counting")
    operands = {
        first: f"2x3x{chosen}:{'iota' if chosen != 'i1' else 'true,false,true,false,true,false'}"
    } | later
    return Setup(
        op.name.partition(".")[2],
        operands,
        title="Element by element",
        sentence="Each element of the result reads the elements at its own place.",
    )


def takes(op: type[Op], element: str) -> bool:
    """Whether the op takes operands that all have this element type."""
    found = TensorType((1,), ELEMENT_TYPES[element])
    values = tuple(Value(f"%{plan.name}", found) for plan in _operand_plans(op))
    try:
        bound = bind(op, Operation(op.name, values, (Value("%", found),)))
        return first_broken(bound) is None
    except ProgramError:
        return False


# As the page reads it.


@cache
def described(name: str) -> JSON | None:
    """The form of an op as the page reads it; `None` if it has none."""
    form = form_of(name)
    if form is None:
        return None
    labels, kinds = _inputs(form.op)
    return {
        "op": name,
        "opPage": f"/ops/{name}",
        "operands": [_operand_json(name, form, labels, kinds) for name in form.operands],
        "fields": [_field_json(name, control, labels, kinds) for name, control in form.controls.items()],
        "together": list(form.equally_many),
        "first": _state(form, Preset("", "")),
        "presets": [
            {"title": preset.title, "sentence": preset.sentence, "state": _state(form, preset)}
            for preset in (Preset(form.setup.title, form.setup.sentence), *form.setup.presets)
        ],
        "rules": {row["label"]: row["text"] for row in _rules(form.op)},
    }


def _rules(op: type[Op]) -> list[dict[str, str]]:
    section = section_of(op)
    return section.constraints if section else []


def _inputs(op: type[Op]) -> tuple[dict[str, str], dict[str, str]]:
    """Label and kind of each input, by its name."""
    rows = inputs_of(op, section_of(op))
    return {row["name"]: row["label"] for row in rows}, {row["name"]: row["type"] for row in rows}


def _operand_json(name: str, form: Form, labels: JSON, kinds: JSON) -> JSON:
    operand = form.operands[name]
    return {
        "name": name,
        "label": labels.get(name) or operand.plan.label or "",
        "says": kinds.get(name, ""),
        "types": list(operand.types),
        "many": operand.many and not operand.scalars,
        "scalars": operand.scalars,
        "with": form.setup.goes_with.get(name, next(iter(form.operands))),
        "holdsPlaces": operand.late or name in _PLACES or operand.scalars,
    }


def _field_json(name: str, control: Control, labels: JSON, kinds: JSON) -> JSON:
    return {
        "name": name,
        "label": labels.get(name, ""),
        "says": kinds.get(name, ""),
        "kind": control.kind,
        "of": control.of,
        "choices": list(control.choices),
        "least": control.least,
        "group": control.struct,
        "types": list(TYPE_NAMES) if control.kind == "tensor" else [],
    }


def _state(form: Form, preset: Preset) -> JSON:
    operands = {
        name: [tensor.json() for tensor in operand.at_first] for name, operand in form.operands.items()
    }
    for name, texts in preset.operands.items():
        chosen = (texts,) if isinstance(texts, str) else texts
        operands[name] = [FormTensor.read(text).json() for text in chosen]
    fields = dict(form.at_first)
    fields |= {name: _value(value, form.controls[name]) for name, value in preset.fields.items()}
    return {"operands": operands, "fields": fields}


@cache
def listed() -> list[JSON]:
    """All StableHLO ops by family, gather and scatter first; those without a form say why."""
    reasons = {item.op: item.why for item in NO_FORMS}
    sentences = {item["name"]: item["sentence"] for item in op_list()}
    families: dict[str, JSON] = {}
    for name, op in op_table().items():
        if not name.startswith("stablehlo.") or name != op.name:
            continue
        anchor, title = family_of(op)
        family = families.setdefault(title, {"name": anchor, "title": title, "ops": []})
        item: JSON = {"name": name, "sentence": sentences[name]}
        if not has_form(name):
            item["why"] = reasons[name]
        family["ops"].append(item)
    return sorted(in_order(families), key=lambda family: family["title"] != FIRST_FAMILY)
