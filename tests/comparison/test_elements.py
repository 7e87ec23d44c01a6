"""Measures of difference of random arrays of every float type, against NumPy and `nextafter`."""

from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings, strategies
from numpy.typing import NDArray

from hloscope.engine.comparison.elements import float_format, is_float, measured
from hloscope.engine.comparison.shadow import lost_digits
from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ops.core.rounding import unit_roundoff

FLOATS = sorted({found.dtype.name for found in ELEMENT_TYPES.values() if is_float(found.dtype)})
DTYPES = {found.dtype.name: found.dtype for found in ELEMENT_TYPES.values()}


def _of_bits(words: list[int], dtype: np.dtype[Any]) -> NDArray[Any]:
    found = float_format(dtype)
    assert found is not None
    masked = [word & ((1 << found.bits) - 1) for word in words]
    return np.array(masked, f"u{dtype.itemsize}").view(dtype)


def _pairs(dtype: np.dtype[Any]) -> strategies.SearchStrategy[tuple[NDArray[Any], NDArray[Any]]]:
    words = strategies.integers(0, (1 << 64) - 1)
    both = strategies.lists(strategies.tuples(words, words), min_size=1, max_size=20)
    return both.map(
        lambda pairs: (_of_bits([a for a, _ in pairs], dtype), _of_bits([b for _, b in pairs], dtype))
    )


@pytest.mark.parametrize("name", FLOATS)
@given(data=strategies.data())
@np.errstate(all="ignore")
def test_measures_are_those_of_numpy(name: str, data: strategies.DataObject) -> None:
    one, other = data.draw(_pairs(DTYPES[name]))
    a, b = one.astype(np.float64), other.astype(np.float64)
    both = np.isnan(a) & np.isnan(b)
    apart = np.where((a == b) | both, 0.0, a - b)
    relative = np.where(apart == 0, 0.0, np.abs(apart) / np.abs(b))
    np.testing.assert_array_equal(measured(one, other, "signed"), apart)
    np.testing.assert_array_equal(measured(one, other, "absolute"), np.abs(apart))
    np.testing.assert_array_equal(measured(one, other, "relative"), relative)


@pytest.mark.parametrize("name", FLOATS)
@settings(deadline=None)  # the first draw of a type lists its floats
@given(data=strategies.data())
@np.errstate(all="ignore")
def test_ulps_count_the_floats_between(name: str, data: strategies.DataObject) -> None:
    dtype = DTYPES[name]
    one, other = data.draw(_pairs(dtype))
    found = measured(one, other, "ulps")
    assert found is not None
    mirrored = measured(other, one, "ulps")
    np.testing.assert_array_equal(found, mirrored)
    finite = np.isfinite(one.astype(np.float64)) & np.isfinite(other.astype(np.float64))
    equal = one.astype(np.float64) == other.astype(np.float64)
    np.testing.assert_array_equal(found[finite] == 0, equal[finite])
    if dtype.itemsize > 2:
        return  # see the neighbours below
    # All floats of a small type in order, one for both zeros: the distance is that of their positions.
    order = _all_floats(dtype)
    for a, b, apart in zip(one[finite], other[finite], found[finite], strict=True):
        places = [int(np.searchsorted(order, float(x))) for x in (a, b)]
        assert apart == abs(places[0] - places[1])


@cache
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
