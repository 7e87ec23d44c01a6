"""send, recv, infeed and outfeed: along which routes they ask, and what they make of the answers."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from hloscope.engine.errors import RunError
from hloscope.engine.ir.types import TokenType, Type
from hloscope.engine.ops.collectives.collective_rules import ChannelHandle
from hloscope.engine.ops.collectives.point_to_point import Infeed, Outfeed, PointToPoint, Recv, Send
from hloscope.engine.ops.core.exchanges import GridPosition, Receive, Route
from hloscope.engine.ops.core.exchanges import Send as Handing
from hloscope.engine.ops.core.op import Ask
from hloscope.engine.ops.core.process_groups import Grid, IdTable, ProcessId
from hloscope.engine.ops.core.values import token

from .building import same_bits, tensor
from .playing import processes

ROW, NUMBER, TOKEN = tensor("2xf32"), tensor("i64"), TokenType()
CHAIN = IdTable.of([0, 1], [1, 2])
VALUE = np.array([1, 2], np.float32)


def send(*inputs: Any, pairs: IdTable | None = CHAIN, channel: int = 0, host: bool = False) -> Send:
    return Send(inputs or (ROW,), TOKEN, ChannelHandle(channel, 2 if host else 1), host, pairs)


def recv(*outputs: Type, pairs: IdTable | None = CHAIN, channel: int = 0, host: bool = False) -> Recv:
    handle = ChannelHandle(channel, 3 if host else 1)
    return Recv(TOKEN, handle, host, pairs, (*(outputs or (ROW,)), TOKEN))


def routes(op: PointToPoint, replicas: int, partitions: int = 1) -> dict[Any, Any]:
    """From where to where, for each process that takes part."""
    grid = Grid(replicas, partitions)
    found = {process: op.route(GridPosition(process, grid)) for process in processes(grid)}
    return {place: (route.source, route.target) for place, route in found.items() if route is not None}


# Routes


def test_pairs_without_a_channel_are_of_replicas_in_each_partition() -> None:
    assert routes(send(), 3) == {(0, 0): ((0, 0), (1, 0)), (1, 0): ((1, 0), (2, 0))}
    assert routes(recv(), 3) == {(1, 0): ((0, 0), (1, 0)), (2, 0): ((1, 0), (2, 0))}
    assert routes(send(pairs=IdTable.of([0, 1])), 2, 2) == {
        (0, 0): ((0, 0), (1, 0)),
        (0, 1): ((0, 1), (1, 1)),
    }


def test_pairs_with_a_channel_are_of_partitions_in_each_replica() -> None:
    pairs = IdTable.of([0, 1])
    assert routes(send(pairs=pairs, channel=4), 2, 2) == {
        (0, 0): ((0, 0), (0, 1)),
        (1, 0): ((1, 0), (1, 1)),
    }
    assert routes(recv(pairs=pairs, channel=4), 2, 2) == {
        (0, 1): ((0, 0), (0, 1)),
        (1, 1): ((1, 0), (1, 1)),
    }


def test_where_there_is_one_partition_pairs_are_of_replicas() -> None:
    assert routes(send(pairs=IdTable.of([0, 1]), channel=1), 2) == {(0, 0): ((0, 0), (1, 0))}


def test_a_route_has_its_channel() -> None:
    first = GridPosition(ProcessId(0, 0), Grid(3, 1))
    assert send().channel == 0
    assert send(channel=7).route(GridPosition(ProcessId(0, 0), Grid(1, 3))) == Route(
        "channel", 7, ProcessId(0, 0), ProcessId(0, 1)
    )
    assert send(host=True, channel=5, pairs=None).route(first) == Route("host", 5, ProcessId(0, 0), None)
    assert recv(host=True, channel=6).route(first) == Route("host", 6, None, ProcessId(0, 0))


def test_feeds_have_a_queue_at_the_other_end() -> None:
    place = GridPosition(ProcessId(1, 1), Grid(2, 2))
    assert Infeed(TOKEN, results=(ROW, TOKEN)).route(place) == Route("feed", 0, None, ProcessId(1, 1))
    assert Outfeed((ROW,), TOKEN).route(place) == Route("feed", 0, ProcessId(1, 1), None)


@pytest.mark.parametrize("pairs", [None, IdTable((), 2)])
def test_who_names_nobody_stops(pairs: IdTable | None) -> None:
    place = GridPosition(ProcessId(0, 0), Grid(2, 1))
    with pytest.raises(RunError, match=r"^nothing says to whom it sends: source_target_pairs names no pair"):
        send(pairs=pairs).route(place)
    with pytest.raises(RunError, match=r"^nothing says from whom it receives: source_target_pairs"):
        recv(pairs=pairs).route(place)


def test_processes_that_there_are_not() -> None:
    message = re.escape("source_target_pairs names replica 2, but this run has 2 processes")
    with pytest.raises(RunError, match=message) as raised:
        send().route(GridPosition(ProcessId(0, 0), Grid(2, 1)))
    assert raised.value.label == "C4"
    with pytest.raises(RunError, match="source_target_pairs names partition 2"):
        recv(channel=1).route(GridPosition(ProcessId(0, 0), Grid(1, 2)))


# What does not fit


def test_what_is_sent_is_what_is_to_be_received() -> None:
    assert send(ROW, NUMBER).mismatch(recv(ROW, NUMBER)) is None
    assert send(tensor("?xf32")).mismatch(recv(ROW)) is None
    sentence = "what is sent is [tensor<2xf32>], but what is to be received [tensor<i64>]"
    assert send(ROW).mismatch(recv(NUMBER)) == sentence
    assert recv(NUMBER).mismatch(send(ROW)) == sentence
    counts = "what is sent is [tensor<2xf32>], but what is to be received [tensor<2xf32>, tensor<i64>]"
    assert send(ROW).mismatch(recv(ROW, NUMBER)) == counts


@pytest.mark.parametrize(
    ("came", "shown"),
    [
        ((np.zeros(3, np.float32),), "[float32[3]]"),
        ((np.zeros(2, np.int32),), "[int32[2]]"),
        ((VALUE, VALUE), "[float32[2], float32[2]]"),
        ((), "[]"),
    ],
)
def test_what_comes_is_of_the_types_that_are_stated(came: tuple[Any, ...], shown: str) -> None:
    message = re.escape(f"the received values are {shown}, but the op expects [tensor<2xf32>]")
    for op in (recv(), Infeed(TOKEN, results=(ROW, TOKEN))):
        with pytest.raises(RunError, match=message):
            op.resume(None, came)


# Asking


def request(step: Any) -> Any:
    assert isinstance(step, Ask)
    return step.request


@pytest.mark.parametrize("op", [send(ROW, NUMBER), Outfeed((ROW, NUMBER), TOKEN)])
def test_a_sender_hands_over_all_but_the_token(op: PointToPoint) -> None:
    number = np.array(7)
    asked = request(op.begin((VALUE, number, token())))
    assert isinstance(asked, Handing)
    assert asked.placeholders == ()
    assert asked.values[0] is VALUE
    assert asked.values[1] is number
    for answer in ((), None):
        (found,) = op.resume(None, answer)  # type: ignore[misc]
        assert same_bits(found, token())


@pytest.mark.parametrize("op", [recv(ROW, NUMBER), Infeed(TOKEN, results=(ROW, NUMBER, TOKEN))])
def test_a_receiver_says_what_it_wants(op: PointToPoint) -> None:
    assert request(op.begin((token(),))) == Receive((ROW, NUMBER))
    first, second, last = op.resume(None, (VALUE, np.array(7)))  # type: ignore[misc]
    assert first is VALUE
    assert second == 7
    assert same_bits(last, token())


def test_who_is_no_target_gets_zeros() -> None:
    quantized = tensor("2xq8b")
    zeros, stored, last = recv(ROW, quantized).resume(None, None)  # type: ignore[misc]
    assert same_bits(zeros, np.zeros(2, np.float32))
    assert same_bits(stored, np.array([3, 3], np.int8))
    assert same_bits(last, token())


@pytest.mark.parametrize("op", [Infeed(TOKEN, results=(TOKEN,)), Outfeed((), TOKEN)])
def test_of_nothing_nothing_goes_through_a_queue(op: PointToPoint) -> None:
    (found,) = op.begin((token(),))  # type: ignore[misc]
    assert same_bits(found, token())


def test_a_signal_without_values_is_sent_all_the_same() -> None:
    nothing = Send((), TOKEN, ChannelHandle(0, 1), False, CHAIN)
    assert request(nothing.begin((token(),))) == Handing(())
    assert request(Recv(TOKEN, ChannelHandle(0, 1), False, CHAIN, (TOKEN,)).begin((token(),))) == Receive(())


def test_elements_are_moved_and_nothing_is_computed() -> None:
    sent, received = send(), recv()
    assert (sent.cost(sent.operand_types, (TOKEN,)).flops, sent.cost((), (TOKEN,)).result_bytes) == (0, 0)
    cost = received.cost((TOKEN,), received.results)
    assert (cost.flops, cost.result_bytes) == (0, 8)
