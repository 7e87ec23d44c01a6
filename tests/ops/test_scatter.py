"""scatter: the order of updates, bodies that run, windows over the edge, precision."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from hloscope.engine.ops.indexed.scatter import Scatter, ScatterDimensionNumbers

from .running import asks, body_of, broken, doubled_sum, run, second_of, tensor


def vector_scatter(body: Any, count: int, window: int | None = None, **fields: Any) -> Scatter:
    """Scatters `count` scalars, or windows, of i64 into five elements."""
    numbers = ScatterDimensionNumbers(
        () if window is None else (1,), (0,) if window is None else (), (), (), (0,), 1
    )
    updates = tensor((count,) if window is None else (count, window), "i64")
    return Scatter((tensor((5,), "i64"),), tensor((count, 1), "i64"), (updates,), numbers, body, **fields)


def test_of_equal_places_the_last_update_stays() -> None:
    op = vector_scatter(second_of("i64"), 4)
    assert run(op, np.zeros(5, int), [[1], [0], [0], [1]], [1, 2, 3, 4])[0].tolist() == [3, 4, 0, 0, 0]


def test_an_unknown_body_runs_once_for_each_time_that_a_place_is_met() -> None:
    op = vector_scatter(doubled_sum(), 4)
    requests = asks(op, np.arange(5), [[1], [1], [3], [1]], [1, 2, 3, 4])
    assert [(request.lanes, request.iteration) for request in requests] == [((2,), 0), ((1,), 1), ((1,), 2)]
    found = run(op, np.arange(5), [[1], [1], [3], [1]], [1, 2, 3, 4])
    assert found[0].tolist() == [0, 2 * (2 * (2 * 1 + 1) + 2) + 4, 2, 2 * 3 + 3, 4]


def test_an_unknown_body_without_updates_inside_gives_the_inputs() -> None:
    op = vector_scatter(doubled_sum(), 2)
    assert run(op, np.arange(5), [[7], [-1]], [1, 2])[0].tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(("whole", "expected"), [(False, [4, 5, 6, 0, 1]), (True, [0, 5, 6, 0, 0])])
def test_windows_over_the_edge(whole: bool, expected: list[int]) -> None:
    op = vector_scatter(body_of("stablehlo.add", "i64"), 3, 2, drops_whole_windows=whole)
    assert run(op, np.zeros(5, int), [[4], [-1], [1]], [[1, 2], [3, 4], [5, 6]])[0].tolist() == expected


def test_far_starts_do_not_wrap_round() -> None:
    op = vector_scatter(body_of("stablehlo.add", "i64"), 2, 2)
    indices = [[2**63 - 1], [-(2**63)]]
    assert run(op, np.zeros(5, int), indices, [[1, 2], [3, 4]])[0].tolist() == [0] * 5


def test_small_floats_accumulate_wide_and_round_once() -> None:
    numbers = ScatterDimensionNumbers((), (0,), (), (), (0,), 1)
    bf16 = ml_dtypes.bfloat16
    op = Scatter(
        (tensor((2,), "bf16"),),
        tensor((1024, 1), "i32"),
        (tensor((1024,), "bf16"),),
        numbers,
        body_of("stablehlo.add", "bf16"),
    )
    (found,) = run(op, np.array([0, 7], bf16), np.zeros((1024, 1), np.int32), np.ones(1024, bf16))
    assert found.dtype == bf16
    assert found.tolist() == [1024.0, 7.0]


def test_several_inputs_and_promotion() -> None:
    numbers = ScatterDimensionNumbers((), (0,), (), (), (0,), 1)
    op = Scatter(
        (tensor((2,), "i8"), tensor((2,), "f32")),
        tensor((3, 1), "i32"),
        (tensor((3,), "i8"), tensor((3,), "f32")),
        numbers,
        body_of("stablehlo.add", "i32", "f32"),
    )
    assert broken(op, tensor((2,), "i32"), tensor((2,), "f32")) is None
    x, y = np.array([100, 1], np.int8), np.array([0.5, 2], np.float32)
    found = run(op, x, y, np.array([[0], [0], [1]], np.int32), np.full(3, 100, np.int8), y[[0, 0, 1]])
    assert [(a.dtype.name, a.tolist()) for a in found] == [("int32", [300, 101]), ("float32", [1.5, 4.0])]
