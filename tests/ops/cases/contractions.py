"""Calls of dot_general, reduce, gather and scatter."""

from __future__ import annotations

from hypothesis import strategies as st

from engine.ir.element_types import ELEMENT_TYPES
from engine.ir.types import TensorType
from engine.ops.dot_general import DotDimensionNumbers, DotGeneral
from engine.ops.gather import Gather
from engine.ops.reduce import Reduce
from engine.ops.scatter import Scatter

from .. import placing
from ..running import body_of
from .drawing import Case, Cases, Draw, arrays, of_i32, shapes


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


CASES: dict[str, Cases] = {
    DotGeneral.name: dot_generals(),
    Gather.name: placing.gathers().map(lambda made: Case(made[0], made[1], (0,))),
    Reduce.name: reductions(),
    Scatter.name: placing.scatters().map(lambda made: Case(made[0], made[2])),
}
