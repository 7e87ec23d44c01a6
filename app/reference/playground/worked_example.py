"""The worked example of an op as a form: its program, split into operands and fields."""

from collections.abc import Iterator, Mapping
from dataclasses import fields as fields_of
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hloscope.engine.ir.attributes import DenseAttribute
from hloscope.engine.ir.module import Operation, Value
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.core.dynamic_op import DynamicForm
from hloscope.engine.ops.core.field_plans import FieldPlan, field_plans, without_none
from hloscope.engine.ops.core.op import Op
from hloscope.engine.program import BoundOperation, BoundProgram

from ..example import first_use
from ..examples import op_example
from .bodies import choices_of, region_of
from .controls import STRUCTS
from .setups import Setup
from .tensors import name_of

_MOST_VALUES = 64
"""Maximum elements of a constant that the form keeps; a larger one becomes linear indices."""


def setup_of(op: type[Op]) -> Setup | None:
    """The form of an op's worked example; `None` if a form cannot express the example."""
    example = op_example(op.name)
    place = first_use(example.text, op.name) if example else None
    if example is None or place is None:
        return None
    program, bound = place
    operands = {plan.name: texts for plan, texts in _operands(op, program, bound)}
    fields = dict(_fields(op, bound))
    if None in operands.values() or None in fields.values():
        return None
    return Setup(
        operands,  # type: ignore[arg-type]
        fields,
        title="The worked example",
        sentence=example.description,
    )


# Operands.


def _operands(
    op: type[Op], program: BoundProgram, bound: BoundOperation
) -> Iterator[tuple[FieldPlan, str | tuple[str, ...] | None]]:
    """The short text of each operand, a tuple for a group; nothing for omitted ones."""
    texts = _texts(op, program, bound)
    for plan in field_plans(op):
        if plan.source == "operand" and (plan.required or getattr(bound.op, plan.name) is not None):
            yield plan, next(texts)
        elif plan.source == "operands":
            found = tuple(next(texts) for _ in getattr(bound.op, plan.name))
            yield plan, None if None in found else found  # type: ignore[misc]


def _texts(op: type[Op], program: BoundProgram, bound: BoundOperation) -> Iterator[str | None]:
    known = {value.name: operation for operation in _constants(program) for value in operation.results}
    first: Value | None = None
    for value in bound.operation.operands:
        follows = first is not None and first.type == value.type
        yield _text(value, known, "=x=" if op.traits.has_one_shape and follows else "")
        first = first or value


def _constants(program: BoundProgram) -> Iterator[Operation]:
    return (found.operation for found in program.ops if found.operation.name == "stablehlo.constant")


def _text(value: Value, known: Mapping[str, Operation], type_text: str) -> str | None:
    """`2x3xi32:1,2,3,4,5,6`; `None` for a type that forms lack."""
    type_text = type_text or _type_text(value.type) or ""
    literal = known[value.name].attribute("value") if value.name in known else None
    values = _values(literal.data) if isinstance(literal, DenseAttribute) else "iota"
    return f"{type_text}:{values}" if type_text else None


def _type_text(found: Any) -> str | None:
    """`2x3xi32`; `None` for a type that forms lack."""
    element = name_of(found.element_type) if isinstance(found, TensorType) and found.is_static else None
    return None if element is None else "".join(f"{size}x" for size in found.sizes) + element


def _values(data: NDArray[Any]) -> str:
    """A word for the values if there is one, else each, in readable form."""
    flat = data.ravel()
    for word, numbers in (("zeros", 0), ("ones", 1), ("iota", np.arange(data.size))):
        if data.size > 1 and flat.dtype != bool and bool((flat == numbers).all()):
            return word
    return ",".join(_number(item) for item in flat) if data.size <= _MOST_VALUES else "iota"


def _number(item: Any) -> str:
    if isinstance(item, np.bool_):
        return "true" if item else "false"
    return f"{item.real}{item.imag:+}i" if np.iscomplexobj(item) else str(item)


# Fields.


def _fields(op: type[Op], bound: BoundOperation) -> Iterator[tuple[str, Any]]:
    """The op's inputs in the specification, and the result's type if only the text states it."""
    for plan in field_plans(op):
        value = getattr(bound.op, plan.name, None)
        if plan.source == "region":
            yield plan.name, _body(op, plan.name, bound)
        elif plan.source == "result" and plan.required and not issubclass(op, DynamicForm):
            yield plan.name, _result_text(op, value)
        elif plan.name in STRUCTS:
            struct = without_none(plan.annotation)
            yield from ((field.name, _plain_value(getattr(value, field.name))) for field in fields_of(struct))
        elif plan.source == "attribute" and (plan.required or plan.label) and not plan.holds_values:
            yield plan.name, _plain_value(value)


def _plain_value(value: Any) -> Any:
    """Numbers, texts and lists of them; `None` for process groups, which have their own grid."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple):
        return list(map(_plain_value, value))
    return value if isinstance(value, bool | int | float | str) else None


def _result_text(op: type[Op], found: Any) -> str | None:
    spelled = _type_text(found)
    if spelled is None or not op.traits.has_one_shape:
        return spelled
    return f"=x{name_of(found.element_type)}"


def _body(op: type[Op], name: str, bound: BoundOperation) -> str | None:
    """The name of the form's body that matches a region of the program, by its operations."""
    number = [plan.name for plan in field_plans(op) if plan.source == "region"].index(name)
    wanted = _steps(bound.operation.regions[number].block.operations)
    first = next(plan.name for plan in field_plans(op) if plan.source in ("operand", "operands"))
    types = getattr(bound.op, first)
    elements = [found.element_type for found in (types if isinstance(types, tuple) else (types,))]
    for choice in choices_of(op, name):
        if _steps(region_of(op, name, choice, elements).block.operations) == wanted:
            return choice
    return None


def _steps(operations: tuple[Operation, ...]) -> list[tuple[str, str]]:
    """The operations by name, with the attributes that distinguish equal names."""
    return [(found.name, str(found.attribute("comparison_direction"))) for found in operations]
