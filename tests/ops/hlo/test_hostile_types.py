"""Whatever types and numbers a program states, HLO's own ops answer by a rule, never by a Python exception."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hloscope.engine.ir.attributes import ArrayAttribute, BoolAttribute, DenseAttribute
from hloscope.engine.ir.types import TensorType, TokenType, TupleType, Type
from hloscope.engine.ops.checking import first_broken_constraint
from hloscope.engine.ops.collectives.collective_rules import ChannelHandle
from hloscope.engine.ops.core.op import Op
from hloscope.engine.ops.core.process_groups import IdTable, ReplicaGroups
from hloscope.engine.ops.hlo.all_to_all import AllToAll, AllToAllTuple
from hloscope.engine.ops.hlo.async_computations import AsyncDone, AsyncStart, AsyncUpdate
from hloscope.engine.ops.hlo.collective_starts import (
    AllGatherDone,
    AllGatherStart,
    AllReduceStart,
    CollectivePermuteDone,
    CollectivePermuteStart,
)
from hloscope.engine.ops.hlo.computations import Conditional
from hloscope.engine.ops.hlo.copies import CopyDone, CopyStart
from hloscope.engine.ops.hlo.in_place_permute import CollectivePermuteInPlace
from hloscope.engine.ops.hlo.several_operands import CollectiveBroadcasts, CollectivePermutes, ReduceScatters
from hloscope.engine.ops.hlo.transfers import Infeed, Outfeed, Recv, RecvDone, Send, SendDone
from hloscope.engine.ops.hlo.tuple_values import TupleConstant, TupleSelect

from ..building import region, tensor
from ..running import body_of

TOKEN = TokenType()
small = st.integers(-2, 3)
tensors = st.sampled_from(
    [tensor(text) for text in ("i32", "ui32", "i1", "2xi32", "?xi32", "0xf32", "2x3xf32", "i64")]
)
types: st.SearchStrategy[Type] = st.recursive(
    tensors | st.just(TOKEN),
    lambda inner: st.lists(inner, max_size=4).map(lambda found: TupleType(tuple(found))),
    max_leaves=6,
)
tuples = st.lists(types, max_size=4).map(lambda found: TupleType(tuple(found)))
operands = st.lists(tensors, max_size=3).map(tuple)
values = st.lists(types, max_size=4).map(tuple)
groups = st.sampled_from(
    [ReplicaGroups.of(), ReplicaGroups.of([0]), ReplicaGroups.of([0, 1]), ReplicaGroups((), 2)]
)
pairs = st.sampled_from([IdTable((), 0), IdTable((), 2), IdTable.of([0, 0]), IdTable.of([0, 1], [0, -1])])
channels = st.sampled_from([None, ChannelHandle(0, 0), ChannelHandle(1, 1)])
bodies = st.sampled_from(
    [body_of("stablehlo.add", "i32"), region(), region(["i32"], ["i32"]), region(["2xi32"], ["i32"] * 2)]
)
slices = st.lists(st.lists(small, max_size=3).map(tuple), max_size=3).map(tuple) | st.sampled_from(
    [((),), ((1, 2),)]
)
literals = st.recursive(
    st.sampled_from(
        [DenseAttribute(tensor("i32"), tensor("i32").element_type.dtype.type(3)), BoolAttribute(True)]
    ),
    lambda inner: st.lists(inner, max_size=3).map(lambda found: ArrayAttribute(tuple(found))),
    max_leaves=4,
).filter(lambda found: isinstance(found, ArrayAttribute))

ROW, ONE, INDEX = tensor("2x3xf32"), tensor("i32"), TupleType((tensor("i32"), tensor("i32")))
NEARLY = [(ROW,), (ROW, ROW), (ROW, ROW, INDEX, INDEX), (ONE, ONE, TupleType(()), TupleType(())), (ONE,)]
nearly = values | st.sampled_from(NEARLY)
"""Valid operands of ops that start something: random ones are rarely valid."""
_SINGLE = [found[0] for found in NEARLY]
tuples = tuples | st.sampled_from(
    [
        INDEX,
        TupleType(()),
        *(TupleType((first, second)) for first in _SINGLE for second in _SINGLE),
        *(TupleType((found, TOKEN)) for found in _SINGLE),
        *(TupleType((found, tensor("ui32"), TOKEN)) for found in _SINGLE),
        *(TupleType((found, found, tensor("ui32"))) for found in _SINGLE),
        *(TupleType((TupleType(found), last)) for found in NEARLY for last in (ROW, ONE, TupleType(found))),
    ]
)
types = types | st.sampled_from([*_SINGLE, TupleType((ROW, ROW))])

OPS: st.SearchStrategy[Any] = st.one_of(
    st.builds(CopyStart, types, small),
    st.builds(CopyDone, tuples),
    st.builds(Conditional, tensors, nearly, st.lists(bodies, max_size=3).map(tuple)),
    st.builds(AsyncStart, nearly, bodies, tuples),
    st.builds(AsyncUpdate, tuples),
    st.builds(AsyncDone, tuples),
    st.builds(AllToAll, tensors, small, groups, channels),
    st.builds(AllToAllTuple, operands, groups, channels),
    st.builds(CollectiveBroadcasts, operands, groups, channels),
    st.builds(CollectivePermutes, operands, pairs, channels),
    st.builds(ReduceScatters, operands, small, groups, bodies, channels, st.booleans(), operands),
    st.builds(CollectivePermuteInPlace, types, types, tuples, tuples, pairs, slices, channels),
    st.builds(AllGatherStart, nearly, tuples, small, groups, channels, st.booleans()),
    st.builds(AllGatherDone, tuples),
    st.builds(AllReduceStart, operands, groups, bodies, channels, st.booleans()),
    st.builds(CollectivePermuteStart, nearly, tuples, pairs, channels, st.none() | slices),
    st.builds(CollectivePermuteDone, tuples),
    st.builds(Infeed, st.just(TOKEN), tuples),
    st.builds(Outfeed, types, st.just(TOKEN)),
    st.builds(Send, types, st.just(TOKEN), tuples, channels, st.booleans(), st.none() | pairs),
    st.builds(SendDone, tuples),
    st.builds(Recv, st.just(TOKEN), tuples, channels, st.booleans(), st.none() | pairs),
    st.builds(RecvDone, tuples),
    st.builds(TupleConstant, literals, tuples),
    st.builds(TupleSelect, tensors, tuples, tuples),
)


@given(OPS, types)
def test_rules_never_raise(op: Op, result: Type) -> None:
    broken = first_broken_constraint(op)
    if broken is None:
        assert op.infer() is not None
        stated = first_broken_constraint(op, [result])
        assert stated is None or stated[1]
        _ask(op)


def _ask(op: Op) -> None:
    """Call the other methods of an op whose rules hold; costs and maps only on types of known sizes."""
    reason, inferred = op.unrunnable(), op.infer()
    assert reason is None or reason
    results: tuple[Any, ...] = inferred if isinstance(inferred, tuple) else (inferred,)
    results = vars(op).get("results") or results
    known = all(found.is_static for found in (*op.operand_types, *results) if isinstance(found, TensorType))
    if known and first_broken_constraint(op, results) is None:
        assert op.cost(op.operand_types, results).flops >= 0
        assert all(found.operand >= 0 for found in (*op.index_maps(), *op.inverse_index_maps()))
