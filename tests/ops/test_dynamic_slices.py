"""dynamic_slice and dynamic_update_slice: windows are moved inside."""

from __future__ import annotations

import numpy as np
import pytest

from hloscope.engine.ops.data_movement.dynamic_slices import DynamicSlice, DynamicUpdateSlice

from .quantized import PER_TENSOR
from .running import broken, run, tensor

I64 = tensor((), "i64")
SQUARE, WINDOW = tensor((4, 4), "i32"), tensor((2, 2), "i32")
TAKEN = DynamicSlice(SQUARE, (I64, I64), (2, 2))
UPDATED = DynamicUpdateSlice(SQUARE, WINDOW, (I64, I64))


@pytest.mark.parametrize(
    ("element_type", "start", "place"),
    [
        ("i64", 9, 3),
        ("i64", -3, 0),
        ("i64", np.iinfo(np.int64).min, 0),
        ("i64", np.iinfo(np.int64).max, 3),
        ("ui8", 255, 3),
        ("i8", -128, 0),
        ("ui64", np.iinfo(np.uint64).max, 3),
        ("i4", -8, 0),
        ("ui4", 2, 2),
    ],
)
def test_starts_are_clamped(element_type: str, start: int, place: int) -> None:
    index = tensor((), element_type)
    value = np.asarray(start).astype(index.element_type.dtype)
    operand, update = np.arange(5, dtype=np.int32), np.array([8, 9], np.int32)
    found = tensor((5,), "i32")
    (taken,) = run(DynamicSlice(found, (index,), (2,)), operand, value)
    assert taken.tolist() == [place, place + 1]
    (updated,) = run(DynamicUpdateSlice(found, tensor((2,), "i32"), (index,)), operand, update, value)
    wanted = list(range(5))
    wanted[place : place + 2] = [8, 9]
    assert updated.tolist() == wanted


def test_nothing_is_copied_where_nothing_must_be() -> None:
    operand, update, zero = (
        np.arange(16, dtype=np.int32).reshape(4, 4),
        np.zeros((4, 4), np.int32),
        np.int64(0),
    )
    assert np.shares_memory(run(TAKEN, operand, zero, zero)[0], operand)
    whole = DynamicUpdateSlice(SQUARE, SQUARE, (I64, I64))
    assert np.shares_memory(run(whole, operand, update, zero, zero)[0], update)
    nothing = DynamicUpdateSlice(SQUARE, tensor((0, 2), "i32"), (I64, I64))
    assert np.shares_memory(run(nothing, operand, update[:0, :2], zero, zero)[0], operand)


def test_an_update_leaves_the_operand_as_it_was() -> None:
    operand = np.zeros((4, 4), np.int32)
    (found,) = run(UPDATED, operand, np.ones((2, 2), np.int32), np.int64(1), np.int64(1))
    assert (operand.sum(), found.sum()) == (0, 4)


def test_sizes_that_are_not_known_yet() -> None:
    assert broken(DynamicSlice(tensor((None, 2)), (I64, I64), (7, 1)), tensor((7, 1))) is None
    assert broken(DynamicUpdateSlice(tensor((None,)), tensor((3,)), (I64,)), tensor((5,))) is None


def test_quantized_elements_are_moved_as_they_are() -> None:
    found = tensor((2,), PER_TENSOR)
    op = DynamicUpdateSlice(found, tensor((1,), PER_TENSOR), (I64,))
    assert broken(op, found) is None
    assert run(op, np.array([1, 2], np.int8), np.array([3], np.int8), np.int64(1))[0].tolist() == [1, 3]
