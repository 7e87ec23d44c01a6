"""scatter against the specification's formula, update by update."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given

from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.indexed.scatter import Scatter, ScatterDimensionNumbers

from .placing import scatters
from .running import asks, body_of, broken, disguised, doubled_sum, run, second_of, tensor, type_of
from .test_gather import index_vector

INPUT = np.arange(1, 49).reshape(2, 3, 4, 2)
UPDATES = np.ones((2, 2, 3, 2, 2), np.int64)
NUMBERS = ScatterDimensionNumbers((3, 4), (1,), (0,), (1,), (2, 1), 3)
INDICES = np.array(
    [
        [[[0, 0], [1, 0], [2, 1]], [[0, 1], [1, 1], [0, 9]]],
        [[[0, 0], [2, 1], [2, 2]], [[1, 2], [0, 1], [1, 0]]],
    ]
)
EXAMPLE = Scatter(
    (type_of(INPUT),), type_of(INDICES), (type_of(UPDATES),), NUMBERS, body_of("stablehlo.add", "i64")
)
EXPECTED = [
    [[[3, 4], [6, 7], [6, 7], [7, 8]], [[9, 10], [11, 12], [15, 16], [17, 18]], [[17, 18], [19, 20], [22, 23], [24, 25]]],
    [[[25, 26], [28, 29], [30, 31], [31, 32]], [[35, 36], [38, 39], [38, 39], [39, 40]], [[41, 42], [44, 45], [46, 47], [47, 48]]],
]  # fmt: skip

COMBINE: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "replace": lambda a, b: b,
    "maximum": max,
    "lifted add": lambda a, b: a + b,
    "lifted subtract": lambda a, b: a - b,
}


def by_the_formula(op: Scatter, name: str, operand: Array, scatter_indices: Array, updates: Array) -> Array:
    """The specification's formula, written as loops, updates in row-major order."""
    n, result = op.scatter_dimension_numbers, operand.copy()
    scatter_dims = [d for d in range(updates.ndim) if d not in n.update_window_dims]
    sizes = iter(updates.shape[d] for d in n.update_window_dims)
    dropped = n.inserted_window_dims + n.input_batching_dims
    windows = [1 if d in dropped else next(sizes) for d in range(operand.ndim)]
    for update_index in np.ndindex(updates.shape):
        scatter_index = [update_index[d] for d in scatter_dims]
        start_index = index_vector(scatter_indices, scatter_index, n.index_vector_dim)
        window = iter(update_index[d] for d in n.update_window_dims)
        starts, result_index = [], []
        for d in range(operand.ndim):
            start = 0
            if d in n.scatter_dims_to_operand_dims:
                start = start_index[n.scatter_dims_to_operand_dims.index(d)]
            if d in n.input_batching_dims:
                source = n.scatter_indices_batching_dims[n.input_batching_dims.index(d)]
                start = scatter_index[source - (0 if source < n.index_vector_dim else 1)]
            starts.append(start)
            result_index.append(start if d in dropped else start + next(window))
        inside = all(0 <= i < size for i, size in zip(result_index, operand.shape, strict=True))
        if op.drops_whole_windows:
            parts = zip(starts, windows, operand.shape, strict=True)
            inside = all(start >= 0 and start + window <= size for start, window, size in parts)
        if inside:
            place = tuple(result_index)
            result[place] = COMBINE[name](result[place], updates[update_index])
    return result


@pytest.mark.parametrize("make", [body_of, disguised])
def test_the_example_of_the_specification(make: Any) -> None:
    op = replace(EXAMPLE, update_computation=make("stablehlo.add", "i64"))
    assert run(op, INPUT, INDICES, UPDATES)[0].tolist() == EXPECTED
    assert broken(op, tensor((2, 3, 4, 2), "i64")) is None


@given(scatters())
def test_any_scatter_follows_the_formula(case: tuple[Scatter, str, tuple[Array, ...]]) -> None:
    op, name, operands = case
    assert broken(op) is None
    before = operands[0].copy()
    (found,) = run(op, *operands)
    assert found.tolist() == by_the_formula(op, name, *operands).tolist()
    assert operands[0].tolist() == before.tolist()


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
