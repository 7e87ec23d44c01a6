"""The form of each op: operands, fields, initial values, and examples."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ops import OPS, family_of, op_table
from hloscope.engine.ops.core.dynamic_op import DynamicOp
from hloscope.engine.ops.core.field_plans import FieldPlan, field_plans
from hloscope.engine.ops.core.op import Op

from ...wire.playground import FormEntry, FormFamily, FormField, FormState, OperandField, OpForm
from ...wire.reference import RuleRow
from .. import op_list
from ..attribute_sentences import sentence_of
from ..input_table import inputs_of
from ..specification import section_of
from .bodies import choices_of
from .controls import Control, control_of
from .setups import NO_FORMS, Preset, Setup, setups
from .tensors import TYPE_NAMES, FormTensor
from .worked_example import setup_of

Texts = Mapping[str, str]
FIRST_FAMILY = "Gathering and scattering"
"""The most requested family."""
_INTEGERS = tuple(name for name in TYPE_NAMES if ELEMENT_TYPES.get(name) and ELEMENT_TYPES[name].is_integer)
_PLACES = ("start_indices", "scatter_indices", "index", "size", "shape")
"""Operands that always hold integers."""


@dataclass(frozen=True)
class OperandForm:
    """One operand, or a group of any number of operands."""

    plan: FieldPlan
    types: tuple[str, ...]
    at_first: tuple[FormTensor, ...]
    dynamic: bool
    """Whether its values determine the op: they are constants of the program."""
    scalars: bool
    """Whether there is a scalar for each dimension of the first operand."""

    @property
    def many(self) -> bool:
        """Whether there may be several."""
        return self.plan.source == "operands"


@dataclass(frozen=True)
class Form:
    """The whole form of an op."""

    op: type[Op]
    operands: Mapping[str, OperandForm]
    controls: Mapping[str, Control]
    at_first: Mapping[str, Any]
    setup: Setup

    @property
    def equally_many(self) -> tuple[str, ...]:
        """The operands with one per first operand: inputs, their initial values, their updates."""
        return tuple(name for name, operand in self.operands.items() if operand.many and not operand.scalars)


def has_form(name: str) -> bool:
    """Whether the op with that full name has a form."""
    return form_of(name) is not None


@cache
def form_of(name: str) -> Form | None:
    """The form of an op by its full name."""
    op = op_table().get(name)
    if op is None or not name.startswith("stablehlo."):
        return None
    setup = _setup(op)
    if setup is None:
        return None
    operands = {plan.name: _operand(op, plan, setup) for plan in _shown_plans(op, setup)}
    first = next(iter(operands), "result")
    fields: dict[str, Any] = {**setup.fields, **({"grid": setup.grid} if setup.grid else {})}
    controls = {name: control_of(op, name, first, choices_of(op, name)) for name in fields}
    return Form(
        op, operands, controls, {name: _value(value, controls[name]) for name, value in fields.items()}, setup
    )


def _setup(op: type[Op]) -> Setup | None:
    """The form's setup: the handwritten parts, and the worked example for the rest."""
    if op.name in NO_FORMS:
        return None
    by_hand, example = setups().get(op.name), setup_of(op)
    if by_hand is None or example is None:
        return by_hand or example
    if not by_hand.operands:
        return replace(example, presets=by_hand.presets)
    if by_hand.goes_with or {*by_hand.fields} != {*example.fields}:
        return by_hand
    shown = Preset(example.title, example.sentence, example.operands, example.fields)
    return replace(by_hand, presets=(*by_hand.presets, shown))


def _operand_plans(op: type[Op]) -> Iterator[FieldPlan]:
    return (plan for plan in field_plans(op) if plan.source in ("operand", "operands"))


def _shown_plans(op: type[Op], setup: Setup) -> Iterator[FieldPlan]:
    """The visible fields: all but optional operands that are absent initially."""
    return (plan for plan in _operand_plans(op) if plan.required or plan.name in setup.operands)


