"""Calls with operands that state the shapes of results: the target never sees them, wherever they stand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hloscope.engine.errors import RunError
from hloscope.engine.indexing import Kind
from hloscope.engine.ir.types import Type

from .running import tensor
from .test_custom_call_maps import called
from .test_custom_calls_gpu import normal
from .test_dynamic_shapes import ran

LU: list[Type] = [tensor((3, 3), "f64"), tensor((3,), "i32"), tensor((), "i32")]
ROWS = np.array([[1, 3, 2], [4, -1, 5]], np.float32)


def top_k(order: str, indices: str, result: str = "tensor<?x?xf32>") -> tuple[str, str, str]:
    """A call of TopK whose values and two shapes stand in the given order."""
    types = {"a": "tensor<2x3xf32>", "m": "tensor<2xi32>", "n": "tensor<2xi64>"}
    operands, stated = ", ".join(f"%{x}" for x in order), ", ".join(types[x] for x in order)
    statement = (
        f"%r, %s = stablehlo.custom_call @TopK({operands}) {{indices_of_shape_operands = {indices}}} : "
        f"({stated}) -> ({result}, tensor<?x?xi32>)"
    )
    return statement, ", ".join(f"%{name}: {found}" for name, found in types.items()), result


def shapes(*sizes: int) -> tuple[Any, Any]:
    return np.array(sizes, np.int32), np.array(sizes, np.int64)


@pytest.mark.parametrize(
    ("order", "indices"),
    [
        ("amn", "dense<[1, 2]> : tensor<2xi64>"),
        ("man", "dense<[0, 2]> : tensor<2xi64>"),
        ("mna", "dense<[1, 0]> : tensor<2xi64>"),
        ("am", "dense<1> : tensor<2xi64>"),
        ("nma", "array<i64: 1, 0>"),
    ],
)
def test_shape_operands_may_stand_anywhere(order: str, indices: str) -> None:
    (found,) = ran(*top_k(order, indices), ROWS, *shapes(2, 2))
    assert found.tolist() == [[3, 2], [5, 4]]


@pytest.mark.parametrize(
    ("indices", "sizes", "result", "message"),
    [
        (
            "dense<[1]> : tensor<1xi64>",
            (2, 2),
            "tensor<?x?xf32>",
            "must name an operand for each of 2 results",
        ),
        ("dense<[1, 3]> : tensor<2xi64>", (2, 2), "tensor<?x?xf32>", "must name an operand for each"),
        ("dense<[1, 0]> : tensor<2xi64>", (2, 2), "tensor<?x?xf32>", "must be a list of integers"),
        ("dense<[1, 2]> : tensor<2xi64>", (2, 2), "tensor<?x1xf32>", r"\[2, 2\], but the result is declared"),
        ("dense<[1, 2]> : tensor<2xi64>", (2, -1), "tensor<?x?xf32>", "must not be negative"),
        ("dense<[1, 2]> : tensor<2xi64>", (2, 1 << 30), "tensor<?x?xf32>", "max_tensor_bytes"),
        ("dense<[1, 2]> : tensor<2xi64>", (3, 2), "tensor<?x?xf32>", "is float32"),
    ],
)
def test_shapes_that_cannot_be_end_the_run(
    indices: str, sizes: tuple[int, ...], result: str, message: str
) -> None:
    with pytest.raises(RunError, match=message):
        ran(*top_k("amn", indices, result), ROWS, *shapes(*sizes))


def test_maps_are_those_of_the_other_operands() -> None:
    """Here of LU, behind a shape; and an element is there because of all sizes of its result."""
    matrix = normal(3, 3, dtype=np.float64)
    plain = called("lapack_dgetrf_ffi", [matrix], LU).op
    sized = called(
        "lapack_dgetrf_ffi",
        [np.array([3, 3]), matrix, np.array([3]), np.array([], np.int32)],
        LU,
        indices_of_shape_operands=(0, 2, 3),
    ).op
    for wanted, found in (
        (plain.index_maps(), list(sized.index_maps())),
        (plain.inverse_index_maps(), list(sized.inverse_index_maps())),
    ):
        own = [item for item in found if item.operand == 1]
        assert [(x.map, x.result, x.enclosing) for x in own] == [
            (x.map, x.result, x.enclosing) for x in wanted
        ]
        beside = [
            (item.operand, item.result)
            for item in found
            if item.operand != 1 and item.map.kind is not Kind.UNDEFINED
        ]
        assert beside == [(0, 0), (2, 1), (3, 2)]
