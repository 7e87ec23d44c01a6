"""Forms of functions that XLA's operation semantics describe, and corner cases that its text names.

The worked examples themselves are in `tests/conformance`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hloscope.engine.builder import (
    BuilderError,
    GatherDimensionNumbers,
    XlaBuilder,
    XlaOp,
)
from hloscope.engine.ir.attributes import DenseAttribute
from tests.each import for_each

from .running import Const, built, call, flat, run, same

V = [
    [[10, 11, 12], [15, 16, 17]],
    [[20, 21, 22], [25, 26, 27]],
    [[30, 31, 32], [35, 36, 37]],
    [[40, 41, 42], [45, 46, 47]],
]
"""v = f32[4,2,3], the array of many of the examples."""
FLAT = np.ravel(V)
TENS = [10000.0, 1000, 100, 10, 1]
GREATEST = float(np.finfo(np.float32).max)
TRANSPOSED = np.transpose(V, (1, 2, 0)).ravel()


def smaller(x: XlaOp, y: XlaOp) -> XlaOp:
    return x.builder.min(x, y)


def argmax(best: XlaOp, at: XlaOp, value: XlaOp, place: XlaOp) -> tuple[XlaOp, XlaOp]:
    b, later = best.builder, value >= best
    return b.select(later, value, best), b.select(later, place, at)


def _argmax(b: XlaBuilder) -> XlaOp:
    return b.reduce([b.constant([1.0, 7, 3, 7, 2]), b.iota("s32[5]", 0)], [-np.inf, 0], argmax, [0])


EXAMPLES: list[tuple[str, tuple[Any, ...], Any]] = [
    ("reduce_window", (Const(TENS), GREATEST, smaller, [3], [2], "SAME"), [1000, 10, 1]),
    ("reduce_window", (Const(TENS), GREATEST, smaller, [3], [2], "kSame"), [1000, 10, 1]),
    ("reshape", (Const([[5.0]]), []), 5),
    ("reshape", (Const(5.0), [1, 1]), [[5]]),
    ("reshape", (Const([[5.0]]), [0, 1], []), 5),
    ("reshape", (Const(5.0), [], [1, 1]), [[5]]),
    ("sort", (Const([[3, 1], [2, 4]]), 0), [[2, 1], [3, 4]]),
    ("sort", (Const([3, 1]), Const([42, 50])), ([1, 3], [50, 42])),
]
"""Functions, arguments and values."""


@pytest.mark.parametrize(("function", "arguments", "wanted"), EXAMPLES)
def test_values(function: str, arguments: tuple[Any, ...], wanted: Any) -> None:
    _compare(run(call(function, arguments)), wanted)


def test_a_reduction_of_two_arrays() -> None:
    _compare(run(_argmax), (7, 3))


def _compare(found: Any, wanted: Any) -> None:
    parts = [wanted] if not isinstance(found, tuple) else list(wanted)
    for value, right in zip(flat(found), parts, strict=True):
        same(value, right)


TYPES: list[tuple[Callable[[XlaBuilder], Any], str]] = [
    (lambda b: b.all_gather(b.parameter(0, "f32[2]"), 0, 2, [[0, 1]]), "tensor<4xf32>"),
    (lambda b: b.bitcast_convert_type(b.parameter(0, "f32[10]"), "f16"), "tensor<10x2xf16>"),
    (lambda b: b.bitcast_convert_type(b.parameter(0, "f32[]"), "f16"), "tensor<2xf16>"),
    (lambda b: b.bitcast_convert_type(b.parameter(0, "f16[10,2]"), "f32"), "tensor<10xf32>"),
    (lambda b: b.bitcast_convert_type(b.parameter(0, "s32[]"), "s8"), "tensor<4xi8>"),
    (lambda b: b.bitcast_convert_type(b.parameter(0, "s32[3]"), "f32"), "tensor<3xf32>"),
    (lambda b: b.convert_element_type(b.constant([0, 1, 2]), "f32"), "tensor<3xf32>"),
    (lambda b: b.fft(b.parameter(0, "f32[16]"), "RFFT", [16]), "tensor<9xcomplex<f32>>"),
    (lambda b: b.fft(b.parameter(0, "f32[17]"), "RFFT", [17]), "tensor<9xcomplex<f32>>"),
    (lambda b: _windows(b, "s32[5,2]", ((1, 2), (), (), (), (0, 1), 1), [8, 6]), "tensor<5x8x6xf32>"),
    (lambda b: _windows(b, "s32[4,5,2]", ((2, 3), (), (), (), (0, 1), 2), [8, 6]), "tensor<4x5x8x6xf32>"),
    (lambda b: _windows(b, "s32[4,5]", ((2,), (0,), (), (), (0,), 2), [1, 11]), "tensor<4x5x11xf32>"),
]


def _windows(b: XlaBuilder, indices: str, numbers: Any, sizes: list[int]) -> XlaOp:
    operands = b.parameter(0, "f32[16,11]"), b.parameter(1, indices)
    return b.gather(*operands, GatherDimensionNumbers(*numbers), sizes)


@for_each(("build", "wanted"), TYPES)
def test_types(build: Any, wanted: str) -> None:
    assert str(built(build).result_type) == wanted


def test_all_to_all_shapes() -> None:
    """Example 1: f32[4,16], split along 1, joined along 0, 4 cores."""
    program = built(lambda b: b.all_to_all(b.parameter(0, "f32[4,16]", "x"), 1, 0, 4, [[0, 1, 2, 3]]))
    assert str(program.result_type) == "tensor<16x4xf32>"
    opcodes = [op.opcode for op in program.function.body.block.operations]  # type: ignore[union-attr]
    assert opcodes == ["all-to-all", "reshape", "transpose", "reshape", "return"]


def test_cross_replica_sum_by_ids() -> None:
    program = built(lambda b: b.cross_replica_sum(b.parameter(0, "f32[2]"), [0, 1, 2, 3, 0, 1, 2, 3]))
    (operation, _) = program.function.body.block.operations  # type: ignore[union-attr]
    groups = operation.properties["replica_groups"]
    assert isinstance(groups, DenseAttribute)
    same(groups.data, [[0, 4], [1, 5], [2, 6], [3, 7]])
    with pytest.raises(BuilderError, match="different sizes"):
        built(lambda b: b.cross_replica_sum(b.parameter(0, "f32[2]"), [0, 1, 2, 0]))


@pytest.mark.parametrize(
    ("dimensions", "wanted"),
    [([0, 1, 2], FLAT), ([0, 1], FLAT.reshape(8, 3)), ([1, 2], FLAT.reshape(4, 6)), ([1], V), ([], V)],
)
def test_collapse(dimensions: list[int], wanted: Any) -> None:
    same(run(lambda b: b.collapse(b.parameter(0, "f32[4,2,3]"), dimensions), V), wanted)


def test_composite_call() -> None:
    attributes = "{n = 1 : i32, tensor = dense<1> : tensor<i32>}"

    def build(b: XlaBuilder) -> XlaOp:
        return b.composite_call(lambda x: x * 2.0, [b.constant(3.0)], "foo.bar", attributes, 1)

    same(run(build), 6.0)
    text = built(build).as_stablehlo_text()
    assert 'stablehlo.composite "foo.bar"' in text
    assert "version = 1 : i32" in text


def test_run_stops_at_an_unknown_custom_call() -> None:
    x, y = "f32[2]", "f32[2,3]"
    program = built(lambda b: b.custom_call("myfunc", [b.parameter(0, x), b.parameter(1, y)], "f32[3,3]"))
    assert str(program.result_type) == "tensor<3x3xf32>"
    with pytest.raises(Exception, match="myfunc"):
        program.run(np.zeros(2, np.float32), np.zeros((2, 3), np.float32))


def test_gather_of_windows() -> None:
    operand = np.arange(16.0 * 11).reshape(16, 11)
    starts = [[0, 0], [3, 2], [8, 5]]
    numbers = ((1, 2), (), (), (), (0, 1), 1)
    found = run(lambda b: _windows(b, "s32[3,2]", numbers, [8, 6]), operand, starts)
    same(found, [operand[i : i + 8, j : j + 6] for i, j in starts])


@pytest.mark.parametrize("sizes", [[8, 3], [24], [2, 6, 2]])
def test_reshape_in_an_order(sizes: list[int]) -> None:
    """The older form: elements in the order of dimensions {1,2,0}."""
    assert TRANSPOSED[:13].tolist() == [10, 20, 30, 40, 11, 21, 31, 41, 12, 22, 32, 42, 15]
    assert TRANSPOSED[13:].tolist() == [25, 35, 45, 16, 26, 36, 46, 17, 27, 37, 47]
    found = run(lambda b: b.reshape(b.parameter(0, "f32[4,2,3]"), [1, 2, 0], sizes), V)
    same(found, TRANSPOSED.reshape(sizes))
