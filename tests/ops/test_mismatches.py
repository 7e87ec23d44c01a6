"""What differs between two ops that meet."""

from __future__ import annotations

from dataclasses import replace

from hloscope.engine.ir.types import TensorType, TupleType
from hloscope.engine.ops.collectives.collective_reductions import AllReduce, CollectiveReduce, ReduceScatter
from hloscope.engine.ops.collectives.collective_rules import ChannelHandle, CollectiveOp
from hloscope.engine.ops.collectives.collectives import AllGather, AllToAll, CollectivePermute
from hloscope.engine.ops.core.process_groups import IdTable, ReplicaGroups
from hloscope.engine.ops.hlo.all_to_all import AllToAllTuple
from hloscope.engine.ops.hlo.collective_starts import AllGatherStart, AllReduceStart, CollectivePermuteStart
from hloscope.engine.ops.hlo.in_place_permute import CollectivePermuteInPlace
from hloscope.engine.ops.hlo.several_operands import CollectivePermutes
from hloscope.engine.ops.packed import PackedCollective
from tests.each import for_each

from .building import QUANTIZED
from .running import BodyBuilder, body_of, disguised, doubled_sum, tensor

PAIR, SWAP = ReplicaGroups.of([0, 1]), IdTable.of([0, 1], [1, 0])
ADD = body_of("stablehlo.add", "f32")
FOUR, EIGHT = tensor((4,)), tensor((8,))
GATHER = AllGather((FOUR,), 0, PAIR)
REDUCE = AllReduce((FOUR,), PAIR, ADD)
PERMUTE = CollectivePermute(FOUR, SWAP)
INDEX = TupleType((tensor((), "i32"),))
IN_PLACE = CollectivePermuteInPlace(FOUR, FOUR, INDEX, INDEX, SWAP, ((2,),))
QUANTIZED_TYPE = TensorType((4,), QUANTIZED["q8"])

DIFFERENT: list[tuple[CollectiveOp, CollectiveOp, str]] = [
    (GATHER, REDUCE, "all_gather here, all_reduce there"),
    (GATHER, replace(GATHER, operands=(EIGHT,)), "operand is tensor<4xf32> here and tensor<8xf32> there"),
    (
        AllGather((FOUR, FOUR), 0, PAIR),
        AllGather((FOUR, EIGHT), 0, PAIR),
        "operand 1 is tensor<4xf32> here and tensor<8xf32> there",
    ),
    (GATHER, AllGather((FOUR, FOUR), 0, PAIR), "it has 1 operand here and 2 there"),
    (AllGather((FOUR, FOUR), 0, PAIR), GATHER, "it has 2 operands here and 1 there"),
    (
        AllGather((tensor((2, 2)),), 0, PAIR),
        AllGather((tensor((2, 2)),), 1, PAIR),
        "all_gather_dim is 0 here and 1 there",
    ),
    (
        AllToAll((tensor((2, 2)),), 0, 1, 2, PAIR),
        AllToAll((tensor((2, 2)),), 0, 0, 2, PAIR),
        "concat_dimension is 1 here and 0 there",
    ),
    (
        REDUCE,
        replace(REDUCE, computation=body_of("stablehlo.maximum", "f32")),
        "it adds here and takes the maximum there",
    ),
    (
        REDUCE,
        replace(REDUCE, computation=body_of("stablehlo.add", "f64")),
        "it computes in f32 here and in f64 there",
    ),
    (
        REDUCE,
        replace(REDUCE, computation=doubled_sum("f32")),
        "its computation is another one here than there",
    ),
    (REDUCE, CollectiveReduce((FOUR,), PAIR, ADD), "all_reduce here, collective_reduce there"),
    (
        ReduceScatter(tensor((2, 2)), 0, PAIR, ADD),
        ReduceScatter(tensor((2, 2)), 1, PAIR, ADD),
        "scatter_dimension is 0 here and 1 there",
    ),
    (
        PERMUTE,
        CollectivePermute(FOUR, IdTable.of([0, 1])),
        "source_target_pairs is [[0, 1], [1, 0]] here and [[0, 1]] there",
    ),
    (
        IN_PLACE,
        replace(IN_PLACE, slice_sizes=((1,),)),
        "slice_sizes is [[2]] here and [[1]] there",
    ),
    (
        AllGatherStart((FOUR,), TupleType((FOUR, EIGHT)), 0, PAIR),
        AllReduceStart((FOUR,), PAIR, ADD),
        "all_gather here, all_reduce there",
    ),
    (
        CollectivePermuteStart((FOUR,), TupleType((FOUR, FOUR)), SWAP),
        CollectivePermutes((FOUR, FOUR), SWAP),
        "it has 1 operand here and 2 there",
    ),
    (
        PackedCollective(AllToAllTuple((FOUR, FOUR), PAIR)),
        PackedCollective(AllToAllTuple((EIGHT, EIGHT), PAIR)),
        "operand 0 is tensor<4xf32> here and tensor<8xf32> there",
    ),
]


