"""broadcast_in_dim, concatenate, reshape, slice, transpose: views, and types whose sizes are not known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hloscope.engine.ops.core.op import Array, Op
from hloscope.engine.ops.data_movement.data_movement import (
    BroadcastInDim,
    Concatenate,
    Reshape,
    Slice,
    Transpose,
)

from .quantized import quantized
from .running import broken, run, tensor


def counted(*shape: int) -> Array:
    """0, 1, 2, … in a shape."""
    return np.arange(np.prod(shape), dtype=np.int32).reshape(shape)


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


TWO = quantized((0.5, 0.25), (0, 1), axis=0)
ONE = quantized((0.5,), (1,), axis=0)
Q = tensor((2, 3), TWO)


def along(axis: int, scales: tuple[float, ...] = (0.5, 0.25), zero_points: tuple[int, ...] = (0, 1)) -> Any:
    return quantized(scales, zero_points, axis=axis)


def test_quantization_may_move_with_its_dimension() -> None:
    assert broken(Transpose(Q, (1, 0), tensor((3, 2), along(1))), tensor((3, 2), along(1))) is None
    assert broken(Reshape(Q, tensor((1, 2, 3), along(1)))) is None
    assert broken(BroadcastInDim(Q, (1, 0), tensor((3, 2), along(1)))) is None
    spread = tensor((2, 3), along(0, (0.5, 0.5), (1, 1)))
    assert broken(BroadcastInDim(tensor((1, 3), ONE), (0, 1), spread)) is None
    operand = np.ones((2, 3), np.int8)
    assert run(Transpose(Q, (1, 0)), operand)[0].dtype == np.int8
