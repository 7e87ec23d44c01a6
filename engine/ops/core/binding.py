"""Make an op from an operation of the text, field by field, following `field_plans`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from difflib import get_close_matches
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from ...errors import ConstraintError, StructureError
from ...ir.attributes import (
    ArrayAttribute,
    Attribute,
    BoolAttribute,
    DenseArrayAttribute,
    DenseAttribute,
    DictionaryAttribute,
    ElementsAttribute,
    EnumAttribute,
    FloatAttribute,
    IntegerAttribute,
    ResourceAttribute,
    StringAttribute,
    StructAttribute,
    SymbolAttribute,
    TypeAttribute,
    UnitAttribute,
)
from ...ir.module import Operation
from ...ir.types import TensorType, TokenType, TupleType, Type, UnrankedTensorType
from .field_plans import FieldPlan, attribute_plans, field_plans, without_none
from .op import Op

Record = TypeVar("Record")


class Int32(int):
    """An integer attribute whose width is part of the op's definition: `1 : i32`."""

    @classmethod
    def from_attribute(cls, attribute: Attribute) -> Int32:
        """Read the attribute; `ValueError` states what was expected."""
        if not isinstance(attribute, IntegerAttribute) or str(attribute.type) != "i32":
            raise ValueError("expected an integer of type i32")
        return cls(attribute.value)


def bind(op_class: type[Op], operation: Operation) -> Op:
    """The op that `operation` states.

    `StructureError` names what is missing or superfluous, `ConstraintError` (with the input's label) a value
    of the wrong kind.
    """
    plans = field_plans(op_class)
    operands = _share_operands(operation, plans)
    regions = share_regions(operation, plans)
    _check_results(operation, plans)
    values = {plan.name: _value(plan, plans, operation, operands, regions) for plan in plans}
    for record in op_class.attribute_records(operation):
        read_record(record, operation)
    return op_class(**values)


def read_record(record: type[Record], operation: Operation) -> Record:
    """A dataclass whose fields are all attributes, read from `operation`. It raises the errors of `bind`."""
    plans = attribute_plans(record)
    return record(**{plan.name: _attribute(plan, plans, operation) for plan in plans})


def _value(
    plan: FieldPlan,
    plans: tuple[FieldPlan, ...],
    operation: Operation,
    operands: Mapping[str, Any],
    regions: Mapping[str, Any],
) -> Any:
    match plan.source:
        case "operand" | "operands":
            return operands[plan.name]
        case "region" | "regions":
            return regions[plan.name]
        case "result":
            return _check_type(operation.results[0].type, plan, operation)
        case "results":
            return tuple(_check_type(value.type, plan, operation) for value in operation.results)
        case "place":
            return operation.name_span
        case "operation":
            return operation
        case "others":
            return _other_attributes(plans, operation)
        case _:
            return _attribute(plan, plans, operation)


def _other_attributes(plans: tuple[FieldPlan, ...], operation: Operation) -> Mapping[str, Attribute]:
    """The attributes that fill no field. A property hides the attribute of the same name."""
    known = {plan.attribute for plan in plans if plan.source == "attribute"}
    stated = {**operation.attributes, **operation.properties}
    return {name: attribute for name, attribute in stated.items() if name not in known}


def _structure_error(operation: Operation, message: str, hint: str | None = None) -> StructureError:
    return StructureError(message, operation.name_span, op=operation.spelled, hint=hint)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _share_operands(operation: Operation, plans: tuple[FieldPlan, ...]) -> dict[str, Any]:
    single = [plan for plan in plans if plan.source == "operand"]
    groups = [plan for plan in plans if plan.source == "operands"]
    spare = len(operation.operands) - len(single)
    if spare < 0 or (spare and not groups) or (groups and spare % len(groups)):
        names = ", ".join(plan.name + (" …" if plan in groups else "") for plan in single + groups)
        wanted = _count(len(single), "operand") + (" and equal groups of more" if groups else "")
        found = len(operation.operands)
        raise _structure_error(
            operation,
            f"takes {wanted} ({names}), not {found}" if names else f"takes no operands, not {found}",
        )
    length = spare // len(groups) if groups else 0
    return _deal(operation, plans, length)


