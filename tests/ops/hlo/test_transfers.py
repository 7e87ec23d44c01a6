"""infeed, outfeed, send and recv: their tuples, and that a run of one process stops at them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.errors import RunError
from engine.indexing import UNDEFINED
from engine.ir.types import TokenType, TupleType, Type
from engine.ops.checking import first_broken
from engine.ops.collective_rules import ChannelHandle
from engine.ops.hlo.starting import U32
from engine.ops.hlo.transfers import Infeed, Outfeed, Recv, RecvDone, Send, SendDone
from engine.ops.op import Op
from engine.ops.process_groups import IdTable
from engine.ops.values import leaves, token, tuple_of

from ..building import same_bits, tensor
from .running import main, results

ROW, TOKEN = tensor("2xf32"), TokenType()
STARTED = TupleType((ROW, U32, TOKEN))
CHANNEL = ChannelHandle(3, 1)


def of(*types: Type) -> TupleType:
    return TupleType(types)


WELL_FORMED: list[tuple[Op, Type]] = [
    (Infeed(TOKEN, of(ROW, TOKEN)), of(ROW, TOKEN)),
    (Infeed(TOKEN, of(of(ROW, tensor("i32")), TOKEN), "x"), of(of(ROW, tensor("i32")), TOKEN)),
    (Outfeed(ROW, TOKEN), TOKEN),
    (Outfeed(of(ROW, ROW), TOKEN, "x"), TOKEN),
    (Send(ROW, TOKEN, STARTED, CHANNEL), STARTED),
    (SendDone(STARTED, CHANNEL), TOKEN),
    (Recv(TOKEN, STARTED, None, True, IdTable.of([0, 1])), STARTED),
    (RecvDone(STARTED, None, True), of(ROW, TOKEN)),
]


@pytest.mark.parametrize(("op", "result"), WELL_FORMED, ids=[op.name for op, _ in WELL_FORMED])
def test_well_formed(op: Op, result: Type) -> None:
    assert first_broken(op, [result]) is None


@pytest.mark.parametrize(
    ("op", "wanted"),
    [
        (
            Infeed(TOKEN, of(ROW)),
            "the result must be a tuple of a value and a token, not tuple<tensor<2xf32>>",
        ),
        (
            Infeed(TOKEN, of(of(of(ROW)), TOKEN)),
            "the value must be a tensor or a tuple of tensors, of known sizes, not tuple<tuple<tensor<2xf32>>>",
        ),
        (
            Infeed(TOKEN, of(tensor("?xf32"), TOKEN)),
            "the value must be a tensor or a tuple of tensors, of known sizes, not tensor<?xf32>",
        ),
        (
            Outfeed(TOKEN, TOKEN),
            "operand must be a tensor or a tuple of tensors, of known sizes, not !stablehlo.token",
        ),
        (
            Send(tensor("3xf32"), TOKEN, STARTED),
            "element 0 of the result must be operand, tensor<3xf32>, not tensor<2xf32>",
        ),
        (
            Send(ROW, TOKEN, of(ROW, tensor("i32"), TOKEN)),
            "the result must be a tuple of a value, tensor<ui32> and a token, "
            "not tuple<tensor<2xf32>, tensor<i32>, !stablehlo.token>",
        ),
        (
            Recv(TOKEN, STARTED, None, False, IdTable.of([0, -1])),
            "source_target_pairs [[0, -1]] must not have negative ids",
        ),
        (
            RecvDone(of(ROW, U32)),
            "operand must be a tuple of a value, tensor<ui32> and a token, not tuple<tensor<2xf32>, tensor<ui32>>",
        ),
        (SendDone(of()), "operand must be a tuple of a value, tensor<ui32> and a token, not tuple<>"),
    ],
)
def test_rules(op: Op, wanted: str) -> None:
    assert first_broken(op) == ("", wanted)


@pytest.mark.parametrize(
    ("op", "reason"),
    [
        (WELL_FORMED[0][0], "reads from an infeed queue, and this run has none"),
        (WELL_FORMED[2][0], "writes to an outfeed queue, and this run has none"),
        (
            WELL_FORMED[4][0],
            "sends to another process on channel 3, but this run has one process (1 replica x 1 partition)",
        ),
        (
            Recv(TOKEN, STARTED, CHANNEL, True),
            "receives from the host at the other end of channel 3, and this run has none",
        ),
        (Infeed(TOKEN, of(of(), TOKEN)), None),
        (WELL_FORMED[5][0], None),
        (WELL_FORMED[7][0], None),
    ],
)
def test_a_run_stops(op: Op, reason: str | None) -> None:
    assert op.unrunnable() == reason


def test_the_run_names_the_op() -> None:
    body = """
      %t = stablehlo.create_token : !stablehlo.token
      %r = "hlo.infeed"(%t) : (!stablehlo.token) -> tuple<tensor<2xf32>, !stablehlo.token>"""
    with pytest.raises(RunError, match="reads from an infeed queue") as raised:
        results(main("", body, "tuple<tensor<2xf32>, !stablehlo.token>"))
    assert raised.value.op == "hlo.infeed"


def test_of_nothing_nothing_is_read() -> None:
    body = """
      %t = stablehlo.create_token : !stablehlo.token
      %r = "hlo.infeed"(%t) : (!stablehlo.token) -> tuple<tuple<>, !stablehlo.token>"""
    (found,) = results(main("", body, "tuple<tuple<>, !stablehlo.token>"))
    assert found[0].shape == (0,)
    assert same_bits(found[1], token())


def test_what_has_come_is_given() -> None:
    value = tuple_of([np.array([1, 2], np.float32), np.zeros((), np.uint32), token()])
    found: Any = RecvDone(STARTED).evaluate(value)
    assert [part.tolist() for part in leaves(found)] == [[1, 2], []]
    assert same_bits(SendDone(STARTED).evaluate(value), token())
    assert [each.map.is_undefined for each in RecvDone(STARTED).index_maps()] == [False]
    assert [each.map for each in Recv(TOKEN, STARTED).index_maps()] == [UNDEFINED]
