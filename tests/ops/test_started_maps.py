"""Maps of what starts something and of what waits for it: which element of which tuple becomes which."""

from __future__ import annotations

import pytest

from hloscope.engine.indexing import UNDEFINED, IndexMap
from hloscope.engine.ir.types import FutureType, TokenType, TupleType
from hloscope.engine.ops.control_flow.async_ops import AsyncDone
from hloscope.engine.ops.core.op import Op
from hloscope.engine.ops.core.process_groups import IdTable, ReplicaGroups
from hloscope.engine.ops.hlo.async_computations import AsyncDone as HloAsyncDone
from hloscope.engine.ops.hlo.async_computations import AsyncStart as HloAsyncStart
from hloscope.engine.ops.hlo.collective_starts import (
    AllGatherDone,
    AllGatherStart,
    CollectivePermuteDone,
    CollectivePermuteStart,
)
from hloscope.engine.ops.hlo.starts_and_ends import U32
from hloscope.engine.ops.hlo.transfers import Infeed, Recv, RecvDone, Send

from .running import body_of, tensor

A, B, C = tensor((2,), "i32"), tensor((3, 1), "i32"), tensor((4,), "i32")
TOKEN = TokenType()
SENT = TupleType((TupleType((A, B)), U32, TOKEN))
FORWARDED: dict[str, tuple[Op, set[tuple[int, int]]]] = {
    "done of one": (AllGatherDone(TupleType((A, C))), {(1, 0)}),
    "done of several": (AllGatherDone(TupleType((TupleType((A, B)), TupleType((B, C))))), {(2, 0), (3, 1)}),
    "done with what XLA keeps": (CollectivePermuteDone(TupleType((A, C, U32, U32))), {(1, 0)}),
    "async-done": (HloAsyncDone(TupleType((TupleType((A, B)), TupleType((C, A)), U32))), {(2, 0), (3, 1)}),
    "stablehlo.async_done": (AsyncDone(FutureType((C,))), {(0, 0)}),
    "send": (Send(TupleType((A, B)), TOKEN, SENT), {(0, 0), (1, 1)}),
    "recv-done": (RecvDone(SENT), {(0, 0), (1, 1)}),
}


@pytest.mark.parametrize("name", FORWARDED)
def test_values_are_handed_on(name: str) -> None:
    op, wanted = FORWARDED[name]
    for maps in (list(op.index_maps()), list(op.inverse_index_maps())):
        assert {(item.operand, item.result) for item in maps} == wanted
        for item in maps:
            assert item.map == IndexMap.identity([interval.size for interval in item.map.dimensions])
            assert item.place is None


def test_a_start_gives_its_operands_again_and_what_comes_out() -> None:
    result = TupleType((TupleType((A, A)), TupleType((C, C))))
    start = AllGatherStart((A, A), result, 0, ReplicaGroups.of([0, 1]))
    maps = {(item.operand, item.result): item.place is not None for item in start.index_maps()}
    assert maps == {(0, 0): False, (1, 1): False, (0, 2): True, (1, 3): True}
    permute = CollectivePermuteStart((A,), TupleType((A, A, U32, U32)), IdTable.of([0, 1]))
    assert {(item.operand, item.result) for item in permute.inverse_index_maps()} == {(0, 0), (0, 1)}


def test_what_a_computation_gives_is_unknown_to_its_start() -> None:
    result = TupleType((TupleType((C, C)), C, U32))
    start = HloAsyncStart((C, C), body_of("stablehlo.add", "i32"), result)
    maps = {(item.operand, item.result): item.map.is_undefined for item in start.index_maps()}
    assert maps == {(0, 0): False, (1, 1): False, (0, 2): True, (1, 2): True}


@pytest.mark.parametrize("op", [Recv(TOKEN, SENT), Infeed(TOKEN, TupleType((TupleType((A, B)), TOKEN)))])
def test_what_comes_from_elsewhere_is_opaque(op: Op) -> None:
    for maps in (op.index_maps(), op.inverse_index_maps()):
        assert [(item.result, item.map) for item in maps] == [(0, UNDEFINED), (1, UNDEFINED)]
