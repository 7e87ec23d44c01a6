"""Windows that do not fit: what gather, scatter and the dynamic slices say of them, against loops over single windows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hloscope.engine.findings import Fault
from hloscope.engine.findings.kind import Watch
from hloscope.engine.ops.contractions.old_contractions import TorchIndexSelect
from hloscope.engine.ops.core.op import Array, Op
from hloscope.engine.ops.core.quiet import Flags, Signals, quiet_run
from hloscope.engine.ops.data_movement.dynamic_slices import DynamicSlice, DynamicUpdateSlice
from hloscope.engine.ops.hlo.dynamic_forms import DynamicSliceByVector, DynamicUpdateSliceByVector
from hloscope.engine.ops.indexed.dynamic_indexing import DynamicGather
from hloscope.engine.ops.indexed.gather import Gather, GatherDimensionNumbers
from hloscope.engine.ops.indexed.scatter import Scatter, ScatterDimensionNumbers
from tests.findings import checking

from .placing import gathers, scatters
from .running import body_of, disguised, run, second_of, tensor, type_of

I64 = tensor((), "i64")


def index_vector(indices: Array, batch_index: list[int], index_vector_dim: int) -> list[int]:
    """One index vector, as Python integers."""
    place: list[Any] = list(batch_index)
    if index_vector_dim < indices.ndim:
        place.insert(index_vector_dim, slice(None))
    return [int(value) for value in np.atleast_1d(indices[tuple(place)])]


def faults(op: Op, *operands: Any) -> list[Fault]:
    """What the op says of a run."""
    given_arrays = tuple(map(np.asarray, operands))
    return checking.faults(op, given_arrays, run(op, *given_arrays), Signals.NONE)


def index_vectors(indices: Array, vector_dim: int) -> Iterator[list[int]]:
    """All of them, as Python's integers."""
    batch = [size for d, size in enumerate(indices.shape) if d != vector_dim]
    for place in np.ndindex(*batch):
        yield index_vector(indices, list(place), vector_dim)


def outside(starts: list[int], dimensions: tuple[int, ...], shape: Any, windows: Any) -> set[int]:
    """The dimensions along which a window does not fit."""
    pairs = zip(starts, dimensions, strict=True)
    return {d for start, d in pairs if not 0 <= start <= shape[d] - windows[d]}


def movable(dimensions: set[int], shape: Any, windows: Any) -> set[int]:
    """Those along which it matters where a window starts that is moved inside."""
    return {d for d in dimensions if shape[d] != windows[d]}


@given(gathers())
def test_a_gather_names_a_start_that_was_moved(case: tuple[Gather, tuple[Array, ...]]) -> None:
    op, (operand, indices) = case
    n = op.dimension_numbers
    bad = [
        movable(
            outside(vector, n.start_index_map, operand.shape, op.slice_sizes), operand.shape, op.slice_sizes
        )
        for vector in index_vectors(indices, n.index_vector_dim)
    ]
    found = faults(op, operand, indices)
    assert bool(found) == any(bad)
    for fault in found:
        assert fault.operand == 1
        at = fault.index[n.index_vector_dim] if n.index_vector_dim < indices.ndim else 0
        dimension = n.start_index_map[at]
        assert fault.elements == sum(dimension in dimensions for dimensions in bad)
        start, window, size = int(indices[fault.index]), op.slice_sizes[dimension], operand.shape[dimension]
        assert not 0 <= start <= size - window
        assert fault.kind == ("out_of_bounds" if window == 1 else "clamped_start")
        assert fault.cause.startswith(f"start {start} is clamped to {max(0, min(start, size - window))}: ")


@given(scatters())
def test_a_scatter_names_a_window_that_was_dropped(case: tuple[Scatter, str, tuple[Array, ...]]) -> None:
    op, _, (operand, indices, updates) = case
    n = op.scatter_dimension_numbers
    sizes = iter(updates.shape[d] for d in n.update_window_dims)
    dropped = n.inserted_window_dims + n.input_batching_dims
    windows = [1 if d in dropped else next(sizes) for d in range(operand.ndim)]
    bad = [
        outside(vector, n.scatter_dims_to_operand_dims, operand.shape, windows)
        for vector in index_vectors(indices, n.index_vector_dim)
    ]
    found = [fault for fault in faults(op, operand, indices, updates) if fault.kind == "dropped_update"]
    assert bool(found) == any(bad)
    for fault in found:
        at = fault.index[n.index_vector_dim] if n.index_vector_dim < indices.ndim else 0
        dimension = n.scatter_dims_to_operand_dims[at]
        assert fault.elements == sum(dimension in dimensions for dimensions in bad)
        assert fault.cause.startswith(f"the update at {int(indices[fault.index])} is dropped")


