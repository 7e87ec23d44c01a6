"""Tables of an op's inputs and results, from the specification or else its class."""

from enum import Enum
from typing import Any, get_args, get_origin

from hloscope.engine.ir.types import TokenType, TupleType, Type
from hloscope.engine.ops.collectives.collective_rules import ChannelHandle
from hloscope.engine.ops.contractions.dot_general import DotDimensionNumbers
from hloscope.engine.ops.contractions.ragged_dot import RaggedDotDimensionNumbers
from hloscope.engine.ops.core.field_plans import FieldPlan, field_plans, without_none
from hloscope.engine.ops.core.op import Op
from hloscope.engine.ops.core.process_groups import IdTable, ReplicaGroups

from ..wire.reference import LabelledRow
from .specification import Section

_KINDS = {"region": "function", "regions": "functions"}
_VALUES: dict[object, str] = {Type: "value", TupleType: "tuple", TokenType: "token"}
"""Types of operands and results that are not tensors."""
_WORDS: dict[object, str] = {
    bool: "constant of i1",
    int: "constant of si64",
    float: "constant of f32",
    str: "string",
    ChannelHandle: "channel",
    DotDimensionNumbers: "dimension numbers",
    IdTable: "pairs of processes",
    RaggedDotDimensionNumbers: "dimension numbers",
    ReplicaGroups: "groups of processes",
}
_ITEMS: dict[object, str] = {int: "list of si64", bool: "list of i1", str: "list of strings"}
_HLO_WORDS = {
    "constant of i1": "boolean",
    "constant of si64": "integer",
    "list of si64": "list of integers",
    "list of lists of si64": "lists of integers",
    "function": "computation",
    "functions": "computations",
}
"""HLO's terms for those of the specification."""
_HLO_INPUTS = {
    "calls": "computation",
    "rng_distribution": "rng_uniform or rng_normal",
    "value": "literals, in lists",
}
"""Descriptions of some inputs that their fields do not provide."""


def inputs_of(op: type[Op], section: Section | None) -> list[LabelledRow]:
    """Label, name and kind of each input."""
    if section is not None:
        return section.inputs
    plans = [plan for plan in field_plans(op) if plan.source not in ("result", "results", "place")]
    return [_row(op, plan) for plan in plans if not plan.name.startswith("_")]


def results_of(op: type[Op], section: Section | None) -> list[LabelledRow]:
    """Name and type of each result, if the class states them."""
    if section is not None:
        return section.outputs
    plans = [plan for plan in field_plans(op) if plan.source in ("result", "results")]
    return [{"label": "", "name": plan.name, "type": _kind(plan)} for plan in plans]


def _row(op: type[Op], plan: FieldPlan) -> LabelledRow:
    kind = _kind(plan)
    if op.name.startswith("hlo."):
        kind = _HLO_INPUTS.get(plan.name) or _HLO_WORDS.get(kind, kind)
    stated = "" if plan.required else _default(plan.default)
    return {"label": "", "name": plan.attribute or plan.name, "type": f"{kind}{stated}"}


def _kind(plan: FieldPlan) -> str:
    annotation = without_none(plan.annotation)
    if plan.source in ("operand", "result"):
        return _VALUES.get(annotation, "tensor")
    if plan.source in ("operands", "results"):
        return f"{_VALUES.get(get_args(annotation)[0], 'tensor')}s"
    return _KINDS.get(plan.source) or _attribute_kind(annotation)


def _attribute_kind(annotation: Any) -> str:
    if annotation in _WORDS:
        return _WORDS[annotation]
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return f"one of {', '.join(item.value for item in annotation)}"
    items = get_args(annotation)
    if get_origin(annotation) is not tuple or not items:
        return "attribute"
    if isinstance(items[0], type) and issubclass(items[0], Enum):
        return f"list of {', '.join(item.value for item in items[0])}"
    return "list of lists of si64" if get_origin(items[0]) is tuple else _ITEMS.get(items[0], "list")


def _default(value: object) -> str:
    if value is None or value in ((), ""):
        return ", may be left out"
    shown = str(value).lower() if isinstance(value, bool) else value
    return f", {shown} unless given"
