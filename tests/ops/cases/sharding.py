"""Calls of Shardy's ops."""

from __future__ import annotations

from hypothesis import strategies as st

from engine.ir.attributes import OpaqueAttribute
from engine.ops.sharding import DataFlowEdge, PropagationBarrier, Reshard, ShardingConstraint

from .drawing import Case, Cases, Draw, of_i32, shapes

SHARDING = OpaqueAttribute("#sdy.sharding<@mesh, []>")


@st.composite
def placed(draw: Draw, kind: type[ShardingConstraint | Reshard | DataFlowEdge]) -> Case:
    found, operand = of_i32(draw, draw(shapes))
    return Case(kind(found, SHARDING), (operand,), (0,))


@st.composite
def barriers(draw: Draw) -> Case:
    found, operand = of_i32(draw, draw(shapes))
    return Case(PropagationBarrier(found, draw(st.integers(0, 2))), (operand,), (0,))


CASES: dict[str, Cases] = {
    **{kind.name: placed(kind) for kind in (ShardingConstraint, Reshard, DataFlowEdge)},
    PropagationBarrier.name: barriers(),
}

WITHOUT_CASES = {
    "sdy.sharding_group": "it has no results",
    "sdy.named_computation": "its region needs an interpreter",
    "sdy.manual_computation": "its region needs an interpreter",
    "sdy.return": "it ends a block",
}
"""Ops that cannot be called on their own, and why."""
