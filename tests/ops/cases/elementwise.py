"""Calls of ops that go element by element."""

from __future__ import annotations

from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.chlo import chlo_functions
from hloscope.engine.ops.core.field_plans import field_plans
from hloscope.engine.ops.core.integer_folding import ComparisonDirection
from hloscope.engine.ops.core.kinds import FLOAT, TENSOR
from hloscope.engine.ops.core.op import Op
from hloscope.engine.ops.core.registry import ops_in
from hloscope.engine.ops.elementwise import arithmetic, bits, functions
from hloscope.engine.ops.elementwise.bitcast import BitcastConvert
from hloscope.engine.ops.elementwise.comparisons import Clamp, Compare
from hloscope.engine.ops.elementwise.complex_parts import Imag, Real
from hloscope.engine.ops.elementwise.elementwise import Elementwise
from hloscope.engine.ops.elementwise.floating_point import (
    IsFinite,
    RoundNearestAfz,
    RoundNearestEven,
)
from hloscope.engine.ops.elementwise.quantize_ops import UniformDequantize, UniformQuantize

from ..quantized import quantized
from .drawing import Case, Cases, Draw, arrays, element_types, shapes

I8 = ELEMENT_TYPES["i8"]


@st.composite
def elementwise(draw: Draw, op_class: type[Elementwise], inputs: int) -> Case:
    """Operands of one type."""
    kinds = FLOAT if op_class is chlo_functions.BesselI1e else op_class.kinds
    element_type = draw(element_types(kinds))
    found = TensorType(draw(shapes), element_type)
    operands = tuple(draw(arrays(element_type, found.sizes)) for _ in range(inputs))
    fields: dict[str, Any] = {}
    if op_class is Compare:
        fields["comparison_direction"] = draw(st.sampled_from(ComparisonDirection))
    return Case(op_class(*[found] * inputs, **fields), operands)


@st.composite
def clamps(draw: Draw) -> Case:
    element_type = draw(element_types(TENSOR))
    operand = TensorType(draw(shapes), element_type)
    low, high = (draw(st.sampled_from([operand, TensorType((), element_type)])) for _ in range(2))
    types = (low, operand, high)
    return Case(Clamp(*types), tuple(draw(arrays(element_type, found.sizes)) for found in types))


@st.composite
def bitcasts(draw: Draw) -> Case:
    """Between types of which one holds a whole number of the other."""
    source, target = draw(element_types(TENSOR)), draw(element_types(TENSOR))
    assume(source.is_complex == target.is_complex)
    wide, narrow = max(source.bits, target.bits), min(source.bits, target.bits)
    assume(wide % narrow == 0)
    shape = draw(shapes)
    if target.bits > source.bits:
        shape = (*shape, wide // narrow)
    found = TensorType(shape, source)
    return Case(BitcastConvert(found, TensorType((), target)), (draw(arrays(source, found.sizes)),))


@st.composite
def quantizations(draw: Draw) -> Case:
    target = quantized(
        draw(st.sampled_from([(0.5,), (0.001,), (30.0,)])), draw(st.sampled_from([(0,), (-7,)]))
    )
    source = draw(st.sampled_from([target.expressed, quantized((0.25,), (3,))]))
    found = TensorType(draw(shapes), source)
    operand = draw(arrays(I8 if source != target.expressed else source, found.sizes))
    return Case(UniformQuantize(found, found.with_element_type(target)), (operand,))


@st.composite
def dequantizations(draw: Draw) -> Case:
    found = TensorType(draw(shapes), quantized((0.25,), (3,)))
    return Case(UniformDequantize(found), (draw(arrays(I8, found.sizes)),))


def _elementwise(op_classes: tuple[type[Op], ...]) -> dict[str, Cases]:
    return {
        found.name: elementwise(found, sum(plan.source == "operand" for plan in field_plans(found)))
        for found in op_classes
        if issubclass(found, Elementwise)
    }


CASES: dict[str, Cases] = {
    **_elementwise(ops_in(arithmetic, functions, chlo_functions, bits)),
    **_elementwise((Compare, Real, Imag, IsFinite, RoundNearestAfz, RoundNearestEven)),
    BitcastConvert.name: bitcasts(),
    UniformQuantize.name: quantizations(),
    UniformDequantize.name: dequantizations(),
    Clamp.name: clamps(),
}
