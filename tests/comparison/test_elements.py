"""Measures of difference of random arrays of every float type, against NumPy and `nextafter`."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, strategies
from numpy.typing import NDArray

from hloscope.engine.comparison.elements import float_format, is_float, measured
from hloscope.engine.comparison.shadow import lost_digits
from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ops.core.rounding import unit_roundoff

FLOATS = sorted({found.dtype.name for found in ELEMENT_TYPES.values() if is_float(found.dtype)})
DTYPES = {found.dtype.name: found.dtype for found in ELEMENT_TYPES.values()}


PAIRS = 20_000
"""Random pairs of floats of more than eight bits; of fewer there are all."""


def _pairs(dtype: np.dtype[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    found = float_format(dtype)
    assert found is not None
    words = np.arange(1 << min(found.bits, 8), dtype=np.uint64)
    one, other = (grid.reshape(-1) for grid in np.meshgrid(words, words))
    if found.bits > 8:
        random = np.random.default_rng(0)
        one, other = random.integers(0, (1 << found.bits) - 1, (2, PAIRS), np.uint64, endpoint=True)
        other[::2] = one[::2] + random.integers(0, 4, PAIRS // 2, np.uint64)
    unsigned = f"u{dtype.itemsize}"
    return one.astype(unsigned).view(dtype), other.astype(unsigned).view(dtype)


@pytest.mark.parametrize("name", FLOATS)
@np.errstate(all="ignore")
def test_measures_are_those_of_numpy(name: str) -> None:
    one, other = _pairs(DTYPES[name])
    a, b = one.astype(np.float64), other.astype(np.float64)
    both = np.isnan(a) & np.isnan(b)
    apart = np.where((a == b) | both, 0.0, a - b)
    relative = np.where(apart == 0, 0.0, np.abs(apart) / np.abs(b))
    np.testing.assert_array_equal(measured(one, other, "signed"), apart)
    np.testing.assert_array_equal(measured(one, other, "absolute"), np.abs(apart))
    np.testing.assert_array_equal(measured(one, other, "relative"), relative)


@pytest.mark.parametrize("name", FLOATS)
@np.errstate(all="ignore")
def test_ulps_count_the_floats_between(name: str) -> None:
    dtype = DTYPES[name]
    one, other = _pairs(dtype)
    found = measured(one, other, "ulps")
    assert found is not None
    np.testing.assert_array_equal(found, measured(other, one, "ulps"))
    a, b = one.astype(np.float64), other.astype(np.float64)
    finite = np.isfinite(a) & np.isfinite(b)
    np.testing.assert_array_equal(found[finite] == 0, a[finite] == b[finite])
    if dtype.itemsize > 2:
        return  # see the neighbours below
    # All floats of a small type in order, one for both zeros: the distance is that of their positions.
    order = _all_floats(dtype)
    places = (np.searchsorted(order, numbers[finite]) for numbers in (a, b))
    np.testing.assert_array_equal(found[finite], np.abs(np.subtract(*places)))


def _all_floats(dtype: np.dtype[Any]) -> NDArray[np.float64]:
    found = float_format(dtype)
    assert found is not None
    words = np.arange(1 << found.bits, dtype=f"u{dtype.itemsize}")
    with np.errstate(all="ignore"):  # some NaN are signalling
        numbers = words.view(dtype).astype(np.float64)
    return np.unique(numbers[np.isfinite(numbers)])


def test_integers_and_booleans_have_no_ulps() -> None:
    whole = np.array([-(2**63), 5], np.int64), np.array([2**63 - 1, 7], np.int64)
    assert measured(*whole, "ulps") is None
    np.testing.assert_array_equal(measured(*whole, "signed"), [-float(2**64 - 1), -2.0])
    truths = np.array([True, False]), np.array([False, False])
    np.testing.assert_array_equal(measured(*truths, "absolute"), [1.0, 0.0])
    small = np.array([-8, 7], ml_dtypes.int4), np.array([7, 7], ml_dtypes.int4)
    np.testing.assert_array_equal(measured(*small, "signed"), [-15.0, 0.0])
    pairs = np.array([1 + 1j], np.complex64), np.array([1 - 1j], np.complex64)
    np.testing.assert_array_equal(measured(*pairs, "signed"), [2.0])
    np.testing.assert_array_equal(measured(*pairs, "relative"), [2.0 / np.sqrt(2)])


@given(strategies.lists(strategies.floats(-1e30, 1e30), min_size=1, max_size=20))
def test_a_rounded_number_has_lost_no_digit(numbers: list[float]) -> None:
    exact = np.array(numbers, np.float64)
    normal = exact[(np.abs(exact) > 1e-37) | (exact == 0)]
    np.testing.assert_array_equal(lost_digits(normal.astype(np.float32), normal), np.zeros(len(normal)))


def test_lost_digits_count_decimals() -> None:
    exact = np.array([1.0, 1.0, 1.0, 0.0, np.nan, np.inf, 1.0])
    run = np.array([1 + 2**-20, 1.1, -1, 1, np.nan, np.inf, np.nan], np.float32)
    most = -np.log10(unit_roundoff(np.dtype(np.float32)))
    found = lost_digits(run, exact)
    np.testing.assert_allclose(
        found, [np.log10(2**4), np.log10(0.1 * 2**24), most, most, 0, 0, most], rtol=1e-6
    )
