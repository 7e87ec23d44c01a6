"""Ops as they would be if their operands were of their bodies' types already: nothing is converted on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle

from ...ir.element_types import ElementType
from ...ir.types import TensorType
from ...ops.bodies import accumulated_types
from ...ops.field_plans import field_plans
from ...ops.op import Op
from ...ops.reduce import Reduce
from ...ops.reduce_window import ReduceWindow
from ...ops.reductions import Reduction, computed_type
from ...ops.scatter import Scatter
from ...ops.select_and_scatter import SelectAndScatter

Types = Sequence[ElementType]


def without_conversions(op: Op) -> Op:
    """`op` over elements of its body's types; itself if nothing is converted."""
    found = op
    match op:
        case Reduce() | ReduceWindow():
            types = accumulated_types(op.body)
            found = replace(op, inputs=_with(op.inputs, types), init_values=_with(op.init_values, types))
        case Scatter():
            types = accumulated_types(op.update_computation)
            found = replace(op, inputs=_with(op.inputs, types), updates=_with(op.updates, types))
        case SelectAndScatter():
            (type,) = accumulated_types(op.scatter)
            operand, source, initial = _with((op.operand, op.source, op.init_value), [type])
            found = replace(op, operand=operand, source=source, init_value=initial)
        case Reduction():
            found = _reduction(op)
    return op if found == op else found


def _reduction(op: Reduction) -> Op:
    """Of a collective op: whatever its operands are called."""
    types = [computed_type(op.computation)]
    changed: dict[str, TensorType | tuple[TensorType, ...]] = {}
    for plan in field_plans(type(op)):
        stated = getattr(op, plan.name)
        if plan.source == "operand" and isinstance(stated, TensorType):
            (changed[plan.name],) = _with([stated], types)
        elif plan.source == "operands":
            changed[plan.name] = _with(stated, types)
    return replace(op, **changed)  # type: ignore[type-var]


def _with(stated: Sequence[TensorType], types: Types) -> tuple[TensorType, ...]:
    """The same shapes, of other elements."""
    return tuple(found.with_element_type(to) for found, to in zip(stated, cycle(types), strict=False))
