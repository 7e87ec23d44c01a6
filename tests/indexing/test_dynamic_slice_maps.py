"""Gather, scatter and dynamic slices: maps bound to offsets agree with the specification's formulas."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hloscope.engine.indexing import (
    dynamic_slice_maps,
    dynamic_update_slice_maps,
    inverse_dynamic_slice_maps,
    inverse_dynamic_update_slice_maps,
)
from hloscope.engine.indexing.evaluation.bound_map import BoundMap, IntArray
from hloscope.engine.indexing.relations.isl_maps import is_inverse

from .oracles import GatherCase, Pairs, linear_indices, moved_pairs, pairs_by_operand, turned
from .strategies import gathers


@settings(max_examples=120, deadline=None)
@given(gathers())
def test_gather(case: GatherCase) -> None:
    operands = (None, case.indices)
    read = pairs_by_operand(case.gather.index_maps(), operands)
    assert read[0] == {(result, operand) for result, operand, _, _ in case.placed(clamped=True)}
    expected = {
        (result, row) for result, _, batch, _ in case.placed(clamped=True) for row in case.rows(batch)
    }
    assert read[1] == expected
    back = pairs_by_operand(case.gather.inverse_index_maps(), operands)
    assert back == {operand: turned(pairs) for operand, pairs in read.items()}


@settings(max_examples=120, deadline=None)
@given(gathers(), st.booleans())
def test_scatter(case: GatherCase, drops_whole_windows: bool) -> None:
    operands = (None, case.indices, None)
    scatter = case.scatter(drops_whole_windows)
    updates: Pairs = set()
    rows: Pairs = set()
    for update, result, batch, fits in case.placed(clamped=False):
        inside = all(0 <= i < size for i, size in zip(result, case.operand_shape, strict=True))
        if inside and (fits or not drops_whole_windows):
            updates.add((result, update))
            rows |= {(result, row) for row in case.rows(batch)}
    read = pairs_by_operand(scatter.value_maps(), operands)
    assert read[2] == updates
    assert read[1] == rows
    back = pairs_by_operand(scatter.value_maps(inverse=True), operands)
    assert back == {operand: turned(pairs) for operand, pairs in read.items()}
    # All indices that may send an update to an element, or away from it, for any run-time values.
    chosen = pairs_by_operand(scatter.index_maps(), operands)
    assert chosen[1] >= rows
    assert (chosen[0], chosen[2]) == (read[0], read[2])
    back = pairs_by_operand(scatter.inverse_index_maps(), operands)
    assert back == {operand: turned(pairs) for operand, pairs in chosen.items()}


OFFSETS = [(0, 0), (1, 2), (-4, 9), (9, -1)]


def scalars(offsets: tuple[int, ...]) -> tuple[IntArray, ...]:
    return tuple(np.array(offset) for offset in offsets)


@pytest.mark.parametrize("offsets", OFFSETS)
def test_dynamic_slice_clamps(offsets: tuple[int, ...]) -> None:
    shape, window = (4, 5), (2, 3)
    operands = (None, *scalars(offsets))
    starts = np.clip(offsets, 0, np.subtract(shape, window))
    taken = linear_indices(shape)[tuple(slice(s, s + w) for s, w in zip(starts, window, strict=True))]
    read = pairs_by_operand(dynamic_slice_maps(shape, window), operands)
    assert read[0] == moved_pairs(taken, shape)
    back = pairs_by_operand(inverse_dynamic_slice_maps(shape, window), operands)
    assert back == {operand: turned(pairs) for operand, pairs in read.items()}


@pytest.mark.parametrize("offsets", OFFSETS)
@pytest.mark.parametrize("window", [(2, 3), (4, 1), (4, 5), (0, 2)])
def test_dynamic_update_slice(offsets: tuple[int, ...], window: tuple[int, int]) -> None:
    shape = (4, 5)
    operands = (None, None, *scalars(offsets))
    starts = np.clip(offsets, 0, np.subtract(shape, window))
    where = tuple(slice(s, s + w) for s, w in zip(starts, window, strict=True))
    kept, updated = linear_indices(shape), np.full(shape, -1)
    kept[where], updated[where] = -1, linear_indices(window)
    read = pairs_by_operand(dynamic_update_slice_maps(shape, window), operands)
    assert read.get(0, set()) == moved_pairs(kept, shape)
    assert read[1] == moved_pairs(updated, window)
    back = pairs_by_operand(inverse_dynamic_update_slice_maps(shape, window), operands)
    assert back == {operand: turned(pairs) for operand, pairs in read.items()}


def test_offsets_are_inverses_for_every_value() -> None:
    """Proved symbolically with isl, with the runtime variables as parameters."""
    shape, window = (4, 5), (2, 3)
    there, *_ = dynamic_slice_maps(shape, window)
    back, *_ = inverse_dynamic_slice_maps(shape, window)
    assert is_inverse(there.map, back.map)
    updates = [m.map for m in dynamic_update_slice_maps(shape, window) if m.operand == 1]
    assert is_inverse(
        updates, [m.map for m in inverse_dynamic_update_slice_maps(shape, window) if m.operand == 1]
    )


def test_unsigned_offsets_beyond_int64_are_clamped() -> None:
    first, *_ = dynamic_slice_maps((5,), (2,))
    read = BoundMap(first.map, (None, np.array(2**64 - 1, np.uint64))).elements([0])
    assert read.indices.tolist() == [[3]]