@given(scatters())
def test_a_scatter_that_replaces_names_what_depends_on_the_order(
    case: tuple[Scatter, str, tuple[Array, ...]],
) -> None:
    op, name, (operand, indices, updates) = case
    found = [fault for fault in faults(op, operand, indices, updates) if fault.kind == "collision"]
    if name != "replace":
        assert not found
        return
    # No two updates are equal: each one that was applied is in the result, or another took its place.
    counting = replace(op, update_computation=body_of("stablehlo.add", "i64"))
    (counts,) = run(counting, np.zeros_like(operand), indices, np.ones_like(updates))
    assert sum(fault.elements for fault in found) == np.count_nonzero(counts > 1)
    for fault in found:
        assert fault.cause.startswith(f"{counts[fault.index]} updates go to element {list(fault.index)}: ")


@pytest.mark.parametrize(
    ("starts", "sentence"),
    [
        ((7, 0), "start 7 is clamped to 4: the window of 3 does not fit into dimension 0 of size 7"),
        ((-1, 0), "start -1 is clamped to 0: the window of 3 does not fit into dimension 0 of size 7"),
        ((0, 5), "start 5 is clamped to 4: dimension 1 has size 5"),
        ((4, 4), None),
    ],
)
def test_a_dynamic_slice_says_what_became_of_a_start(starts: tuple[int, int], sentence: str | None) -> None:
    operand, update = np.zeros((7, 5), np.float32), np.zeros((3, 1), np.float32)
    scalars, vector = tuple(map(np.int64, starts)), np.array(starts)
    types = (tensor((7, 5)), tensor((3, 1)))
    cases: list[tuple[Op, tuple[Any, ...], int]] = [
        (DynamicSlice(types[0], (I64, I64), (3, 1)), (operand, *scalars), 1),
        (DynamicUpdateSlice(*types, (I64, I64)), (operand, update, *scalars), 2),
        (DynamicSliceByVector(types[0], type_of(vector), (3, 1)), (operand, vector), 1),
        (DynamicUpdateSliceByVector(*types, type_of(vector)), (operand, update, vector), 2),
    ]
    for op, operands, first in cases:
        assert checking.watches(op, [types[0]]) == {Watch.SIGNALLED}
        assert _signals(op, operands) == (Signals.MOVED if sentence else Signals.NONE)
        found = faults(op, *operands)
        assert [fault.cause for fault in found] == [sentence][: sentence is not None]
        for fault in found:
            assert fault.operand is not None
            named = np.asarray(operands[fault.operand])[fault.index]
            assert fault.operand >= first
            assert fault.value == float(named)


@given(st.integers(1, 6), st.integers(1, 6), st.integers(-9, 9))
def test_a_dynamic_slice_speaks_exactly_where_the_clamp_changes_the_start(
    size: int, window: int, start: int
) -> None:
    window = min(window, size)
    op = DynamicSlice(tensor((size,)), (I64,), (window,))
    moved = start != min(max(start, 0), size - window)
    found = faults(op, np.zeros(size, np.float32), np.int64(start))
    assert bool(found) == (moved and window < size)


def _signals(op: Op, operands: Sequence[Array]) -> Signals:
    """The flags that are raised while an op is computed."""
    flags = Flags()
    with quiet_run(flags):
        op.evaluate(*operands)
    return flags.take()


def test_a_window_as_large_as_the_operand_is_never_asked_about() -> None:
    assert not checking.watches(DynamicSlice(tensor((4,)), (I64,), (4,)), [tensor((4,))])
    numbers = GatherDimensionNumbers((1,), (), (), (), (0,), 1)
    gather = Gather(tensor((4,)), tensor((2, 1), "i64"), numbers, (4,))
    assert not checking.watches(gather, [tensor((2, 4))])