def _operand(op: type[Op], plan: FieldPlan, setup: Setup) -> OperandForm:
    texts = setup.operands[plan.name]
    at_first = tuple(map(FormTensor.read, (texts,) if isinstance(texts, str) else texts))
    dynamic = issubclass(op, DynamicOp) and plan.name in op.dynamic_fields
    types = _INTEGERS if dynamic or plan.name in _PLACES else TYPE_NAMES
    return OperandForm(plan, types, at_first, dynamic, setup.scalars == plan.name)


def _value(value: Any, control: Control) -> Any:
    """The initial value of a field, in the page's format."""
    if control.kind != "tensor" or value is None:
        return value
    found = FormTensor.read(value).json()
    return {"shape": found["shape"], "type": found["type"]}


# As the page reads it.


@cache
def form_json(name: str) -> OpForm | None:
    """The form of an op as the page reads it; `None` if it has none."""
    form = form_of(name)
    if form is None:
        return None
    labels, kinds = _inputs(form.op)
    return {
        "op": name,
        "opPage": f"/ops/{name}",
        "operands": [_operand_json(name, form, labels, kinds) for name in form.operands],
        "fields": [
            _field_json(form.op, name, control, labels, kinds) for name, control in form.controls.items()
        ],
        "equallyMany": list(form.equally_many),
        "first": _state(form, Preset("", "")),
        "presets": [
            {"title": preset.title, "sentence": preset.sentence, "state": _state(form, preset)}
            for preset in (Preset(form.setup.title, form.setup.sentence), *form.setup.presets)
        ],
        "rules": {row["label"]: row["text"] for row in _rules(form.op)},
    }


def _rules(op: type[Op]) -> list[RuleRow]:
    section = section_of(op)
    return section.constraints if section else []


def _inputs(op: type[Op]) -> tuple[dict[str, str], dict[str, str]]:
    """Label and kind of each input, by its name."""
    rows = inputs_of(op, section_of(op))
    return {row["name"]: row.get("label", "") for row in rows}, {row["name"]: row["type"] for row in rows}


def _operand_json(name: str, form: Form, labels: Texts, kinds: Texts) -> OperandField:
    operand = form.operands[name]
    return {
        "name": name,
        "label": labels.get(name) or operand.plan.label or "",
        "says": kinds.get(name, ""),
        "types": list(operand.types),
        "many": operand.many and not operand.scalars,
        "scalars": operand.scalars,
        "with": form.setup.goes_with.get(name, next(iter(form.operands))),
        "holdsPlaces": operand.dynamic or name in _PLACES or operand.scalars,
    }


def _field_json(op: type[Op], name: str, control: Control, labels: Texts, kinds: Texts) -> FormField:
    return {
        "name": name,
        "label": labels.get(name, ""),
        "says": kinds.get(name, ""),
        "sentence": sentence_of(op.name, name),
        "kind": control.kind,
        "of": control.of,
        "choices": list(control.choices),
        "least": control.least,
        "group": control.struct,
        "types": list(TYPE_NAMES) if control.kind == "tensor" else [],
    }


def _state(form: Form, preset: Preset) -> FormState:
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
def form_list() -> list[FormFamily]:
    """All StableHLO ops by family, gather and scatter first; those without a form say why."""
    sentences = {item["name"]: item["sentence"] for item in op_list()}
    families: dict[str, FormFamily] = {}
    for op in dict.fromkeys(OPS):
        if not op.name.startswith("stablehlo."):
            continue
        family = family_of(op)
        listed = families.setdefault(family.title, {"name": family.anchor, "title": family.title, "ops": []})
        item: FormEntry = {"name": op.name, "sentence": sentences[op.name]}
        if not has_form(op.name):
            item["why"] = NO_FORMS[op.name]
        listed["ops"].append(item)
    return sorted(families.values(), key=lambda found: found["title"] != FIRST_FAMILY)
