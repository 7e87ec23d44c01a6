"""Calls of CHLO's ops that are not just functions of each element."""

from __future__ import annotations

from hypothesis import strategies as st

from hloscope.engine.ir.attributes import DenseAttribute, FloatAttribute
from hloscope.engine.ir.element_types import F32, F64, I1
from hloscope.engine.ir.types import ScalarType, TensorType
from hloscope.engine.ops.chlo import chlo_broadcasting as broadcasting
from hloscope.engine.ops.chlo.chlo_constants import ChloConstant, ConstantLike
from hloscope.engine.ops.chlo.chlo_top_k import TopK
from hloscope.engine.ops.core.integer_folding import ComparisonDirection
from hloscope.engine.ops.core.kinds import BOOLEAN, FLOAT, INTEGER, kind_of

from .drawing import Case, Cases, Draw, arrays, element_types, of_i32, shapes


@st.composite
def constants(draw: Draw) -> Case:
    found, value = of_i32(draw, draw(shapes))
    return Case(ChloConstant(DenseAttribute(found, value), found), ())


@st.composite
def constants_like(draw: Draw) -> Case:
    found, operand = of_i32(draw, draw(shapes))
    value = FloatAttribute(0x3FC00000, ScalarType(F32), 1.5)
    return Case(ConstantLike(value, found, found.with_element_type(F32)), (operand,))


@st.composite
def largest(draw: Draw) -> Case:
    element_type = draw(element_types((*BOOLEAN, *INTEGER, *FLOAT)))
    found = TensorType((*draw(shapes), draw(st.integers(0, 4))), element_type)
    count = draw(st.integers(0, found.sizes[-1]))
    return Case(TopK(found, count), (draw(arrays(element_type, found.sizes)),))


def subshapes(draw: Draw, shape: tuple[int, ...], drop: int) -> tuple[int, ...]:
    """Without the first `drop` sizes, some others 1."""
    return tuple(draw(st.sampled_from((1, size))) for size in shape[drop:])


@st.composite
def broadcasts(draw: Draw, op_class: type[broadcasting.BroadcastingBinary]) -> Case:
    fitting = [kind_of(found) for found in (F32, F64)] if op_class in FLOATS else op_class.kinds
    kinds = INTEGER if op_class in INTEGERS else tuple(kind for kind in fitting if kind in (*INTEGER, *FLOAT))
    parts = st.sampled_from((F32, F64))
    element_type = draw(parts if op_class is broadcasting.BroadcastComplex else element_types(kinds))
    shape = draw(shapes)
    drop = draw(st.integers(0, len(shape)))
    full, small = subshapes(draw, shape, 0), subshapes(draw, shape, drop)
    lhs, rhs = draw(st.permutations([full, small]))
    types = TensorType(lhs, element_type), TensorType(rhs, element_type)
    operands = tuple(draw(arrays(element_type, found.sizes)) for found in types)
    stated = draw(st.booleans())
    dimensions = tuple(range(len(shape) - min(map(len, (lhs, rhs))), len(shape))) if stated else None
    if op_class is broadcasting.BroadcastCompare:
        direction = ComparisonDirection.LT
        return Case(
            broadcasting.BroadcastCompare(*types, dimensions, comparison_direction=direction), operands
        )
    return Case(op_class(*types, dimensions), operands)


INTEGERS = (
    *(broadcasting.BroadcastShiftLeft, broadcasting.BroadcastShiftRightLogical),
    broadcasting.BroadcastShiftRightArithmetic,
)
FLOATS = (
    *(broadcasting.BroadcastNextAfter, broadcasting.BroadcastPolygamma),
    *(broadcasting.BroadcastZeta, broadcasting.BroadcastAtan2),
)


@st.composite
def selects(draw: Draw) -> Case:
    shape = draw(shapes)
    pred = TensorType(subshapes(draw, shape, draw(st.integers(0, len(shape)))), I1)
    element_type = draw(element_types(FLOAT))
    sides = (TensorType(shape, element_type), TensorType(subshapes(draw, shape, 0), element_type))
    types = (pred, *draw(st.permutations(sides)))
    operands = tuple(draw(arrays(found.element_type, found.sizes)) for found in types)
    return Case(broadcasting.BroadcastSelect(*types), operands)


CASES: dict[str, Cases] = {
    ChloConstant.name: constants(),
    ConstantLike.name: constants_like(),
    TopK.name: largest(),
    **{found.name: broadcasts(found) for found in broadcasting.ARITHMETIC},
    broadcasting.BroadcastSelect.name: selects(),
}
