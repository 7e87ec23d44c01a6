"""What each field of an op is filled from; its annotation decides.

| annotation                          | filled from                                                       |
|-------------------------------------|-------------------------------------------------------------------|
| `TensorType`, `Type` named `result` | the only result's type; `TensorType | None = None` likewise       |
| `tuple[Type, ...]` named `results`  | the types of all results                                          |
| `TensorType`, `Type`                | the next operand's type                                           |
| `tuple[TensorType, ...]`            | operands; several such groups of one op share one length          |
| `Region`                            | the next region; `tuple[Region, ...]` takes all that are left     |
| `Span`                              | the place of the operation's name in the text                     |
| `Operation`                         | the operation itself                                              |
| `Mapping[str, Attribute]`           | the properties and attributes that fill no other field, by name   |
| anything else                       | the property or attribute of the field's name, or its default     |

A field that cannot have its attribute's name says that in its metadata: `field(metadata={"attribute": …})`.
One with `"discardable": True` is no part of the op's definition: whoever wrote the program added it.
One with `"holds_values": True` is a list of tensors of values, not of numbers that the op reads as it is checked.
One with `"settled": True` is no part of the text: it has its default until a run fills it.

A record, a dataclass that has only fields of the last kind, is filled likewise: see `binding.read_record`.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from itertools import chain
from typing import Any, Union, get_args, get_origin, get_type_hints

from ...ir.attributes import ArrayAttribute, Attribute
from ...ir.module import Operation, Region
from ...ir.types import Type
from ...source import Span
from .facets import Section


@dataclass(frozen=True)
class FieldPlan:
    """How one field of an op class is filled."""

    name: str
    source: str
    """`operand`, `operands`, `result`, `results`, `region`, `regions`, `place`, `operation`, `others` or `attribute`."""
    annotation: Any
    required: bool
    default: Any = None
    label: str | None = None
    """The input's label in the specification (`I2`), where the field is one of its inputs."""
    attribute: str = ""
    """What the attribute is called in the text."""
    parameter_labels: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Labels of what the specification counts as inputs and the text has as an attribute's parameters."""
    discardable: bool = False
    """Whether the attribute is no part of the op's definition."""
    holds_values: bool = False
    """Whether the attribute is kept as the text states it: tensors of values, or what only others read."""


_NO_SECTION = Section(input_labels={})
"""The section of a record, which the specification does not have."""
_PLANS: dict[type[Any], tuple[FieldPlan, ...]] = {}


def field_plans(op_class: type[Any]) -> tuple[FieldPlan, ...]:
    """How each field of `op_class` is filled, in their order."""
    found = _PLANS.get(op_class)
    if found is None:
        found = _PLANS[op_class] = tuple(_plans(op_class))
    return found


def attribute_plans(op_class: type[Any], records: Sequence[type[Any]] = ()) -> tuple[FieldPlan, ...]:
    """How the fields of `op_class`, and of `records` that are read beside it, are filled that are attributes."""
    plans = chain.from_iterable(map(field_plans, (op_class, *records)))
    return tuple(plan for plan in plans if plan.source == "attribute")


def inherent_attributes(op_class: type[Any]) -> frozenset[str]:
    """The attribute names that the op's definition knows."""
    return frozenset(plan.attribute for plan in attribute_plans(op_class) if not plan.discardable)


def _plans(op_class: type[Any]) -> Iterator[FieldPlan]:
    hints = get_type_hints(op_class)
    section = getattr(op_class, "section", _NO_SECTION)
    labels = section.input_labels
    number = 0
    for field in fields(op_class):
        if field.metadata.get("settled"):
            continue
        plan = _plan(field, hints[field.name])
        if labels is not None:
            yield replace(plan, label=labels.get(field.name), parameter_labels=labels)
        elif plan.source in ("result", "results"):
            yield plan
        else:
            number += 1
            yield replace(plan, label=f"I{number}")


def _plan(field: Any, annotation: Any) -> FieldPlan:
    default = field.default_factory() if field.default_factory is not MISSING else field.default
    required = default is MISSING
    return FieldPlan(
        field.name,
        _source(field.name, annotation),
        annotation,
        required,
        None if required else default,
        attribute=field.metadata.get("attribute", field.name),
        discardable=field.metadata.get("discardable", False),
        holds_values=field.metadata.get("holds_values", _is_kept(annotation)),
    )


def _is_kept(annotation: Any) -> bool:
    wanted = without_none(annotation)
    return isinstance(wanted, type) and issubclass(wanted, Attribute) and wanted is not ArrayAttribute


def without_none(annotation: Any) -> Any:
    """`T` of `T | None`, and any other annotation as it is."""
    if get_origin(annotation) in (Union, types.UnionType):
        return next(argument for argument in get_args(annotation) if argument is not type(None))
    return annotation


def _source(name: str, annotation: Any) -> str:
    annotation = without_none(annotation)
    if get_origin(annotation) is Mapping:
        return "others"
    variadic = get_origin(annotation) is tuple
    item = get_args(annotation)[0] if variadic else annotation
    if item is Region:
        return "regions" if variadic else "region"
    if isinstance(item, type) and issubclass(item, Type):
        kind = name if name in ("result", "results") else "operand"
        return kind if kind != "operand" or not variadic else "operands"
    if item is Operation:
        return "operation"
    return "place" if item is Span else "attribute"
