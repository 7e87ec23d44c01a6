"""infeed, outfeed, send and recv of HLO text: their tuples, what they ask, and what stands for what comes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hloscope.engine.errors import RunError
from hloscope.engine.indexing import UNDEFINED
from hloscope.engine.ir.types import TensorType, TokenType, TupleType, Type, parts
from hloscope.engine.ops.checking import first_broken_constraint
from hloscope.engine.ops.collectives.collective_rules import ChannelHandle
from hloscope.engine.ops.collectives.point_to_point import PointToPoint
from hloscope.engine.ops.core.exchanges import Arrived, GridPosition, Route
from hloscope.engine.ops.core.op import Ask, Op
from hloscope.engine.ops.core.process_groups import Grid, IdTable, ProcessId
from hloscope.engine.ops.core.values import leaves, token, tuple_of
from hloscope.engine.ops.hlo.starts_and_ends import U32
from hloscope.engine.ops.hlo.transfers import Infeed, Outfeed, Recv, RecvDone, Send, SendDone

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
    assert first_broken_constraint(op, [result]) is None


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
    assert first_broken_constraint(op) == ("", wanted)


PAIRS = IdTable.of([0, 1], [1, 0])


def asked(step: Any) -> tuple[Any, Any]:
    """The op's state, and its request."""
    assert isinstance(step, Ask)
    return step.state, step.request


def route(op: PointToPoint, replica: int, partition: int, grid: Grid) -> Any:
    return op.route(GridPosition(ProcessId(replica, partition), grid))


def test_a_channel_alone_joins_those_who_name_it() -> None:
    here = ProcessId(0, 1)
    assert route(Send(ROW, TOKEN, STARTED, CHANNEL), 0, 1, Grid(1, 2)) == Route("channel", 3, here, None)
    assert route(Recv(TOKEN, STARTED, CHANNEL), 0, 1, Grid(1, 2)) == Route("channel", 3, None, here)


def test_pairs_say_who_sends_to_whom() -> None:
    first, second = ProcessId(0, 0), ProcessId(0, 1)
    sent = Send(ROW, TOKEN, STARTED, CHANNEL, False, PAIRS)
    received = Recv(TOKEN, STARTED, CHANNEL, False, PAIRS)
    assert route(sent, 0, 0, Grid(1, 2)) == Route("channel", 3, first, second)
    assert route(received, 0, 0, Grid(1, 2)) == Route("channel", 3, second, first)
    assert route(Send(ROW, TOKEN, STARTED, CHANNEL, False, IdTable.of([0, 1])), 0, 1, Grid(1, 2)) is None
    assert route(sent, 1, 0, Grid(2, 1)) == Route("channel", 3, ProcessId(1, 0), ProcessId(0, 0))


def test_the_host_has_queues() -> None:
    here = ProcessId(0, 0)
    assert route(Send(ROW, TOKEN, STARTED, CHANNEL, True), 0, 0, Grid()) == Route("host", 3, here, None)
    assert route(Recv(TOKEN, STARTED, CHANNEL, True), 0, 0, Grid()) == Route("host", 3, None, here)


def test_what_does_not_fit_is_said() -> None:
    pair = of(of(ROW, tensor("i32")), U32, TOKEN)
    sent = Send(of(ROW, tensor("i32")), TOKEN, pair, CHANNEL)
    assert sent.mismatch(Recv(TOKEN, pair, CHANNEL)) is None
    assert sent.mismatch(Recv(TOKEN, STARTED, CHANNEL)) == (
        "what is sent is [tensor<2xf32>, tensor<i32>], but what is to be received [tensor<2xf32>]"
    )


def test_a_send_goes_on_and_is_waited_for() -> None:
    op, value = Send(ROW, TOKEN, STARTED, CHANNEL), np.array([1, 2], np.float32)
    state, request = asked(op.begin((value, token())))
    assert request.values == (value,)
    (context,) = request.placeholders
    for answer in ((), None):
        (whole,) = op.resume(state, answer)  # type: ignore[misc]
        assert whole[0] is value
        assert whole[1] is context
        assert same_bits(whole[2], token())
    done = SendDone(STARTED)
    state, request = asked(done.begin((whole,)))
    assert request.placeholder is context
    for outputs in ((), None):
        (found,) = done.resume(state, Arrived(outputs))  # type: ignore[misc]
        assert same_bits(found, token())


