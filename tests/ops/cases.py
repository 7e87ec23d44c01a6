"""Random valid calls of ops, for what must hold of every op. An op whose case is missing fails a test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from engine.ir.attributes import DenseAttribute
from engine.ir.element_types import ELEMENT_TYPES, ElementType
from engine.ir.types import TensorType
from engine.ops import arithmetic, chlo
from engine.ops.comparisons import Clamp, Compare, ComparisonDirection, Convert, Select
from engine.ops.creation import Constant, Iota
from engine.ops.data_movement import BroadcastInDim, Concatenate, Reshape, Slice, Transpose
from engine.ops.dot_general import DotDimensionNumbers, DotGeneral
from engine.ops.elementwise import Elementwise
from engine.ops.gather import Gather
from engine.ops.kinds import TENSOR, kind_of
from engine.ops.op import Array, Op
from engine.ops.reduce import Reduce
from engine.ops.scatter import Scatter

from . import placing
from .running import body_of

NUMERIC = [found for found in ELEMENT_TYPES.values() if found.kind != "index"]
I32 = ELEMENT_TYPES["i32"]


@dataclass(frozen=True)
class Case:
    """An op and operands for it."""

    op: Op
    operands: tuple[Array, ...]
    exact: tuple[int, ...] = ()
    """Operands of which another element changes every result that reads it: then the maps may name no more."""


Draw = st.DrawFn
Cases = st.SearchStrategy[Case]

shapes = st.lists(st.integers(0, 3), max_size=3).map(tuple)


def element_types(kinds: tuple[str, ...]) -> st.SearchStrategy[ElementType]:
    """An element type of one of `kinds`, not quantized."""
    return st.sampled_from([found for found in NUMERIC if kind_of(found) in kinds])


def elements(element_type: ElementType) -> st.SearchStrategy[Any]:
    """A rank-0 array with any bits that the type has."""
    if element_type.kind == "boolean":
        return st.booleans().map(np.asarray)
    dtype = element_type.dtype
    if element_type.is_integer:
        signed = element_type.kind == "signed"
        low = -(1 << element_type.bits - 1) if signed else 0
        whole = st.integers(low, low + (1 << element_type.bits) - 1)
        return whole.map(lambda value: np.array(value, np.int64 if signed else np.uint64).astype(dtype))
    patterns = st.binary(min_size=dtype.itemsize, max_size=dtype.itemsize)
    if element_type.bits < 8:
        unused = (1 << element_type.bits) - 1
        patterns = patterns.map(lambda pattern: bytes([pattern[0] & unused]))
    usual = st.sampled_from([-2, -1, 0, 1, 2]).map(lambda value: np.array(value, np.float32).astype(dtype))
    return usual | patterns.map(lambda pattern: np.frombuffer(pattern, dtype)[0:1].reshape(()))


@st.composite
def arrays(draw: Draw, element_type: ElementType, shape: tuple[int, ...]) -> Array:
    """An array, some of them splats whose elements are one in memory."""
    count = int(np.prod(shape))
    if draw(st.booleans()):
        return np.broadcast_to(draw(elements(element_type)), shape)
    parts = [draw(elements(element_type)) for _ in range(count)]
    whole = np.empty(count, element_type.dtype)
    for number, part in enumerate(parts):
        whole[number] = part[()]
    return whole.reshape(shape)


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


@st.composite
def constants(draw: Draw) -> Case:
    found = TensorType(draw(shapes), draw(element_types(TENSOR)))
    return Case(Constant(DenseAttribute(found, draw(arrays(found.element_type, found.sizes))), found), ())


@st.composite
def iotas(draw: Draw) -> Case:
    element_type = draw(element_types(TENSOR).filter(lambda found: found.kind != "boolean"))
    shape = draw(shapes.filter(len))
    return Case(Iota(draw(st.integers(0, len(shape) - 1)), TensorType(shape, element_type)), ())


def of_i32(draw: Draw, shape: tuple[int, ...]) -> tuple[TensorType, Array]:
    """A type and an array of i32: ops that only move elements have no more to do with others."""
    found = TensorType(shape, I32)
    return found, draw(arrays(I32, found.sizes))


@st.composite
def broadcasts(draw: Draw) -> Case:
    found, operand = of_i32(draw, draw(shapes))
    places = sorted(draw(st.permutations(range(4)))[: found.rank])
    result = [draw(st.integers(0, 3)) for _ in range(4)]
    for place, size in zip(places, found.sizes, strict=True):
        result[place] = draw(st.integers(0, 3)) if size == 1 else size
    order = draw(st.permutations(range(4)))
    sizes = tuple(result[place] for place in order)
    dimensions = tuple(order.index(place) for place in places)
    return Case(BroadcastInDim(found, dimensions, TensorType(sizes, I32)), (operand,), (0,))


@st.composite
def concatenations(draw: Draw) -> Case:
    shape = draw(shapes.filter(len))
    dimension = draw(st.integers(0, len(shape) - 1))
    sizes = draw(st.lists(st.integers(0, 3), min_size=1, max_size=3))
    made = [of_i32(draw, (*shape[:dimension], size, *shape[dimension + 1 :])) for size in sizes]
    types, operands = (tuple(column) for column in zip(*made, strict=True))
    return Case(Concatenate(types, dimension), operands, tuple(range(len(sizes))))


@st.composite
def dot_generals(draw: Draw) -> Case:
    """Dimensions of each side in any order: batching, contracting, and free ones."""
    roles = draw(st.lists(st.sampled_from("bclr"), max_size=4))
    sizes = [draw(st.integers(0, 3)) for _ in roles]
    lhs, rhs = (
        draw(st.permutations([k for k, r in enumerate(roles) if r in mine])) for mine in ("bcl", "bcr")
    )
    batching, contracting = ([k for k, role in enumerate(roles) if role == wanted] for wanted in "bc")
    numbers = DotDimensionNumbers(
        *(tuple(side.index(k) for k in group) for group in (batching, contracting) for side in (lhs, rhs))
    )
    element_type = draw(st.sampled_from([ELEMENT_TYPES[name] for name in ("i32", "i8", "i1", "f32", "bf16")]))
    types = [TensorType(tuple(sizes[k] for k in side), element_type) for side in (lhs, rhs)]
    left = [k for k, role in enumerate(roles) if role == "l"]
    right = [k for k, role in enumerate(roles) if role == "r"]
    kept = (*batching, *sorted(left, key=lhs.index), *sorted(right, key=rhs.index))
    result = TensorType(tuple(sizes[k] for k in kept), element_type)
    operands = tuple(draw(arrays(element_type, found.sizes)) for found in types)
    return Case(DotGeneral(types[0], types[1], numbers, result=result), operands)


@st.composite
def reductions(draw: Draw) -> Case:
    """Sums, which any other element changes, and maxima."""
    name = draw(st.sampled_from(["stablehlo.add", "stablehlo.maximum"]))
    found, operand = of_i32(draw, draw(shapes))
    dimensions = tuple(k for k in range(found.rank) if draw(st.booleans()))
    scalar, initial = of_i32(draw, ())
    op = Reduce((found,), (scalar,), dimensions, body_of(name, "i32"))
    return Case(op, (operand, initial), (0, 1) if name == "stablehlo.add" else ())


@st.composite
def reshapes(draw: Draw) -> Case:
    found, operand = of_i32(draw, draw(shapes))
    count = found.element_count
    shape = list(draw(st.permutations(found.sizes))) + [1] * draw(st.integers(0, 2))
    if draw(st.booleans()):
        shape = [count, 1]
    return Case(Reshape(found, TensorType(tuple(shape), I32)), (operand,), (0,))


@st.composite
def slices(draw: Draw) -> Case:
    found, operand = of_i32(draw, draw(shapes))
    limits = tuple(draw(st.integers(0, size)) for size in found.sizes)
    starts = tuple(draw(st.integers(0, limit)) for limit in limits)
    strides = tuple(draw(st.integers(1, 3)) for _ in limits)
    return Case(Slice(found, starts, limits, strides), (operand,), (0,))


@st.composite
def transposes(draw: Draw) -> Case:
    found, operand = of_i32(draw, draw(shapes))
    return Case(Transpose(found, tuple(draw(st.permutations(range(found.rank))))), (operand,), (0,))


def _elementwise(op_classes: tuple[type[Op], ...], inputs: int) -> dict[str, Cases]:
    return {found.name: elementwise(found, inputs) for found in op_classes if issubclass(found, Elementwise)}


CASES: dict[str, Cases] = {
    **_elementwise((*arithmetic.BINARY, Compare), 2),
    **_elementwise((*arithmetic.UNARY, *chlo.OPS), 1),
    Clamp.name: clamps(),
    Select.name: selects(),
    Convert.name: conversions(),
    Constant.name: constants(),
    Iota.name: iotas(),
    BroadcastInDim.name: broadcasts(),
    Concatenate.name: concatenations(),
    DotGeneral.name: dot_generals(),
    Gather.name: placing.gathers().map(lambda made: Case(made[0], made[1], (0,))),
    Reduce.name: reductions(),
    Reshape.name: reshapes(),
    Scatter.name: placing.scatters().map(lambda made: Case(made[0], made[2])),
    Slice.name: slices(),
    Transpose.name: transposes(),
}
"""For each op, how to make calls of it."""

WITHOUT_CASES = {
    "stablehlo.while": "its regions need an interpreter",
    "stablehlo.if": "its regions need an interpreter",
    "stablehlo.case": "its regions need an interpreter",
    "func.call": "its function needs an interpreter",
    "func.return": "it ends a block",
    "stablehlo.return": "it ends a block",
}
"""Ops that cannot be called on their own, and why."""