def rows(indices: list[int], size: int = 4) -> tuple[Gather, Array, Array]:
    """A look-up of rows."""
    vectors = np.array(indices, np.int32)
    numbers = GatherDimensionNumbers((1,), (0,), (), (), (0,), 1)
    table = np.zeros((size, 2), np.float32)
    return Gather(type_of(table), type_of(vectors), numbers, (1, 2)), table, vectors


@pytest.mark.parametrize(
    ("indices", "sentinel"), [([0, -1, 2], True), ([4, 1, -1], True), ([4, -1, 7], False), ([-2, 0], False)]
)
def test_indices_that_stand_for_nothing_are_sentinel(indices: list[int], sentinel: bool) -> None:
    op, table, vectors = rows(indices)
    (fault,) = faults(op, table, vectors)
    assert fault.is_sentinel is sentinel
    # The element named is one that was not meant, where there is one.
    assert (int(vectors[fault.index]) in (-1, 4)) is sentinel


def test_other_ops_that_gather_say_the_same() -> None:
    op, table, vectors = rows([3, 9])
    (fault,) = faults(op, table, vectors)
    assert fault.cause == "start 9 is clamped to 3: dimension 0 has size 4"
    selected = TorchIndexSelect(type_of(table), type_of(vectors), 0, 0)
    assert faults(selected, table, vectors) == [fault]
    sizes = np.array([1, 2])
    dynamic = DynamicGather(
        op.operand, op.start_indices, type_of(sizes), op.dimension_numbers, result=tensor((2, 2))
    )
    assert faults(dynamic, table, vectors, sizes) == [fault]


def scatter(body: Any, slots: list[int], element_type: str = "f32", **fields: Any) -> tuple[Scatter, Array]:
    """A scatter of single elements into six."""
    vectors = np.array(slots, np.int32).reshape(-1, 1)
    numbers = ScatterDimensionNumbers((), (0,), (), (), (0,), 1)
    types = tensor((6,), element_type), tensor((len(slots),), element_type)
    return Scatter((types[0],), type_of(vectors), (types[1],), numbers, body, **fields), vectors


def test_colliding_updates_count_where_the_order_decides() -> None:
    op, slots = scatter(second_of("f32"), [2, 0, 2])
    zeros = np.zeros(6, np.float32)
    (fault,) = faults(op, zeros, slots, np.array([1, 2, 3], np.float32))
    assert (fault.kind, fault.elements, fault.index) == ("collision", 1, (2,))
    assert fault.cause == "2 updates go to element [2]: the order decides which one stays"
    assert not faults(op, zeros, slots, np.array([np.nan, 2, np.nan], np.float32))
    for body in (body_of("stablehlo.add", "f32"), disguised("stablehlo.add", "f32")):
        op, slots = scatter(body, [2, 0, 2])
        assert not faults(op, zeros, slots, np.array([1, 2, 3], np.float32))


def test_updates_that_are_said_to_be_unique_must_be() -> None:
    op, slots = scatter(body_of("stablehlo.add", "bf16"), [5, 1, 5, 5], "bf16", unique_indices=True)
    updates = np.ones(4, ml_dtypes.bfloat16)
    (fault,) = faults(op, np.zeros(6, ml_dtypes.bfloat16), slots, updates)
    assert fault.cause == "3 updates go to element [5]: unique_indices says that there is one"
    op, slots = scatter(body_of("stablehlo.add", "bf16"), [5, 1, 0, 7], "bf16", unique_indices=True)
    found = faults(op, np.zeros(6, ml_dtypes.bfloat16), slots, updates)
    assert [fault.kind for fault in found] == ["dropped_update"]


def test_a_window_over_the_edge_is_dropped_in_part_or_whole() -> None:
    numbers = ScatterDimensionNumbers((1,), (), (), (), (0,), 1)
    types = (tensor((6,), "i32"),), tensor((1, 1), "i32"), (tensor((1, 3), "i32"),)
    for whole, words in ((False, "dropped in part"), (True, "dropped")):
        op = Scatter(*types, numbers, body_of("stablehlo.add", "i32"), drops_whole_windows=whole)
        (fault,) = faults(op, np.zeros(6, np.int32), np.full((1, 1), 4, np.int32), np.ones((1, 3), np.int32))
        assert (
            fault.cause
            == f"the update at 4 is {words}: the window of 3 does not fit into dimension 0 of size 6"
        )
