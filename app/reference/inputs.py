"""An op's inputs and results: those of its section in the specification, else those of its class."""

from __future__ import annotations

from enum import Enum
from typing import Any, get_args, get_origin

from engine.ir.types import Type
from engine.ops.field_plans import FieldPlan, field_plans, without_none
from engine.ops.op import Op

from .specification import Row, Section

_KINDS = {
    "operand": "tensor",
    "operands": "tensors",
    "region": "function",
    "regions": "functions",
    "result": "value",
    "results": "values",
}
_WORDS = {bool: "constant of i1", int: "constant of si64", float: "constant of f32", str: "string"}


def inputs_of(op: type[Op], section: Section | None) -> list[Row]:
    """Label, name and kind of each input."""
    if section is not None:
        return section.inputs
    plans = [plan for plan in field_plans(op) if plan.source not in ("result", "results", "place")]
    return [_row(plan) for plan in plans if not plan.name.startswith("_")]


def results_of(op: type[Op], section: Section | None) -> list[Row]:
    """Name and type of each result, as far as the class says."""
    if section is not None:
        return section.outputs
    return [_row(plan) for plan in field_plans(op) if plan.source in ("result", "results")]


def _row(plan: FieldPlan) -> Row:
    annotation = without_none(plan.annotation)
    kind = _KINDS.get(plan.source) or _attribute_kind(annotation)
    if plan.source in ("operand", "operands") and Type in (annotation, *get_args(annotation)):
        kind = kind.replace("tensor", "value")
    stated = "" if plan.required else _default(plan.default)
    return {"label": "", "name": plan.attribute or plan.name, "type": f"{kind}{stated}"}


def _attribute_kind(annotation: Any) -> str:
    if annotation in _WORDS:
        return _WORDS[annotation]
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return f"one of {', '.join(item.name for item in annotation)}"
    if get_origin(annotation) is tuple and (items := get_args(annotation)):
        return {int: "list of si64", bool: "list of i1", str: "list of strings"}.get(items[0], "list")
    return "attribute"


def _default(value: object) -> str:
    if value is None or value == ():
        return ", may be left out"
    shown = {True: "true", False: "false"}.get(value, value) if isinstance(value, bool) else value
    return f", {shown} unless given"