def _deal(operation: Operation, plans: tuple[FieldPlan, ...], length: int) -> dict[str, Any]:
    dealt: dict[str, Any] = {}
    position = 0
    for plan in plans:
        if plan.source == "operand":
            dealt[plan.name] = _check_type(operation.operands[position].type, plan, operation, position)
            position += 1
        elif plan.source == "operands":
            chosen = range(position, position + length)
            dealt[plan.name] = tuple(
                _check_type(operation.operands[number].type, plan, operation, number) for number in chosen
            )
            position += length
    return dealt


def _check_type(found: Type, plan: FieldPlan, operation: Operation, operand: int | None = None) -> Type:
    wanted: type[Type] = plan.kind
    if isinstance(found, wanted):
        return found
    span = operation.name_span
    if operand is not None and operand < len(operation.operand_spans):
        span = operation.operand_spans[operand]
    what = _DESCRIBED.get(wanted, f"a {wanted.__name__}")
    hint = None
    if isinstance(found, UnrankedTensorType):
        what = f"{what} with a rank"
        hint = f"state the rank and leave the sizes open, as in tensor<?x?x{found.element_type}>"
    message = f"{plan.name} must be {what}, not {found}"
    raise ConstraintError(message, span, op=operation.spelled, label=plan.label, hint=hint)


_DESCRIBED = {TensorType: "a tensor", TokenType: "a token", TupleType: "a tuple"}


def share_regions(operation: Operation, plans: tuple[FieldPlan, ...]) -> dict[str, Any]:
    single = [plan for plan in plans if plan.source == "region"]
    rest = [plan for plan in plans if plan.source == "regions"]
    found = len(operation.regions)
    if found < len(single) or (found > len(single) and not rest):
        raise _structure_error(operation, f"takes {_count(len(single), 'region')}, not {found}")
    shared: dict[str, Any] = dict(zip((plan.name for plan in single), operation.regions, strict=False))
    shared |= {plan.name: operation.regions[len(single) :] for plan in rest}
    return shared


def _check_results(operation: Operation, plans: tuple[FieldPlan, ...]) -> None:
    if any(plan.source == "result" for plan in plans) and len(operation.results) != 1:
        raise _structure_error(operation, f"has one result, not {len(operation.results)}")


def _attribute(plan: FieldPlan, plans: tuple[FieldPlan, ...], operation: Operation) -> Any:
    attribute = operation.attribute(plan.attribute)
    if attribute is None:
        if plan.required:
            others = _other_attributes(plans, operation)
            near = get_close_matches(plan.attribute, others, n=1, cutoff=0.75)
            hint = f"did you mean '{plan.attribute}' instead of '{near[0]}'?" if near else None
            raise _structure_error(operation, f"needs the attribute '{plan.attribute}'", hint)
        return plan.default
    try:
        return _convert(attribute, plan.annotation)
    except _Mismatch as mismatch:
        message = f"attribute '{plan.attribute}': {mismatch}"
        span = operation.name_span
        label = plan.parameter_labels.get(mismatch.parameter, plan.label)
        raise ConstraintError(message, span, op=operation.spelled, label=label) from None


class _Mismatch(Exception):
    """An attribute, or a parameter of one, whose kind does not fit the field."""

    def __init__(self, message: str, parameter: str = "") -> None:
        super().__init__(message)
        self.parameter = parameter


def _convert(attribute: Attribute, wanted: Any) -> Any:
    wanted = without_none(wanted)
    origin, arguments = get_origin(wanted), get_args(wanted)
    if origin is tuple:
        return tuple(_convert(item, arguments[0]) for item in _items(attribute, arguments[0]))
    if isinstance(wanted, type) and issubclass(wanted, StrEnum):
        return _enum(attribute, wanted)
    if isinstance(wanted, type) and issubclass(wanted, Attribute):
        return _expect(attribute, wanted, _KINDS.get(wanted, f"a {wanted.__name__}"))
    if hasattr(wanted, "from_attribute"):
        return _read(attribute, wanted)
    if is_dataclass(wanted):
        return _struct(attribute, wanted)
    return _scalar(attribute, wanted)


_KINDS = {
    ArrayAttribute: "a list",
    DenseAttribute: "a literal, dense<…>",
    DictionaryAttribute: "a dictionary, {…}",
    ElementsAttribute: "a literal, dense<…>",
    TypeAttribute: "a type",
}


