"""broadcast_in_dim, concatenate, reshape, slice, transpose: the formulas as loops, and each constraint."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ops.data_movement import BroadcastInDim, Concatenate, Reshape, Slice, Transpose
from engine.ops.op import Array, Op

from .quantized import PER_TENSOR, quantized
from .running import broken, run, tensor


def counted(*shape: int) -> Array:
    """0, 1, 2, … in a shape."""
    return np.arange(np.prod(shape), dtype=np.int32).reshape(shape)


def test_the_examples_of_the_specification() -> None:
    broadcast = BroadcastInDim(tensor((1, 3), "i32"), (2, 1), tensor((2, 3, 2), "i32"))
    assert run(broadcast, [[1, 2, 3]])[0].tolist() == [[[1, 1], [2, 2], [3, 3]]] * 2
    joined = Concatenate((tensor((3, 2), "i64"), tensor((1, 2), "i64")), 0)
    found = run(joined, [[1, 2], [3, 4], [5, 6]], [[7, 8]])
    assert found[0].tolist() == [[1, 2], [3, 4], [5, 6], [7, 8]]
    reshape = Reshape(tensor((2, 3), "i32"), tensor((3, 2), "i32"))
    assert run(reshape, [[1, 2, 3], [4, 5, 6]])[0].tolist() == [[1, 2], [3, 4], [5, 6]]
    taken = Slice(tensor((3, 4), "i64"), (1, 2), (3, 4), (1, 1))
    assert run(taken, [[0, 0, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]])[0].tolist() == [[1, 1], [1, 1]]
    turned = Transpose(tensor((2, 3, 2), "i32"), (2, 1, 0))
    found = run(turned, [[[1, 2], [3, 4], [5, 6]], [[7, 8], [9, 10], [11, 12]]])
    assert found[0].tolist() == [[[1, 7], [3, 9], [5, 11]], [[2, 8], [4, 10], [6, 12]]]


@st.composite
def broadcasts(draw: Any) -> BroadcastInDim:
    result = tuple(draw(st.lists(st.integers(0, 3), max_size=4)))
    chosen = tuple(draw(st.permutations(range(len(result))))[: draw(st.integers(0, len(result)))])
    shape = tuple(draw(st.sampled_from([1, result[d]])) for d in chosen)
    return BroadcastInDim(tensor(shape, "i32"), chosen, tensor(result, "i32"))


@given(broadcasts())
def test_any_broadcast_follows_the_formula(op: BroadcastInDim) -> None:
    assert broken(op) is None
    operand = counted(*op.operand.sizes)
    (found,) = run(op, operand)
    assert found.shape == op.result.sizes
    for index in np.ndindex(found.shape):
        pairs = zip(operand.shape, op.broadcast_dimensions, strict=True)
        assert found[index] == operand[tuple(0 if size == 1 else index[d] for size, d in pairs)]


@st.composite
def slices(draw: Any) -> Slice:
    parts = []
    for _ in range(draw(st.integers(0, 3))):
        size = draw(st.integers(0, 6))
        start = draw(st.integers(0, size))
        parts.append((size, start, draw(st.integers(start, size)), draw(st.integers(1, 4))))
    shape, starts, limits, strides = ([part[k] for part in parts] for k in range(4))
    return Slice(tensor(shape, "i32"), tuple(starts), tuple(limits), tuple(strides))


@given(slices())
def test_any_slice_follows_the_formula(op: Slice) -> None:
    assert broken(op) is None
    operand = counted(*op.operand.sizes)
    (found,) = run(op, operand)
    assert found.shape == op.infer().sizes
    for index in np.ndindex(found.shape):
        parts = zip(op.start_indices, index, op.strides, strict=True)
        assert found[index] == operand[tuple(start + i * stride for start, i, stride in parts)]


@given(st.lists(st.integers(0, 3), max_size=4), st.data())
def test_any_transpose_follows_the_formula(shape: list[int], data: Any) -> None:
    permutation = tuple(data.draw(st.permutations(range(len(shape)))))
    op = Transpose(tensor(shape, "i32"), permutation)
    assert broken(op) is None
    operand = counted(*shape)
    (found,) = run(op, operand)
    assert found.shape == op.infer().sizes
    for operand_index in np.ndindex(operand.shape):
        assert found[tuple(operand_index[d] for d in permutation)] == operand[operand_index]


@pytest.mark.parametrize(
    ("op", "operand"),
    [
        (BroadcastInDim(tensor((3,), "i32"), (0,), tensor((3, 1000), "i32")), counted(3)),
        (Reshape(tensor((4, 6), "i32"), tensor((2, 2, 6), "i32")), counted(4, 6)),
        (Reshape(tensor((4, 6), "i32"), tensor((24,), "i32")), np.broadcast_to(np.int32(1), (4, 6))),
        (Slice(tensor((9,), "i32"), (1,), (8,), (3,)), counted(9)),
        (Transpose(tensor((4, 6), "i32"), (1, 0)), counted(4, 6)),
    ],
)
def test_nothing_is_copied(op: Op, operand: Array) -> None:
    assert np.shares_memory(run(op, operand)[0], operand)


def test_sizes_that_are_not_known_yet() -> None:
    joined = Concatenate((tensor((None, 2)), tensor((3, None))), 0)
    assert broken(joined) is None
    assert joined.infer() == tensor((None, 2))
    assert broken(Reshape(tensor((None, 2)), tensor((4,)))) is None
    assert broken(Slice(tensor((None,)), (1,), (9,), (2,)), tensor((4,))) is None
    assert broken(Transpose(tensor((None, 2)), (1, 0)), tensor((2, 5))) is None
    assert broken(BroadcastInDim(tensor((None,)), (0,), tensor((5, 2)))) is None


F = tensor((2, 3))
TWO = quantized((0.5, 0.25), (0, 1), axis=0)
ONE = quantized((0.5,), (1,), axis=0)
Q = tensor((2, 3), TWO)


def along(axis: int, scales: tuple[float, ...] = (0.5, 0.25), zero_points: tuple[int, ...] = (0, 1)) -> Any:
    return quantized(scales, zero_points, axis=axis)


BROADCAST = BroadcastInDim(F, (0, 1), F)
BROADCAST_BROKEN = [
    ("C1", replace(BROADCAST, result=tensor((2, 3), "f64"))),
    ("C1", replace(BROADCAST, result=tensor((2, 3), PER_TENSOR))),
    ("C2", replace(BROADCAST, broadcast_dimensions=(0,))),
    ("C3", replace(BROADCAST, broadcast_dimensions=(0, 2))),
    ("C3", replace(BROADCAST, broadcast_dimensions=(-1, 1))),
    ("C4", replace(BROADCAST, broadcast_dimensions=(1, 1))),
    ("C5", replace(BROADCAST, result=tensor((2, 4)))),
    ("C6", BroadcastInDim(Q, (1, 0), tensor((3, 2), along(0)))),
    ("C6", BroadcastInDim(tensor((1, 3), ONE), (0, 1), tensor((2, 3), along(0, (0.5, 0.25), (1, 1))))),
]
JOINED = Concatenate((F, tensor((2, 4))), 1)
CONCATENATE_BROKEN = [
    ("I1", Concatenate((Q, Q), 1)),
    ("C1", replace(JOINED, inputs=(F, tensor((2, 4), "f64")))),
    ("C2", replace(JOINED, dimension=0)),
    ("C2", replace(JOINED, inputs=(F, tensor((2, 3, 1))))),
    ("C3", replace(JOINED, inputs=())),
    ("C4", replace(JOINED, dimension=2)),
    ("C4", replace(JOINED, dimension=-1)),
]
RESHAPE_BROKEN = [
    ("C1", Reshape(F, tensor((3, 2), "f64"))),
    ("C2", Reshape(F, tensor((5,)))),
    ("C3", Reshape(Q, tensor((6,), along(0)))),
    ("C3", Reshape(tensor((2, 2, 3), TWO), tensor((2, 2, 3), along(1)))),
]
TAKEN = Slice(F, (0, 1), (2, 3), (1, 1))
SLICE_BROKEN = [
    ("I1", replace(TAKEN, operand=Q)),
    ("C2", replace(TAKEN, strides=(1,))),
    ("C2", replace(TAKEN, operand=tensor((2, 3, 4)))),
    ("C3", replace(TAKEN, limit_indices=(2, 4))),
    ("C3", replace(TAKEN, start_indices=(-1, 1))),
    ("C3", replace(TAKEN, start_indices=(0, 4), limit_indices=(2, 3))),
    ("C4", replace(TAKEN, strides=(1, 0))),
]
TRANSPOSE_BROKEN = [
    ("C1", Transpose(F, (1, 0), tensor((3, 2), "f64"))),
    ("C1", Transpose(Q, (1, 0), tensor((3, 2), along(1, (0.5, 0.5))))),
    ("C2", Transpose(F, (1, 1))),
    ("C2", Transpose(F, (0,))),
    ("C4", Transpose(Q, (1, 0), tensor((3, 2), along(0)))),
]


@pytest.mark.parametrize(
    ("label", "op"),
    [*BROADCAST_BROKEN, *CONCATENATE_BROKEN, *RESHAPE_BROKEN, *SLICE_BROKEN, *TRANSPOSE_BROKEN],
)
def test_each_constraint_is_reported_by_its_label(label: str, op: Op) -> None:
    assert broken(op) == label


@pytest.mark.parametrize(
    ("label", "op", "result"),
    [
        ("C5", JOINED, tensor((2, 7), "f64")),
        ("C6", JOINED, tensor((2, 6))),
        ("C1", TAKEN, tensor((2, 2), "f64")),
        ("C5", TAKEN, tensor((2, 3))),
        ("C1", Transpose(F, (1, 0)), tensor((3, 2), "f64")),
        ("C3", Transpose(F, (1, 0)), tensor((2, 3))),
    ],
)
def test_results_are_held_to_what_follows(label: str, op: Op, result: Any) -> None:
    assert broken(op, result) == label


def test_quantization_may_move_with_its_dimension() -> None:
    assert broken(Transpose(Q, (1, 0), tensor((3, 2), along(1))), tensor((3, 2), along(1))) is None
    assert broken(Reshape(Q, tensor((1, 2, 3), along(1)))) is None
    assert broken(BroadcastInDim(Q, (1, 0), tensor((3, 2), along(1)))) is None
    spread = tensor((2, 3), along(0, (0.5, 0.5), (1, 1)))
    assert broken(BroadcastInDim(tensor((1, 3), ONE), (0, 1), spread)) is None
    operand = np.ones((2, 3), np.int8)
    assert run(Transpose(Q, (1, 0)), operand)[0].dtype == np.int8
