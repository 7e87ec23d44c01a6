"""dynamic-reshape, and slices whose starts are one vector: against their static twins."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hloscope.engine.errors import RunError
from hloscope.engine.ops.checking import first_broken_constraint
from hloscope.engine.ops.hlo.dynamic_forms import (
    DynamicSliceByVector,
    DynamicUpdateSliceByVector,
    HloDynamicReshape,
)

from ..building import tensor
from .running import complaint, i32, results

RESHAPE = """
    ENTRY e {
      p = s32[6] parameter(0)
      a = s32[] parameter(1)
      b = s32[] parameter(2)
      q = s32[<=3,2] dynamic-reshape(p, a, b)
      ROOT s = s32[] get-dimension-size(q), dimensions={0}
    }"""


WRONG = [
    ((2, 3), "dim_sizes [2, 3], but the result is declared as s32[<=3,2]"),
    ((-3, 2), "dim_sizes [-3, 2] must not be negative"),
    ((2, 2), "operand has 6 elements and the result 4: their sizes are [6] and [2, 2]"),
]


@pytest.mark.parametrize(("sizes", "message"), WRONG)
def test_sizes_that_do_not_fit_end_the_run(sizes: tuple[int, int], message: str) -> None:
    with pytest.raises(RunError) as raised:
        results(RESHAPE, i32(range(6)), *map(i32, sizes))
    assert raised.value.message == message


def test_sizes_are_within_their_bounds() -> None:
    text = RESHAPE.replace("s32[6]", "s32[12]").replace("s32[<=3,2]", "s32[<=3,<=4]")
    with pytest.raises(RunError) as raised:
        results(text, i32(range(12)), i32(4), i32(3))
    assert raised.value.message == "the result is s32[4,3], but is declared as s32[<=3,<=4]"


def test_constant_sizes_are_known_before_the_run() -> None:
    text = RESHAPE.replace("b = s32[] parameter(2)", "b = s32[] constant(3)")
    text = text.replace("a = s32[] parameter(1)", "a = s32[] constant(2)")
    assert "dim_sizes [2, 3]" in complaint(text)


def test_a_reshape_has_a_size_for_each_dimension() -> None:
    scalar = tensor("i32")
    valid = HloDynamicReshape(tensor("6xi32"), (scalar, scalar), result=tensor("?x2xi32"))
    assert first_broken_constraint(valid) is None
    broken = [
        (
            replace(valid, dim_sizes=(scalar,)),
            "takes a size for each of 2 dimensions of the result, not 1",
        ),
        (replace(valid, dim_sizes=(scalar, tensor("i64"))), "size 1 must be tensor<i32>, not tensor<i64>"),
    ]
    assert [first_broken_constraint(op) for op, _ in broken] == [("", message) for _, message in broken]


SLICE = """
    ENTRY e {
      p = s32[4,3] parameter(0)
      i = s32[2] parameter(1)
      ROOT r = s32[2,2] dynamic-slice(p, i), dynamic_slice_sizes={2,2}
    }"""


SLICED = DynamicSliceByVector(tensor("4x3xi32"), tensor("2xi32"), (2, 2))
UPDATED = DynamicUpdateSliceByVector(tensor("4x3xi32"), tensor("2x2xi32"), tensor("2xi32"))
BROKEN = [
    (replace(SLICED, start_indices=tensor("2xf32")), "start_indices must hold integer elements, not f32"),
    (replace(SLICED, start_indices=tensor("i32")), "start_indices must have rank 1, not 0"),
    (replace(SLICED, start_indices=tensor("3xi32")), "start_indices has 3 elements for rank 2"),
    (
        replace(SLICED, slice_sizes=(2, 4)),
        "slice_sizes [2, 4] do not fit in the operand's sizes [4, 3]",
    ),
    (replace(UPDATED, start_indices=tensor("1xi32")), "start_indices has 1 elements for rank 2"),
    (
        replace(UPDATED, update=tensor("5x2xi32")),
        "update's sizes [5, 2] do not fit in the operand's [4, 3]",
    ),
]


@pytest.mark.parametrize(("op", "message"), BROKEN, ids=[message for _, message in BROKEN])
def test_broken_rules_are_named(op: DynamicSliceByVector | DynamicUpdateSliceByVector, message: str) -> None:
    assert first_broken_constraint(op) == ("", message)
