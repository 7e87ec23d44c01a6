"""XLA's implicit broadcasting, and the instructions that it adds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hloscope.engine.builder import BuilderError, XlaBuilder
from tests.each import for_each

from .running import built, run, same

MATRIX = [[1, 2, 3], [4, 5, 6]]


@pytest.mark.parametrize(
    ("lhs", "rhs", "dimensions", "wanted"),
    [
        (MATRIX, [7, 8, 9], [1], [[8, 10, 12], [11, 13, 15]]),
        ([7, 8, 9], MATRIX, [1], [[8, 10, 12], [11, 13, 15]]),
        (MATRIX, 7, None, [[8, 9, 10], [11, 12, 13]]),
        (MATRIX, 7, [], [[8, 9, 10], [11, 12, 13]]),
        ([1, 2, 3, 4], [[5, 6]], [0], [[6, 7], [7, 8], [8, 9], [9, 10]]),
        (MATRIX, [10, 20], [0], [[11, 12, 13], [24, 25, 26]]),
        ([[1], [2]], [[10, 20, 30]], None, [[11, 21, 31], [12, 22, 32]]),
        (MATRIX, [[10], [20]], None, [[11, 12, 13], [24, 25, 26]]),
        (MATRIX, MATRIX, [0, 1], [[2, 4, 6], [8, 10, 12]]),
        ([[5]], MATRIX, None, [[6, 7, 8], [9, 10, 11]]),
    ],
)
def test_values(lhs: Any, rhs: Any, dimensions: list[int] | None, wanted: Any) -> None:
    same(run(lambda b: b.add(b.constant(lhs), b.constant(rhs), dimensions)), wanted)


@pytest.mark.parametrize(
    ("lhs", "rhs", "dimensions", "wanted"),
    [
        ("f32[1,2]", "f32[4,3,1]", [1, 2], (4, 3, 2)),
        ("f32[4,3,1]", "f32[1,2]", [1, 2], (4, 3, 2)),
        ("f32[2,1]", "f32[1,3]", None, (2, 3)),
        ("f32[0]", "f32[1]", None, (0,)),
        ("f32[]", "f32[2,0]", None, (2, 0)),
        ("f32[3]", "f32[3,3]", [0], (3, 3)),
        ("f32[1]", "f32[5,6]", [1], (5, 6)),
    ],
)
def test_shapes(lhs: str, rhs: str, dimensions: list[int] | None, wanted: tuple[int, ...]) -> None:
    b = XlaBuilder("shapes")
    assert b.mul(b.parameter(0, lhs), b.parameter(1, rhs), dimensions).shape == wanted


@for_each(
    ("lhs", "rhs", "dimensions", "message"),
    [
        ("f32[7,2,5]", "f32[7,2,6]", None, r"\[7, 2, 5\] and \[7, 2, 6\] do not match: 5 and 6"),
        ("f32[3]", "f32[2,3]", None, "broadcast_dimensions must name"),
        ("f32[3]", "f32[2,3]", [], "broadcast_dimensions must name"),
        ("f32[3]", "f32[2,3]", [0], "3 and 2 are neither equal nor 1"),
        ("f32[3]", "f32[2,3]", [2], "outside rank 2"),
        ("f32[3]", "f32[2,3]", [0, 1], "must name 1 dimensions"),
        ("f32[2,3]", "f32[2,3,4]", [1, 0], "must increase"),
        ("f32[2,3]", "f32[2,3,4]", [1, 1], "must increase"),
        ("f32[2,2]", "f32[2,2]", [1, 0], "must increase"),
        ("f32[]", "f32[2]", [0], "must name 0 dimensions"),
        ("f32[2]", "f32[2]", "x", "must be a sequence of integers"),
        ("f32[2]", "f32[2]", [0.5], "must be an integer"),
    ],
)
def test_errors(lhs: str, rhs: str, dimensions: Any, message: str) -> None:
    b = XlaBuilder("errors")
    with pytest.raises(BuilderError, match=message) as caught:
        b.add(b.parameter(0, lhs), b.parameter(1, rhs), dimensions)
    assert caught.value.op in ("add", None)


def _opcodes(lhs: str, rhs: str, dimensions: list[int] | None = None) -> list[str]:
    program = built(lambda b: b.add(b.parameter(0, lhs), b.parameter(1, rhs), dimensions))
    assert program.function.body
    return [operation.opcode for operation in program.function.body.block.operations[:-1]]


def test_instructions() -> None:
    """XLA's instructions: broadcast to the rank, then reshape and broadcast dimensions of size 1."""
    assert _opcodes("f32[2]", "f32[2]") == ["add"]
    assert _opcodes("f32[]", "f32[2]") == ["broadcast", "add"]
    assert _opcodes("f32[3]", "f32[2,3]", [1]) == ["broadcast", "add"]
    assert _opcodes("f32[2,1]", "f32[2,3]") == ["reshape", "broadcast", "add"]
    assert _opcodes("f32[2,1]", "f32[1,3]") == ["reshape", "broadcast"] * 2 + ["add"]
    assert _opcodes("f32[1]", "f32[5,6]", [1]) == ["broadcast", "reshape", "broadcast", "add"]


def test_select_and_clamp_take_scalars() -> None:
    same(run(lambda b: b.select(b.constant([True, False]), b.constant(1), b.constant([2, 3]))), [1, 3])
    same(run(lambda b: b.select(b.constant([True, False]), b.constant(1), b.constant(2))), [1, 2])
    same(run(lambda b: b.clamp(b.constant([0, 5]), b.constant([-1, 9]), b.constant(7))), [0, 7])


SAME_IN_NUMPY: list[Callable[[Any], Any]] = [
    *(lambda x: x + 1, lambda x: 1 + x, lambda x: x - 1, lambda x: 1 - x, lambda x: x * 2, lambda x: 2 * x),
    *(lambda x: x**2, lambda x: x & 3, lambda x: 3 & x, lambda x: x | 1, lambda x: 1 | x, lambda x: x ^ 1),
    *(lambda x: 1 ^ x, lambda x: ~x, lambda x: -x, abs, lambda x: x << 1, lambda x: x >> 1),
    *(
        lambda x: x == 6,
        lambda x: x != 6,
        lambda x: x < 6,
        lambda x: x <= 6,
        lambda x: x > 6,
        lambda x: x >= 6,
    ),
]


def test_operators() -> None:
    """Numbers take the type of the handle; `>>` is arithmetic for signed integers only."""

    def build(b: XlaBuilder) -> list[Any]:
        x, u = b.constant([6, -7]), b.constant([6, 7], "u8")
        return [
            *(operator(x) for operator in SAME_IN_NUMPY),
            *(x / 2, 20 / x, x % 4, 20 % x),
            *(2**u, 1 << u, u >> 1, 255 >> u),
        ]

    x = np.array([6, -7], np.int32)
    wanted = [
        *(operator(x) for operator in SAME_IN_NUMPY),
        *([3, -3], [3, -2], [2, -3], [2, 6]),
        *([64, 128], [64, 128], [3, 3], [3, 1]),
    ]
    for value, right in zip(run(build), wanted, strict=True):
        same(value, right)


def test_arrays_beside_handles() -> None:
    same(run(lambda b: np.array([1, 2]) + b.constant([3.0, 4])), [4, 6])
    same(run(lambda b: b.constant(2.0) * np.float32(3)), 6)
