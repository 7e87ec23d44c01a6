"""Differences of two arrays, of every element type."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from hloscope.engine.comparison.difference import Tolerance, compare_arrays
from hloscope.engine.comparison.elements import ulps_apart
from hloscope.engine.ir.element_types import DTYPES, ELEMENT_TYPES
from hloscope.engine.ops.core.values import tuple_of
from tests.each import for_each

FLOATS = sorted({DTYPES[name] for name, found in ELEMENT_TYPES.items() if found.is_float}, key=str)


def f32(*numbers: float) -> Any:
    return np.array(numbers, np.float32)


@for_each("dtype", sorted(set(DTYPES.values()), key=str), ids=str)
def test_equal_values_of_every_type_have_the_same_bits(dtype: np.dtype[Any]) -> None:
    value = np.zeros((2, 3)).astype(dtype)
    found = compare_arrays(value, value.copy())
    assert (found.kind, found.size, found.count) == ("same_bits", 6, 0)


@for_each("dtype", sorted(set(DTYPES.values()), key=str), ids=str)
def test_the_place_of_a_difference_of_every_type(dtype: np.dtype[Any]) -> None:
    before = np.zeros((2, 3)).astype(dtype)
    after = before.copy()
    after[1, 2] = np.ones(()).astype(dtype)
    found = compare_arrays(before, after)
    expected = "same_bits" if (before == after).all() else "wrong"
    assert (found.kind, found.count) == (expected, 1 if expected == "wrong" else 0)
    assert found.index == ((1, 2) if expected == "wrong" else None)


@for_each("dtype", FLOATS, ids=str)
def test_neighbours_are_one_unit_apart(dtype: np.dtype[Any]) -> None:
    words = np.arange(2 ** min(ml_dtypes.finfo(dtype).bits - 1, 12), dtype=f"u{dtype.itemsize}")
    numbers = words.view(dtype)
    numbers = numbers[np.isfinite(numbers.astype(np.float64))]
    apart = ulps_apart(numbers[:-1], numbers[1:])
    assert apart is not None
    assert (apart == 1).all()


def test_units_are_counted_across_zero() -> None:
    tiny = float(np.finfo(np.float32).smallest_subnormal)
    apart = ulps_apart(f32(-tiny, 0.0, -0.0), f32(tiny, -0.0, tiny))
    assert apart is not None
    assert apart.tolist() == [2, 0, 1]


def test_a_nan_is_like_any_other() -> None:
    other = np.array([0x7FC00001], np.uint32).view(np.float32)
    assert compare_arrays(f32(np.nan), other).kind == "same_bits"


def test_what_became_nan_is_the_worst() -> None:
    found = compare_arrays(f32(1, 2, 3), f32(9, 2, np.nan), 0.5)
    assert (found.kind, found.index, found.count, found.beyond) == ("nan", (2,), 2, 2)
    assert found.before == 3
    assert found.ulps is None


def test_a_nan_that_is_lost_is_wrong() -> None:
    found = compare_arrays(f32(np.nan), f32(1))
    assert (found.kind, dict(found.notes)) == ("wrong", {"lost_nans": 1})


def test_a_bound_separates_rounding_from_wrong() -> None:
    before, after = f32(1, 10), f32(1 + 2**-22, 10 + 2**-20)
    assert compare_arrays(before, after, 2.0**-20).kind == "rounding"
    found = compare_arrays(before, after, np.array([2.0**-23, 1.0]))
    assert (found.kind, found.index, found.beyond, found.ratio) == ("wrong", (0,), 1, 2.0)


@pytest.mark.parametrize("bound", [0.5, 1.0, float("inf")])
def test_a_bound_that_is_no_small_part_of_the_value_proves_nothing(bound: float) -> None:
    found = compare_arrays(f32(1), f32(1.25), bound)
    assert (found.kind, found.verdict, found.is_fine, found.is_different) == (
        *("unknown", "unknown"),
        *(False, False),
    )
    assert compare_arrays(f32(1), f32(np.nan), float("inf")).kind == "unknown"


def test_the_worst_is_that_with_the_greatest_ratio() -> None:
    found = compare_arrays(f32(1, 10), f32(1.25, 10.5), np.array([1.0, 1.0]))
    assert (found.kind, found.index, found.error, found.bound) == ("unknown", (1,), 0.5, 1.0)


def test_a_tolerance_is_absolute_or_relative() -> None:
    before, after = f32(1e-9, 100), f32(2e-9, 100.01)
    assert compare_arrays(before, after, tolerance=Tolerance(1e-6, 1e-3)).kind == "rounding"
    assert compare_arrays(before, after, tolerance=Tolerance(0, 1e-3)).index == (0,)
    assert compare_arrays(before, after, tolerance=Tolerance(1e-6, 0)).index == (1,)


def test_signs_of_zeros_and_flushed_denormals_are_classes_of_their_own() -> None:
    found = compare_arrays(f32(0.0, 1e-40, 1), f32(-0.0, 0.0, 1))
    assert (found.kind, dict(found.notes)) == ("rounding", {"signed_zeros": 1, "flushed": 1})
    # Nothing flushes denormals of f16, which is computed in f32.
    half = np.array([6e-8], np.float16)
    assert compare_arrays(half, np.zeros(1, np.float16)).kind == "wrong"


def test_infinities() -> None:
    largest = float(np.finfo(np.float32).max)
    found = compare_arrays(f32(np.inf), f32(1))
    assert (found.kind, dict(found.notes), found.error) == ("wrong", {"infinities": 1}, float("inf"))
    assert compare_arrays(f32(np.inf), f32(-np.inf), 1e30).kind == "wrong"
    assert compare_arrays(f32(np.inf), f32(largest), 1e30).kind == "unknown"
    assert compare_arrays(f32(np.inf), f32(np.inf)).kind == "same_bits"


def test_integers_are_compared_exactly() -> None:
    before, after = np.array([-(2**63)]), np.array([2**63 - 1])
    found = compare_arrays(before, after)
    assert (found.kind, found.error, found.ulps) == ("wrong", float(2**64 - 1), None)
    assert (found.before, found.after) == (-(2**63), 2**63 - 1)
    assert compare_arrays(np.array([3]), np.array([4]), 1.0).kind == "unknown"


def test_complex_numbers_by_the_modulus_of_the_difference() -> None:
    before, after = np.array([1 + 1j], np.complex64), np.array([4 + 5j], np.complex64)
    found = compare_arrays(before, after, 5.0)
    assert (found.kind, found.error, found.before) == ("unknown", 5.0, 1 + 1j)


def test_tuples_leaf_by_leaf() -> None:
    before = tuple_of((f32(1), tuple_of((f32(2, 3),))))
    after = tuple_of((f32(1.5), tuple_of((f32(2, 4),))))
    found = compare_arrays(before, after, [1.0, 0.5])
    assert (found.kind, found.path, found.index, found.count, found.size) == ("wrong", (1,), (1,), 2, 3)
    assert compare_arrays(before, f32(1)).kind == "shape"
    assert compare_arrays(tuple_of(()), tuple_of(())).kind == "same_bits"


def test_shapes_and_types_that_differ() -> None:
    found = compare_arrays(f32(1), f32(1, 2))
    assert (found.kind, found.before, found.after) == ("shape", "[1] float32", "[2] float32")
    half = np.array([1.0009765625], ml_dtypes.bfloat16)
    assert compare_arrays(f32(1.0009765625), half).kind == "shape"
    across = compare_arrays(f32(1.0009765625), half, across_types=True)
    assert (across.kind, dict(across.notes)) == ("same_bits", {"rounded_first": 1})
    assert compare_arrays(np.array([1]), f32(1), across_types=True).kind == "shape"


@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3)])
def test_scalars_and_empty_arrays(shape: tuple[int, ...]) -> None:
    before = np.zeros(shape, np.float32)
    found = compare_arrays(before, before + 1, np.zeros(shape))
    assert found.kind == ("same_bits" if 0 in shape else "wrong")
    assert found.index == (None if 0 in shape else ())


def test_repeated_elements_are_compared_as_they_are() -> None:
    before = np.broadcast_to(np.float32(1), (1000, 1000))
    assert compare_arrays(before, np.ones((1000, 1000), np.float32)).kind == "same_bits"
