"""Calls of Shardy's ops."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from hloscope.engine.ir.attributes import DenseAttribute, OpaqueAttribute
from hloscope.engine.ops.sharding.shardy_ops import (
    AllGather,
    AllReduce,
    AllSlice,
    AllToAll,
    CollectivePermute,
    DataFlowEdge,
    FunctionDataFlowEdge,
    PropagationBarrier,
    ReduceScatter,
    ReplicatedToUnreduced,
    Reshard,
    ShardedToUnreduced,
    ShardingConstraint,
    ShardyConstant,
)
from hloscope.engine.sharding.notation.shardy import ShardySharding
from tests.ops.running import type_of

from .drawing import Case, Cases, Draw, of_i32, shapes

SHARDING = ShardySharding("mesh")
AXES = OpaqueAttribute('#sdy<axis_ref_list{"x"}>')
COLLECTIVES: dict[Any, dict[str, Any]] = {
    AllGather: {"gathering_axes": AXES},
    AllSlice: {"slicing_axes": AXES},
    AllReduce: {"reduction_axes": AXES},
    ReduceScatter: {"reduce_scatter_axes": AXES},
    AllToAll: {"params": AXES},
    CollectivePermute: {},
    ReplicatedToUnreduced: {"axes": AXES},
    ShardedToUnreduced: {"axes": AXES},
}


@st.composite
def placed(draw: Draw, kind: Any, *stated: Any, **axes: Any) -> Case:
    found, operand = of_i32(draw, draw(shapes))
    return Case(kind(found, *stated, **axes), (operand,))


@st.composite
def barriers(draw: Draw) -> Case:
    found, operand = of_i32(draw, draw(shapes))
    return Case(PropagationBarrier(found, draw(st.integers(0, 2))), (operand,))


@st.composite
def constants(draw: Draw) -> Case:
    value = np.arange(draw(st.integers(1, 5)), dtype=np.int32)
    return Case(ShardyConstant(DenseAttribute(type_of(value), value), type_of(value)), ())


CASES: dict[str, Cases] = {
    **{kind.name: placed(kind, SHARDING) for kind in (ShardingConstraint, Reshard, DataFlowEdge)},
    **{kind.name: placed(kind, SHARDING, **axes) for kind, axes in COLLECTIVES.items()},
    FunctionDataFlowEdge.name: placed(FunctionDataFlowEdge),
    ShardyConstant.name: constants(),
    PropagationBarrier.name: barriers(),
}

WITHOUT_CASES = {
    "sdy.sharding_group": "it has no results",
    "sdy.named_computation": "its region needs an interpreter",
    "sdy.manual_computation": "its region needs an interpreter",
    "sdy.return": "it ends a block",
}
"""Ops that cannot be called on their own, and why."""
