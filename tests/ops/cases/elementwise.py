"""Calls of ops that go element by element."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from engine.ir.element_types import ELEMENT_TYPES
from engine.ir.types import TensorType
from engine.ops import arithmetic, chlo
from engine.ops.comparisons import Clamp, Compare, ComparisonDirection, Convert, Select
from engine.ops.elementwise import Elementwise
from engine.ops.kinds import TENSOR
from engine.ops.op import Op

from .drawing import I32, Case, Cases, Draw, arrays, element_types, shapes


@st.composite
def elementwise(draw: Draw, op_class: type[Elementwise], inputs: int) -> Case:
    """Operands of one type."""
    exact = op_class in INJECTIVE and draw(st.booleans())
    element_type = I32 if exact else draw(element_types(op_class.kinds))
    found = TensorType(draw(shapes), element_type)
    operands = tuple(draw(arrays(element_type, found.sizes)) for _ in range(inputs))
    fields: dict[str, Any] = {}
    if op_class is Compare:
        fields["comparison_direction"] = draw(st.sampled_from(ComparisonDirection))
    return Case(op_class(*[found] * inputs, **fields), operands, tuple(range(inputs)) if exact else ())


INJECTIVE: tuple[type[Op], ...] = (
    *(arithmetic.Add, arithmetic.Subtract, arithmetic.Xor),
    *(arithmetic.Not, arithmetic.Negate),
)
"""Elementwise ops that, on i32, give another result for every other element."""


@st.composite
def clamps(draw: Draw) -> Case:
    element_type = draw(element_types(TENSOR))
    operand = TensorType(draw(shapes), element_type)
    low, high = (draw(st.sampled_from([operand, TensorType((), element_type)])) for _ in range(2))
    types = (low, operand, high)
    return Case(Clamp(*types), tuple(draw(arrays(element_type, found.sizes)) for found in types))


@st.composite
def selects(draw: Draw) -> Case:
    element_type = draw(element_types(TENSOR))
    operand = TensorType(draw(shapes), element_type)
    pred = TensorType(draw(st.sampled_from([operand.shape, ()])), ELEMENT_TYPES["i1"])
    types = (pred, operand, operand)
    return Case(Select(*types), tuple(draw(arrays(found.element_type, found.sizes)) for found in types))


@st.composite
def conversions(draw: Draw) -> Case:
    source, target = draw(element_types(TENSOR)), draw(element_types(TENSOR))
    operand = TensorType(draw(shapes), source)
    return Case(Convert(operand, operand.with_element_type(target)), (draw(arrays(source, operand.sizes)),))


def _elementwise(op_classes: tuple[type[Op], ...], inputs: int) -> dict[str, Cases]:
    return {found.name: elementwise(found, inputs) for found in op_classes if issubclass(found, Elementwise)}


CASES: dict[str, Cases] = {
    **_elementwise((*arithmetic.BINARY, Compare), 2),
    **_elementwise((*arithmetic.UNARY, *chlo.OPS), 1),
    Clamp.name: clamps(),
    Select.name: selects(),
    Convert.name: conversions(),
}