def _items(attribute: Any, wanted: Any) -> tuple[Any, ...]:
    """The elements of any kind of list; numbers stay unconverted."""
    match attribute:
        case tuple():
            return attribute
        case ArrayAttribute(elements):
            return elements
        case DenseArrayAttribute() | DenseAttribute() if not _may_be_number(wanted):
            raise _Mismatch("expected a list in brackets, [ ]")
        case DenseArrayAttribute(_, values):
            return values
        case DenseAttribute() if attribute.data.ndim == 1:
            return tuple(attribute.data.tolist())
        case DenseAttribute() if attribute.data.ndim == 2:
            return tuple(map(tuple, attribute.data.tolist()))
        case DenseAttribute():
            raise _Mismatch(f"expected a list or rows, not a literal of rank {attribute.data.ndim}")
    raise _Mismatch("expected a list")


def _may_be_number(wanted: Any) -> bool:
    wanted = without_none(wanted)
    return get_origin(wanted) is tuple or wanted in (bool, int, float)


def _scalar(attribute: Any, wanted: Any) -> Any:
    if isinstance(attribute, tuple):
        raise _Mismatch("expected a list of numbers, not of rows")
    if not isinstance(attribute, Attribute):
        return _number(attribute, wanted)
    if wanted is bool:
        return (
            isinstance(attribute, UnitAttribute) or _expect(attribute, BoolAttribute, "true or false").value
        )
    if wanted is int:
        return _expect(attribute, IntegerAttribute, "an integer").value
    if wanted is float:
        return _expect(attribute, FloatAttribute, "a number").value
    if isinstance(attribute, SymbolAttribute):
        return attribute.root
    return _expect(attribute, StringAttribute, "a string").value


def _number(found: int | float | complex | bool, wanted: Any) -> Any:
    """A number of a list or a literal, converted to `wanted` without rounding."""
    if wanted is float and isinstance(found, int | float) and not isinstance(found, bool):
        return float(found)
    if wanted is bool and found in (0, 1):
        return bool(found)
    if wanted not in (bool, float, str) and type(found) is int:
        return wanted(found)
    raise _Mismatch(f"expected {_NUMBERS.get(wanted, 'integers')}, not {found}")


_NUMBERS = {bool: "true or false", float: "numbers", str: "strings"}


def _expect(attribute: Any, kind: Any, described: str) -> Any:
    if isinstance(attribute, kind):
        return attribute
    if isinstance(attribute, ResourceAttribute):
        raise _Mismatch(f"the text does not hold the data of dense_resource<{attribute.name}>")
    raise _Mismatch(f"expected {described}")


def _enum(attribute: Attribute, wanted: type[StrEnum]) -> StrEnum:
    text = attribute.value if isinstance(attribute, EnumAttribute | StringAttribute) else None
    choices = [member.value for member in wanted]
    if text not in choices:
        raise _Mismatch(f"{text or 'this'} is none of {', '.join(choices)}")
    return wanted(text)


def _read(attribute: Attribute, wanted: Any) -> Any:
    """The attribute, read by a class with its own `from_attribute`."""
    try:
        return wanted.from_attribute(attribute)
    except ValueError as error:
        raise _Mismatch(str(error)) from None


_hints = cache(get_type_hints)
"""The types of a struct's fields, which take longer to find than the struct to make."""


def _struct(attribute: Attribute, wanted: Any) -> Any:
    struct = _expect(
        attribute, StructAttribute, f"#{getattr(wanted, 'dialect', 'stablehlo')}.{wanted.mnemonic}<…>"
    )
    hints = _hints(wanted)
    known = {field.name for field in fields(wanted)}
    for name in struct.parameters:
        if name not in known:
            raise _Mismatch(f"{name} is not a parameter of #{struct.dialect}.{struct.name}")
    values = {name: _parameter(name, value, hints[name]) for name, value in struct.parameters.items()}
    try:
        return wanted(**values)
    except TypeError:
        missing = [f.name for f in fields(wanted) if f.name not in values and f.default is MISSING]
        raise _Mismatch(f"needs {', '.join(missing)}") from None


def _parameter(name: str, value: Attribute, wanted: Any) -> Any:
    try:
        return _convert(value, wanted)
    except _Mismatch as mismatch:
        raise _Mismatch(f"{name}: {mismatch}", name) from None
