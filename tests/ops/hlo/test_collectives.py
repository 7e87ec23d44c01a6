"""all-to-all in both forms, collective ops of several operands, and those in two parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hloscope.engine.errors import RunError
from hloscope.engine.ir.types import TensorType, TupleType, Type
from hloscope.engine.ops.checking import first_broken_constraint
from hloscope.engine.ops.collectives.collective_rules import CollectiveOp
from hloscope.engine.ops.core.op import Array, Op
from hloscope.engine.ops.core.process_groups import Grid, IdTable, ProcessId, ReplicaGroups
from hloscope.engine.ops.core.values import leaves, tuple_of
from hloscope.engine.ops.hlo.all_to_all import AllToAll, AllToAllTuple
from hloscope.engine.ops.hlo.collective_starts import (
    AllGatherDone,
    AllGatherStart,
    AllReduceStart,
    CollectivePermuteDone,
    CollectivePermuteStart,
)
from hloscope.engine.ops.hlo.in_place_permute import CollectivePermuteInPlace
from hloscope.engine.ops.hlo.several_operands import CollectiveBroadcasts, CollectivePermutes, ReduceScatters
from hloscope.engine.ops.hlo.starts_and_ends import U32

from ..building import tensor
from ..playing import play
from ..running import body_of, doubled_sum, run

ALONE, NOBODY, PAIR = ReplicaGroups.of([0]), ReplicaGroups.of(), ReplicaGroups.of([0, 1])
SELF, NO_PAIRS = IdTable.of([0, 0]), IdTable((), 2)
ADD = body_of("stablehlo.add", "i64")


def i64(values: Any) -> Array:
    return np.array(values, np.int64)


def of(*shape: int | None) -> TensorType:
    return tensor("".join(f"{'?' if size is None else size}x" for size in shape) + "i64")


def message(op: Op, *results: Type) -> str | None:
    broken = first_broken_constraint(op, results or None)
    return broken and broken[1]


def two(op: CollectiveOp, *brought: tuple[Array, ...]) -> list[list[Any]]:
    """What two replicas get."""
    found = play(op, Grid(2), {ProcessId(k, 0): given for k, given in enumerate(brought)})
    return [[value.tolist() for value in results] for results in found.values()]


def test_a_process_alone_has_one_operand() -> None:
    op = AllToAllTuple((of(2), of(2)), NOBODY)
    assert message(op) is None
    with pytest.raises(RunError, match="a group of 1 processes needs as many operands, not 2"):
        run(op, i64([1, 2]), i64([3, 4]))
    with pytest.raises(RunError, match="names replica 1, but this run has one process"):
        run(AllToAll(of(2), 0, PAIR), i64([1, 2]))


@pytest.mark.parametrize(
    ("op", "wanted"),
    [
        (AllToAll(of(3), 1, ALONE), "dimension 1 is outside rank 1"),
        (AllToAll(of(3), -1, ALONE), "dimension -1 is outside rank 1"),
        (AllToAll(of(3), 0, PAIR), "dimension 0 (size 3) cannot be split among 2 processes"),
        (AllToAll(of(3), 0, ReplicaGroups.of([1, 1])), "replica_groups [[1, 1]] has an id twice"),
        (AllToAllTuple((), ALONE), "needs at least one operand"),
        (AllToAllTuple((of(3),), PAIR), "a group of 2 processes needs as many operands, not 1"),
        (
            AllToAllTuple((of(3), of(2)), PAIR),
            "operands must be of one type, but operand 1 is tensor<2xi64>, not tensor<3xi64>",
        ),
    ],
)
def test_all_to_all_has_rules(op: Op, wanted: str) -> None:
    assert message(op) == wanted


def test_all_to_all_keeps_the_shape() -> None:
    assert message(AllToAll(of(4), 0, PAIR), of(2)) == "the result must have shape [4], not [2]"


def test_each_operand_has_its_rules() -> None:
    op = ReduceScatters((of(2), of()), 0, ALONE, ADD)
    assert message(op) == "operand 1: scatter_dimension 0 is outside rank 0"
    assert message(CollectivePermutes((), SELF)) == "needs at least one operand"
    wanted = "a source is twice in [[0, 1], [0, 2]]"
    assert message(CollectivePermutes((of(2),), IdTable.of([0, 1], [0, 2]))) == wanted
    wrong = CollectiveBroadcasts((of(2),), ALONE)
    assert message(wrong, of(3)) == "the result must have shape [2], not [3]"


def test_all_gather_start_gives_operand_and_result() -> None:
    op = AllGatherStart((of(2),), TupleType((of(2), of(4))), 0, PAIR)
    assert message(op, op.result) is None
    alone = AllGatherStart((of(2),), TupleType((of(2), of(2))), 0, NOBODY)
    (found,) = run(alone, i64([1, 2]))
    assert [value.tolist() for value in leaves(found)] == [[1, 2], [0, 0]]  # which stands for what will come
    done = AllGatherDone(alone.result)
    assert message(done, of(2)) is None
    assert run(done, found)[0].tolist() == [1, 2]
    assert [(each.operand, each.result) for each in alone.index_maps()] == [(0, 0), (0, 1)]
    assert [(each.operand, each.result) for each in alone.inverse_index_maps()] == [(0, 0), (0, 1)]


@pytest.mark.parametrize("context", [(), (U32, U32)])
def test_collective_permute_start(context: tuple[Type, ...]) -> None:
    op = CollectivePermuteStart((of(2),), TupleType((of(2), of(2), *context)), NO_PAIRS)
    assert message(op, op.result) is None
    (found,) = run(op, i64([1, 2]))
    assert [value.tolist() for value in leaves(found)] == [[1, 2], [0, 0], *([0] * len(context))]
    assert run(CollectivePermuteDone(op.result), found)[0].tolist() == [0, 0]


def test_what_needs_its_computation_run_is_waited_for_at_the_start() -> None:
    op = AllReduceStart((of(2),), NOBODY, doubled_sum())
    assert not op.deferrable
    assert run(op, i64([1, 2]))[0].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("op", "wanted"),
    [
        (
            AllGatherStart((of(2),), TupleType((of(2),)), 0, PAIR),
            "the result must be a tuple of the operands and the output, not tuple<tensor<2xi64>>",
        ),
        (
            AllGatherStart((of(2),), TupleType((of(4), of(4))), 0, PAIR),
            "element 0 of the result must be the operands, tensor<2xi64>, not tensor<4xi64>",
        ),
        (
            AllGatherStart((of(2),), TupleType((of(2), of(2))), 0, PAIR),
            "element 1 of the result must be the output, tensor<4xi64>, not tensor<2xi64>",
        ),
        (
            AllGatherStart((of(2),), TupleType((of(2), of(4))), 1, PAIR),
            "all_gather_dim 1 is outside rank 1 of operand 0",
        ),
        (AllGatherStart((), TupleType((TupleType(()),) * 2), 0, PAIR), "needs at least one operand"),
        (
            AllGatherStart((TupleType(()),), TupleType((TupleType(()),) * 2), 0, PAIR),
            "operand 0 must be a tensor, not tuple<>",
        ),
        (
            CollectivePermuteStart((of(2),), TupleType((of(2), of(2), of(None))), SELF),
            "element 2 of the result must be of tensors of known sizes or tokens, not tensor<?xi64>",
        ),
        (
            CollectivePermuteStart((of(2),), TupleType((of(2), of(2))), SELF, None, ((1,),)),
            "with slice_sizes there are 4 operands, not 1",
        ),
        (
            CollectivePermuteStart((of(2),) * 4, TupleType((of(2), of(2))), SELF, None, ((1,),)),
            "operand 2 must be a tuple of indices, not tensor<2xi64>",
        ),
        (
            AllGatherDone(TupleType((of(2),))),
            "operand must be a tuple of the operands and the output, not tuple<tensor<2xi64>>",
        ),
    ],
)
def test_starts_have_rules(op: Op, wanted: str) -> None:
    assert message(op) == wanted


I32 = tensor("i32")
INDEX = TupleType((I32, I32))


def index(*numbers: int) -> Array:
    return tuple_of([np.array(number, np.int32) for number in numbers])


def in_place(**changes: Any) -> CollectivePermuteInPlace:
    fields = {
        "input": of(2, 3),
        "output": of(3, 4),
        "input_start_indices": INDEX,
        "output_start_indices": INDEX,
        "source_target_pairs": SELF,
        "slice_sizes": ((1, 2),),
    }
    return CollectivePermuteInPlace(**{**fields, **changes})


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        (
            {"input": INDEX},
            "input and output must be as many tensors, not tuple<tensor<i32>, tensor<i32>> and tensor<3x4xi64>",
        ),
        ({"input": of(None, 3)}, "input must be of tensors of known sizes, not tensor<?x3xi64>"),
        ({"output": tensor("3x4xf32")}, "output holds f32, the input for it i64"),
        (
            {"input_start_indices": TupleType((I32,))},
            "input_start_indices must be integers, one for each dimension of tensor<2x3xi64>, not [tensor<i32>]",
        ),
        (
            {"output_start_indices": TupleType((INDEX, INDEX))},
            "output_start_indices has 2 slices, but slice_sizes 1",
        ),
        (
            {"input_start_indices": TupleType((of(2), of(2)))},
            "input_start_indices must be integers, one for each dimension of tensor<2x3xi64>, "
            "not [tensor<2xi64>, tensor<2xi64>]",
        ),
        ({"slice_sizes": ((3, 1),)}, "a slice of [3, 1] does not fit into tensor<2x3xi64>"),
        ({"slice_sizes": ((-1, 1),)}, "a slice of [-1, 1] does not fit into tensor<2x3xi64>"),
        ({"slice_sizes": ((1,),)}, "a slice of [1] does not fit into tensor<2x3xi64>"),
        ({"source_target_pairs": IdTable.of([0, 1], [2, 1])}, "a target is twice in [[0, 1], [2, 1]]"),
    ],
)
def test_permutes_in_place_have_rules(changes: dict[str, Any], wanted: str) -> None:
    assert message(in_place(**changes)) == wanted


def test_tensors_without_dimensions_are_sent_whole() -> None:
    op = in_place(
        input=of(),
        output=of(),
        slice_sizes=((),),
        input_start_indices=TupleType(()),
        output_start_indices=TupleType(()),
    )
    assert message(op) is None
    (found,) = run(op, i64(3), i64(4), index(), index())
    assert found == 3