@for_each(("here", "there", "wanted"), DIFFERENT, ids=[wanted for *_, wanted in DIFFERENT])
def test_what_differs_is_said(here: CollectiveOp, there: CollectiveOp, wanted: str) -> None:
    assert here.mismatch(there) == wanted
    assert there.mismatch(here) is not None


ALIKE: list[tuple[CollectiveOp, CollectiveOp]] = [
    (GATHER, GATHER),
    (GATHER, replace(GATHER)),
    # Who meets is settled elsewhere, and what results have to be follows from what meets.
    (GATHER, replace(GATHER, replica_groups=ReplicaGroups.of([0, 1], [3, 2]), results=(EIGHT,))),
    (GATHER, replace(GATHER, channel_handle=ChannelHandle(0, 1))),
    (GATHER, AllGatherStart((FOUR,), TupleType((FOUR, EIGHT)), 0, PAIR)),
    (REDUCE, AllReduceStart((FOUR,), PAIR, ADD)),
    (REDUCE, PackedCollective(REDUCE)),
    (REDUCE, replace(REDUCE, computation=body_of("stablehlo.add", "f32", swapped=True))),
    (replace(REDUCE, computation=doubled_sum("f32")), replace(REDUCE, computation=doubled_sum("f32"))),
    (PERMUTE, CollectivePermutes((FOUR,), SWAP)),
    (PERMUTE, CollectivePermuteStart((FOUR,), TupleType((FOUR, FOUR)), SWAP)),
    (GATHER, replace(GATHER, operands=(tensor((None,)),))),
]


@for_each(("here", "there"), ALIKE)
def test_what_fits_is_no_mismatch(here: CollectiveOp, there: CollectiveOp) -> None:
    assert here.mismatch(there) is None
    assert there.mismatch(here) is None


def test_computations_are_compared_without_names() -> None:
    renamed = BodyBuilder(*[tensor(()).element_type] * 2)
    renamed.arguments = [replace(value, name=f"{value.name}_") for value in renamed.arguments]
    a, b = renamed.arguments
    region = renamed.returning(renamed.op("stablehlo.add", renamed.op("stablehlo.add", a, a), b))
    here = replace(REDUCE, computation=doubled_sum("f32"))
    assert here.mismatch(replace(REDUCE, computation=region)) is None
    other = BodyBuilder(*[tensor(()).element_type] * 2)
    a, b = other.arguments
    region = other.returning(other.op("stablehlo.add", other.op("stablehlo.add", a, b), b))
    assert here.mismatch(replace(REDUCE, computation=region)) is not None


def test_properties_of_a_computation_count() -> None:
    regions = []
    for direction in ("GT", "LT"):
        build = BodyBuilder(*[tensor(()).element_type] * 2)
        a, b = build.arguments
        regions.append(build.returning(build.op("stablehlo.select", build.compare(direction, a, b), a, b)))
    first, second = (replace(REDUCE, computation=region) for region in regions)
    assert first.mismatch(second) == "its computation is another one here than there"


def test_quantized_computations_are_compared_by_what_they_say() -> None:
    bodies = []
    for name in ("stablehlo.add", "stablehlo.maximum"):
        build = BodyBuilder(*[QUANTIZED["q8"]] * 2)
        bodies.append(build.returning(build.op(name, *build.arguments)))
    first, second = (AllReduce((QUANTIZED_TYPE,), PAIR, body) for body in bodies)
    assert first.mismatch(second) == "its computation is another one here than there"
    assert first.mismatch(replace(first)) is None


def test_a_disguise_is_another_computation() -> None:
    assert REDUCE.mismatch(replace(REDUCE, computation=disguised("stablehlo.add", "f32"))) is not None