def test_every_transfer_has_a_number_of_its_own() -> None:
    op, value = Send(ROW, TOKEN, STARTED, CHANNEL), np.array([1, 2], np.float32)
    requests = [asked(op.begin((value, token())))[1] for _ in range(2)]
    assert requests[0].placeholders[0] is not requests[1].placeholders[0]


@pytest.mark.parametrize("payload", [ROW, of(ROW, tensor("i32")), of()])
def test_a_recv_goes_on_and_is_waited_for(payload: Type) -> None:
    op = Recv(TOKEN, of(payload, U32, TOKEN), CHANNEL)
    state, request = asked(op.begin((token(),)))
    types = parts(payload)
    assert request.types == types
    *values, context = request.placeholders
    (whole,) = op.resume(state, ())  # type: ignore[misc]
    held = leaves(whole[0])
    assert all(found is value for found, value in zip(held, values, strict=True))
    assert whole[1] is context
    assert all(not value.any() for value in values)
    done = RecvDone(of(payload, U32, TOKEN))
    state, request = asked(done.begin((whole,)))
    assert request.placeholder is context
    came = [
        np.full(found.sizes, 7, found.element_type.dtype) for found in types if isinstance(found, TensorType)
    ]
    (pair,) = done.resume(state, Arrived(tuple(came)))  # type: ignore[misc]
    assert [part.tolist() for part in leaves(pair[0])] == [part.tolist() for part in came]
    (pair,) = done.resume(state, Arrived(None))  # type: ignore[misc]
    assert pair[0] is whole[0]


def test_an_infeed_takes_all_parts_at_once() -> None:
    op = Infeed(TOKEN, of(of(ROW, tensor("i32")), TOKEN))
    state, request = asked(op.begin((token(),)))
    assert request.types == (ROW, tensor("i32"))
    (found,) = op.resume(state, (np.ones(2, np.float32), np.array(3, np.int32)))  # type: ignore[misc]
    assert [part.tolist() for part in leaves(found)] == [[1, 1], 3, []]


def test_an_outfeed_hands_over_all_parts() -> None:
    value = tuple_of([np.ones(2, np.float32), np.array(3, np.int32)])
    state, request = asked(Outfeed(of(ROW, tensor("i32")), TOKEN).begin((value, token())))
    assert [part.tolist() for part in request.values] == [[1, 1], 3]
    assert same_bits(Outfeed(ROW, TOKEN).resume(state, ())[0], token())  # type: ignore[index]


def test_the_run_names_the_op() -> None:
    body = """
      %t = stablehlo.create_token : !stablehlo.token
      %r = "hlo.infeed"(%t) : (!stablehlo.token) -> tuple<tensor<2xf32>, !stablehlo.token>"""
    with pytest.raises(RunError, match="waits for the infeed queue, which is empty") as raised:
        results(main("", body, "tuple<tensor<2xf32>, !stablehlo.token>"))
    assert raised.value.op == "hlo.infeed"


def test_of_nothing_nothing_is_read() -> None:
    body = """
      %t = stablehlo.create_token : !stablehlo.token
      %r = "hlo.infeed"(%t) : (!stablehlo.token) -> tuple<tuple<>, !stablehlo.token>"""
    (found,) = results(main("", body, "tuple<tuple<>, !stablehlo.token>"))
    assert found[0].shape == (0,)
    assert same_bits(found[1], token())
    (done,) = Outfeed(of(), TOKEN).begin((found[0], token()))  # type: ignore[misc]
    assert same_bits(done, token())


def test_maps_know_what_is_handed_on() -> None:
    assert [each.map.is_undefined for each in RecvDone(STARTED).index_maps()] == [False]
    assert [each.map.is_undefined for each in Send(ROW, TOKEN, STARTED).index_maps()] == [False]
    assert [each.map for each in Recv(TOKEN, STARTED).index_maps()] == [UNDEFINED]
