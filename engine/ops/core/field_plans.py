"""The source of each field of an op, by its annotation.

| annotation                          | filled from                                                       |
|-------------------------------------|-------------------------------------------------------------------|
| `TensorType`, `Type` named `result` | the only result's type; `TensorType | None = None` likewise       |
| `tuple[Type, ...]` named `results`  | the types of all results                                          |
| `TensorType`, `Type`                | the next operand's type                                           |
| `tuple[TensorType, ...]`            | operands; several such groups of one op share one length          |
| `Region`                            | the next region; `tuple[Region, ...]` takes all that are left     |
| `Span`                              | the position of the operation's name in the text                  |
| `Operation`                         | the operation itself                                              |
| `Mapping[str, Attribute]`           | the properties and attributes that fill no other field, by name   |
| anything else                       | the property or attribute of the field's name, or its default     |

A field whose name differs from its attribute's states that in its metadata: `field(metadata={"attribute": …})`.
A field with `"discardable": True` is not part of the op's definition: the author of the program added the attribute.
`"holds_values": True` marks a list of tensors of values, in contrast to numbers that the op's constraints read.
A field with `"settled": True` does not come from the text: it has its default until a run fills it.

`binding.read_record` fills a record, a dataclass that has only attributes, in the same way.
"""

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
    """The source of one field of an op class."""

    name: str
    source: str
    """`operand`, `operands`, `result`, `results`, `region`, `regions`, `place`, `operation`, `others` or `attribute`."""
    annotation: Any
    required: bool
    default: Any = None
    label: str | None = None
    """The input's label in the specification (`I2`), where the field is one of its inputs."""
    kind: Any = None
    """The annotation without `None`; of a tuple, its elements' annotation."""
    attribute: str = ""
    """The attribute's name in the text."""
    parameter_labels: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Labels of inputs in the specification that are parameters of one attribute in the text."""
    discardable: bool = False
    """Whether the attribute is not part of the op's definition."""
    holds_values: bool = False
    """Whether the attribute stays as the text states it: tensors of values, or attributes that the op does not read."""


_PLANS: dict[type[Any], tuple[FieldPlan, ...]] = {}
_ATTRIBUTE_PLANS: dict[tuple[type[Any], ...], tuple[FieldPlan, ...]] = {}
_SHARED: dict[type[Any], bool] = {}


def field_plans(op_class: type[Any]) -> tuple[FieldPlan, ...]:
    """The plans of all fields of `op_class`, in order."""
    found = _PLANS.get(op_class)
    if found is None:
        found = _PLANS[op_class] = tuple(_plans(op_class))
    return found


def may_share(op_class: type[Any]) -> bool:
    """Whether operations of the same types and properties may share one op: no field depends on anything else."""
    found = _SHARED.get(op_class)
    if found is None:
        sources = {plan.source for plan in field_plans(op_class)}
        found = _SHARED[op_class] = sources.isdisjoint(("place", "operation", "others"))
    return found


def attribute_plans(op_class: type[Any], records: Sequence[type[Any]] = ()) -> tuple[FieldPlan, ...]:
    """The plans of all attributes of `op_class` and of `records`."""
    key = (op_class, *records)
    found = _ATTRIBUTE_PLANS.get(key)
    if found is None:
        plans = chain.from_iterable(map(field_plans, key))
        found = _ATTRIBUTE_PLANS[key] = tuple(plan for plan in plans if plan.source == "attribute")
    return found


def inherent_attributes(op_class: type[Any]) -> frozenset[str]:
    """The names of the attributes in the op's definition."""
    return frozenset(plan.attribute for plan in attribute_plans(op_class) if not plan.discardable)


def _plans(op_class: type[Any]) -> Iterator[FieldPlan]:
    hints = get_type_hints(op_class)
    section = getattr(op_class, "section", Section())
    labels = section.input_labels
    if labels is None and (section.rules or not getattr(op_class, "name", "").startswith("stablehlo.")):
        labels = {}
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
        kind=_kind(annotation),
        attribute=field.metadata.get("attribute", field.name),
        discardable=field.metadata.get("discardable", False),
        holds_values=field.metadata.get("holds_values", _is_kept(annotation)),
    )


def _kind(annotation: Any) -> Any:
    annotation = without_none(annotation)
    return get_args(annotation)[0] if get_origin(annotation) is tuple else annotation


def _is_kept(annotation: Any) -> bool:
    wanted = without_none(annotation)
    return isinstance(wanted, type) and issubclass(wanted, Attribute) and wanted is not ArrayAttribute


def without_none(annotation: Any) -> Any:
    """`T` for `T | None`; any other annotation unchanged."""
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
