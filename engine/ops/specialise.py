"""Ops whose types have unknown sizes, or whose attributes are operands, once a run has shown them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..errors import RunError
from ..ir.types import TensorType, Type
from .checking import first_broken_constraint
from .core.dynamic_op import DynamicOp
from .core.field_plans import field_plans
from .core.op import Array, Op
from .packed import Packed


def specialise_op(op: Op, operands: Sequence[Array]) -> Op:
    """`op` with what its operands turned out to be; `RunError` says which rule they break.

    What could not be checked before the run is checked here: the constraints of the op, on known sizes and numbers.
    """
    if isinstance(op, Packed):
        return replace(op, twin=specialise_op(op.twin, operands))
    found: Op = replace(op, **_actual_types(op, operands))  # type: ignore[type-var]
    if isinstance(found, DynamicOp):
        found = found.with_numbers(operands)
    broken = first_broken_constraint(found)
    if broken is not None:
        label, message = broken
        raise RunError(message, label=label or None)
    return found


def _actual_types(op: Op, operands: Sequence[Array]) -> dict[str, Any]:
    rest = list(operands)
    types: dict[str, Any] = {}
    for plan in field_plans(type(op)):
        stated = getattr(op, plan.name)
        if plan.source == "operand":
            types[plan.name] = actual_type(stated, rest.pop(0))
        elif plan.source == "operands":
            types[plan.name] = tuple(actual_type(item, rest.pop(0)) for item in stated)
    return types


def actual_type(stated: Type, value: Array) -> Type:
    """The type of a value where `stated` leaves sizes open."""
    if isinstance(stated, TensorType) and not stated.is_static:
        return TensorType(value.shape, stated.element_type, layout=stated.layout)
    return stated
