"""ragged-all-to-all and collective-reduce: what processes of a group get, and what a run of one process does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hloscope.engine.errors import RunError
from hloscope.engine.ops.checking import first_broken_constraint
from hloscope.engine.ops.collectives.collective_reductions import CollectiveReduce
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.core.process_groups import ReplicaGroups
from hloscope.engine.ops.hlo.ragged_all_to_all import RaggedAllToAll

from ..building import region, tensor
from ..running import body_of
from .running import f32, i32, results

PAIR = ReplicaGroups.of([0, 1])


def op(given: str, made: str, places: str, groups: ReplicaGroups = PAIR) -> RaggedAllToAll:
    place = tensor(places)
    return RaggedAllToAll(tensor(given), tensor(made), place, place, place, place, groups)


def operands(given: list[float], *vectors: list[int]) -> tuple[Array, ...]:
    return f32(given), f32([0, 0, 0, 0]), *map(i32, vectors)


ALONE = """
    ENTRY e {
      p = f32[5] parameter(0)
      q = f32[4] parameter(1)
      a = s32[1] parameter(2)
      b = s32[1] parameter(3)
      c = s32[1] parameter(4)
      d = s32[1] parameter(5)
      ROOT r = f32[4] ragged-all-to-all(p, q, a, b, c, d), replica_groups={{0}}
    }"""
GIVEN, MADE = f32([1, 2, 3, 4, 5]), f32([-1] * 4)


WRONG = [
    ((2, 2, 1, 3), "process 0 of the group sends 2 elements where recv_sizes expects 3"),
    ((4, 2, 1, 2), "process 0 of the group sends 2 elements at 4 of input, which has 5 along dimension 0"),
    ((0, 2, 3, 2), "process 0 of the group sends 2 elements at 3 of output, which has 4 along dimension 0"),
    ((-1, 2, 0, 2), "process 0 of the group sends 2 elements at -1 of input, which has 5 along dimension 0"),
    ((0, -2, 0, -2), "process 0 of the group sends -2 elements at 0 of input, which has 5 along dimension 0"),
]


@pytest.mark.parametrize(("places", "message"), WRONG)
def test_slices_that_do_not_fit_end_the_run(places: tuple[int, ...], message: str) -> None:
    with pytest.raises(RunError) as raised:
        results(ALONE, GIVEN, MADE, *(i32([place]) for place in places))
    assert raised.value.message == message


VALID = op("3x2xf32", "4x2xf32", "2xi32")
BROKEN = [
    (replace(VALID, input=tensor("f32")), "input has no dimension: its rank must be at least 1"),
    (
        replace(VALID, output=tensor("4x3xf32")),
        "input is tensor<3x2xf32>, output tensor<4x3xf32>: they may differ in dimension 0 only",
    ),
    (
        replace(VALID, output=tensor("4x2xi32")),
        "input is tensor<3x2xf32>, output tensor<4x2xi32>: they may differ in dimension 0 only",
    ),
    (replace(VALID, send_sizes=tensor("2xf32")), "send_sizes must hold integer elements, not f32"),
    (replace(VALID, recv_sizes=tensor("i32")), "recv_sizes must have rank 1 or 2, not 0"),
    (
        replace(VALID, output_offsets=tensor("4xi32")),
        "input_offsets has shape [2], output_offsets [4]: they must be equal",
    ),
    (
        replace(VALID, replica_groups=ReplicaGroups.of([0, 0])),
        "replica_groups [[0, 0]] has an id twice",
    ),
    (op("3xf32", "4xf32", "3xi32"), "3 slices cannot be shared out among 2 processes"),
    (op("3xf32", "4xf32", "3x2xi32"), "there are slices for 3 processes, but the group has 2"),
]


@pytest.mark.parametrize(("exchange", "message"), BROKEN, ids=[message for _, message in BROKEN])
def test_broken_rules_are_named(exchange: RaggedAllToAll, message: str) -> None:
    assert first_broken_constraint(exchange) == ("", message)


def test_in_an_open_group_there_are_slices_for_one() -> None:
    text = ALONE.replace("s32[1]", "s32[2,1]").replace("{{0}}", "{}")
    with pytest.raises(RunError) as raised:
        results(text, GIVEN, MADE, *[np.zeros((2, 1), np.int32)] * 4)
    assert raised.value.message == "there are slices for 2 processes, but the group has 1"


# collective-reduce


def test_collective_reduce_has_rules() -> None:
    valid = CollectiveReduce((tensor("2xf32"),), PAIR, body_of("stablehlo.add", "f32"))
    assert first_broken_constraint(valid, [tensor("2xf32")]) is None
    broken = [
        (
            replace(valid, replica_groups=ReplicaGroups.of([0, 0])),
            "replica_groups [[0, 0]] has an id twice",
        ),
        (
            replace(valid, computation=region(["f32"], ["f32"])),
            "computation must take 2 arguments, not 1",
        ),
        (
            replace(valid, use_global_device_ids=True),
            "use_global_device_ids needs a channel: the handle must be positive, not 0",
        ),
    ]
    assert [first_broken_constraint(found) for found, _ in broken] == [("", message) for _, message in broken]
