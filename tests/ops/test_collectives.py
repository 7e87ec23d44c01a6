"""Collective ops in a run of one process: its group holds it alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hloscope.engine.errors import RunError
from hloscope.engine.ops.checking import first_broken_constraint
from hloscope.engine.ops.collectives.collective_broadcast import CollectiveBroadcast
from hloscope.engine.ops.collectives.collective_reductions import AllReduce, CrossReplicaSum, ReduceScatter
from hloscope.engine.ops.collectives.collective_rules import ChannelHandle
from hloscope.engine.ops.collectives.collectives import AllGather, AllToAll, CollectivePermute
from hloscope.engine.ops.core.op import Op
from hloscope.engine.ops.core.process_groups import IdTable, ReplicaGroups
from hloscope.engine.process_grid import results_of
from tests.programs import load_program

from .building import same_bits
from .running import body_of, run, tensor

PAIR = ReplicaGroups.of([0, 1])
ALONE = ReplicaGroups.of([0])
NOBODY = ReplicaGroups.of()
CHANNEL = ChannelHandle(1, 0)
ADD = body_of("stablehlo.add", "i64")


ONE_OPERAND: dict[str, Op] = {
    "all_gather": AllGather((tensor((2, 3), "i64"),), 0, ALONE),
    "all_gather of all": AllGather((tensor((2, 3), "i64"),), 0, NOBODY, results=(tensor((2, 3), "i64"),)),
    "all_to_all": AllToAll((tensor((2, 3), "i64"),), 0, 1, 1, ALONE),
    "all_reduce": AllReduce((tensor((2, 3), "i64"),), ALONE, ADD),
    "all_reduce of all": AllReduce((tensor((2, 3), "i64"),), NOBODY, ADD),
    "all_reduce of all replicas": AllReduce((tensor((2, 3), "i64"),), ALONE, ADD, CHANNEL),
    "all_reduce by global ids": AllReduce((tensor((2, 3), "i64"),), ALONE, ADD, CHANNEL, True),
    "reduce_scatter": ReduceScatter(tensor((2, 3), "i64"), 1, ALONE, ADD),
    "collective_broadcast": CollectiveBroadcast(tensor((2, 3), "i64"), ALONE),
    "collective_permute": CollectivePermute(tensor((2, 3), "i64"), IdTable.of([0, 0])),
    "cross-replica-sum": CrossReplicaSum(tensor((2, 3), "i64"), ALONE),
}


@pytest.mark.parametrize("name", ONE_OPERAND)
def test_one_process_gets_its_own_operand(name: str) -> None:
    operand = np.arange(6).reshape(2, 3)
    assert first_broken_constraint(ONE_OPERAND[name]) is None
    (found,) = run(ONE_OPERAND[name], operand)
    assert same_bits(found, operand)


OTHERS: list[tuple[Op, str, str]] = [
    (replace(ONE_OPERAND["all_gather"], replica_groups=PAIR), "C4", "replica_groups names replica 1"),  # type: ignore[type-var]
    (replace(ONE_OPERAND["all_reduce"], replica_groups=PAIR), "C3", "replica_groups names replica 1"),  # type: ignore[type-var]
    (replace(ONE_OPERAND["reduce_scatter"], replica_groups=PAIR), "C5", "replica_groups names replica 1"),  # type: ignore[type-var]
    (
        AllToAll((tensor((2, 3), "i64"),), 0, 1, 2, PAIR, CHANNEL),
        "C7",
        "replica_groups names partition 1",
    ),
    (
        replace(ONE_OPERAND["collective_broadcast"], replica_groups=PAIR),  # type: ignore[type-var]
        "C2",
        "replica_groups names replica 1",
    ),
    (
        CollectivePermute(tensor((2, 3), "i64"), IdTable.of([0, 1])),
        "C4",
        "source_target_pairs names replica 1",
    ),
    (replace(ONE_OPERAND["cross-replica-sum"], replica_groups=PAIR), "", "replica_groups names replica 1"),  # type: ignore[type-var]
]


@pytest.mark.parametrize(("op", "label", "message"), OTHERS, ids=[op.name for op, *_ in OTHERS])
def test_other_processes_stop_the_run(op: Op, label: str, message: str) -> None:
    with pytest.raises(RunError) as raised:
        run(op, np.arange(6).reshape(2, 3))
    assert raised.value.message == f"{message}, but this run has one process (1 replica x 1 partition)"
    assert raised.value.label == label


def test_unknown_sizes_are_settled_by_the_run() -> None:
    text = """
    func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
      %r = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}
        : (tensor<?xf32>) -> tensor<?xf32>
      return %r : tensor<?xf32>
    }"""
    program = load_program(text)
    operand = np.array([1, 2], np.float32)
    (found,) = results_of(program, [operand])
    assert same_bits(found, operand)
