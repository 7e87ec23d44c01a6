"""ragged-dot and CHLO's ragged_dot: against sums over indices, group by group."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given

from hloscope.engine.errors import RunError
from hloscope.engine.ops.checking import first_broken_constraint
from hloscope.engine.ops.contractions.dot_general import DotDimensionNumbers
from hloscope.engine.ops.contractions.ragged_dot import RaggedDot, RaggedDotDimensionNumbers
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.hlo.chlo_forms import HloRaggedDot
from tests.each import for_each

from ..building import array, tensor
from ..cases.drawing import Case
from ..cases.hlo_numbers import CASES
from .running import f32, i32, i64, results


def group_of(place: int, sizes: list[int]) -> int | None:
    """The group that an element is in."""
    for group, size in enumerate(sizes):
        place -= size
        if place < 0:
            return group
    return None


def slowly(op: RaggedDot, lhs: Array, rhs: Array, group_sizes: Array) -> Array:
    """One product after the other, for one dimension each: batching, contracting, free; group where there is one."""
    n = op.numbers
    left = np.moveaxis(lhs, [n.lhs_batching_dimensions[0], n.lhs_contracting_dimensions[0]], [0, 2])
    at = [n.rhs_batching_dimensions[0], n.rhs_contracting_dimensions[0]]
    right = np.moveaxis(rhs, [*n.rhs_group_dimensions, *at], range(len(n.rhs_group_dimensions) + 2))
    sizes = np.broadcast_to(group_sizes, (left.shape[0], group_sizes.shape[-1])).tolist()
    (ragged,) = n.lhs_ragged_dimensions
    is_summed = ragged in n.lhs_contracting_dimensions
    shape = (left.shape[0], left.shape[1], right.shape[-1])
    result = np.zeros((group_sizes.shape[-1], *shape) if is_summed else shape, np.int64)
    for b, m, k, c in product(*map(range, (*left.shape, right.shape[-1]))):
        if n.rhs_group_dimensions:
            group = group_of(m, sizes[b])
            if group is not None:
                result[b, m, c] += int(left[b, m, k]) * int(right[group, b, k, c])
        elif is_summed:
            group = group_of(k, sizes[b])
            if group is not None:
                result[group, b, m, c] += int(left[b, m, k]) * int(right[b, k, c])
        else:
            result[b, m, c] += int(left[b, m, k]) * int(right[b, k, c])
    return result


@np.errstate(over="ignore")  # sums of i32 wrap, and the last bits are compared
@given(CASES[RaggedDot.name].filter(lambda case: case.operands[0].dtype == np.int32))
def test_every_mode_is_a_sum_over_indices(case: Case) -> None:
    op = case.op
    assert isinstance(op, RaggedDot)
    wanted = slowly(op, *case.operands).astype(np.uint64).astype(np.uint32).view(np.int32)
    np.testing.assert_array_equal(op.evaluate(*case.operands), wanted)


ROWS = """
    ENTRY e {
      p = f32[5,2] parameter(0)
      q = f32[3,2,1] parameter(1)
      g = s32[3] parameter(2)
      ROOT r = f32[5,1] ragged-dot(p, q, g), lhs_contracting_dims={1}, rhs_contracting_dims={1},
        lhs_ragged_dims={0}, rhs_group_dims={0}
    }"""


def test_rows_of_no_group_are_zero() -> None:
    rows = f32([[1, 1], [2, 2], [3, 3], [4, 4], [5, 5]])
    parts = f32([[[1], [0]], [[0], [10]], [[100], [100]]])
    (found,) = results(ROWS, rows, parts, i32([1, 2, 1]))
    assert found.ravel().tolist() == [1, 20, 30, 800, 0]


def test_groups_end_where_the_rows_do() -> None:
    (found,) = results(ROWS, np.ones((5, 2), np.float32), np.ones((3, 2, 1), np.float32), i32([4, 7, 2]))
    assert found.ravel().tolist() == [2] * 5


def test_what_is_in_no_group_may_be_nan() -> None:
    rows = f32([[1, 1], [np.nan, np.nan]])
    numbers = RaggedDotDimensionNumbers((), (), (0,), (0,), (0,))
    op = RaggedDot(tensor("2x2xf32"), tensor("2x2xf32"), tensor("2xi32"), numbers)
    found = op.evaluate(rows, rows, i32([1, 0]))
    assert found.tolist() == [[[1, 1], [1, 1]], [[0, 0], [0, 0]]]


def test_small_floats_are_rounded_once() -> None:
    numbers = RaggedDotDimensionNumbers((), (), (1,), (1,), (0,), (0,))
    op = RaggedDot(tensor("1x300xbf16"), tensor("1x300x1xbf16"), tensor("1xi64"), numbers)
    ones = array(np.ones((1, 300)), "bf16")
    assert float(op.evaluate(ones, ones.reshape(1, 300, 1), i64([1]))[0, 0]) == 300


def test_a_group_has_no_negative_size() -> None:
    with pytest.raises(RunError, match=r"^group_sizes holds -1: a group has 0 elements at least$"):
        results(ROWS, np.ones((5, 2), np.float32), np.ones((3, 2, 1), np.float32), i32([1, -1, 1]))


CHLO = """
    func.func @main(%a: tensor<2x3xi32>, %b: tensor<3x2xi32>, %g: tensor<2xi64>) -> tensor<2x2x2xi32> {
      %0 = "chlo.ragged_dot"(%a, %b, %g) <{precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>],
          ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1],
            rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [1]>}>
        : (tensor<2x3xi32>, tensor<3x2xi32>, tensor<2xi64>) -> tensor<2x2x2xi32>
      return %0 : tensor<2x2x2xi32>
    }"""


def test_chlo_has_a_sum_for_each_group() -> None:
    lhs, rhs = i32([[1, 2, 3], [4, 5, 6]]), i32([[1, 0], [0, 1], [1, 1]])
    (found,) = results(CHLO, lhs, rhs, i64([1, 2]))
    assert found.tolist() == [[[1, 0], [4, 0]], [[3, 5], [6, 11]]]


FREE = RaggedDot(
    tensor("2x4x3xf32"),
    tensor("5x2x3x6xf32"),
    tensor("2x5xi32"),
    RaggedDotDimensionNumbers((0,), (1,), (2,), (2,), (1,), (0,)),
)
SUMMED = RaggedDot(
    tensor("2x4x3xf32"),
    tensor("2x3x6xf32"),
    tensor("5xi32"),
    RaggedDotDimensionNumbers((0,), (0,), (2,), (1,), (2,)),
)


def changed(op: RaggedDot, **numbers: tuple[int, ...]) -> RaggedDot:
    return replace(op, ragged_dot_dimension_numbers=replace(op.numbers, **numbers))


BROKEN = [
    (
        replace(FREE, group_sizes=tensor("2x5xf32")),
        "group_sizes must hold integer elements, not f32",
    ),
    (changed(FREE, lhs_ragged_dimensions=()), "lhs needs one ragged dimension, not []"),
    (changed(FREE, lhs_ragged_dimensions=(1, 0)), "lhs needs one ragged dimension, not [1, 0]"),
    (changed(FREE, lhs_ragged_dimensions=(3,)), "ragged dimension 3 is outside lhs's rank 3"),
    (changed(FREE, rhs_group_dimensions=()), "rhs needs one group dimension, not []"),
    (changed(FREE, rhs_group_dimensions=(4,)), "group dimension 4 is outside rhs's rank 4"),
    (
        changed(FREE, rhs_group_dimensions=(1,)),
        "group dimension 1 of rhs is batched or contracted: it must be neither",
    ),
    (
        changed(SUMMED, rhs_group_dimensions=(2,)),
        "rhs has no group dimension where the ragged dimension is contracted, not [2]",
    ),
    (
        changed(SUMMED, lhs_ragged_dimensions=(0,), rhs_group_dimensions=(2,)),
        "rhs has no group dimension where the ragged dimension is a batching dimension, not [2]",
    ),
    (replace(FREE, group_sizes=tensor("i32")), "group_sizes must have rank 1 at least, not 0"),
    (
        replace(FREE, group_sizes=tensor("4x5xi32")),
        "group_sizes has shape [4, 5]: all sizes but the last must be [2], or none",
    ),
    (replace(FREE, group_sizes=tensor("6xi32")), "group_sizes has 6 groups, rhs 5"),
    (
        replace(SUMMED, rhs=tensor("2x4x6xf32")),
        "dimension 2 of lhs (size 3) and dimension 1 of rhs (size 4) are contracted but differ",
    ),
]


@for_each(("op", "message"), BROKEN, ids=[message for _, message in BROKEN])
def test_broken_rules_are_named(op: RaggedDot, message: str) -> None:
    assert first_broken_constraint(op) == ("", message)


def test_shapes_follow_from_the_mode() -> None:
    assert first_broken_constraint(FREE, [tensor("2x4x6xf32")]) is None
    assert first_broken_constraint(SUMMED, [tensor("5x2x4x6xf32")]) is None
    assert first_broken_constraint(changed(SUMMED, lhs_ragged_dimensions=(0,)), [tensor("2x4x6xf32")]) is None
    assert first_broken_constraint(FREE, [tensor("2x4x5xf32")]) == (
        "",
        "the result must have shape [2, 4, 6], not [2, 4, 5]",
    )


def test_hlo_text_has_the_same_op() -> None:
    n = FREE.numbers
    dot = DotDimensionNumbers((0,), (1,), (2,), (2,))
    op = HloRaggedDot(FREE.lhs, FREE.rhs, FREE.group_sizes, dot, (1,), (0,))
    assert op.numbers == n
    assert op.infer() == FREE.infer()
