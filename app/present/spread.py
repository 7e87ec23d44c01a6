"""Quantiles of a value's elements, for colours robust to outliers and orders of magnitude.

Computed from at most `SAMPLE` elements at a fixed stride: for larger values the quantiles are estimates.
"""

from __future__ import annotations

import numpy as np

from hloscope.engine.value_facts import as_numbers, memory_order, without_repeats

from ..wire.values import Spread
from .elements import Array
from .numbers import json_number

SAMPLE = 1 << 16
OUTLIERS = 0.5
"""Percent of the elements at each end that the robust range leaves out."""
NOTHING = float("nan")


def spread_json(array: Array) -> Spread:
    """The spread of the elements of `array`; of complex ones, of their magnitudes."""
    numbers = _sample(array)
    low, high = map(json_number, _percentiles(numbers, OUTLIERS, 100 - OUTLIERS))
    small, median, large = map(json_number, _percentiles(np.abs(numbers[numbers != 0]), 10, 50, 99))
    return {"low": low, "high": high, "small": small, "median": median, "large": large}


def _sample(array: Array) -> Array:
    flat = memory_order(without_repeats(array)[0])
    numbers = as_numbers(flat[:: max(1, -(-flat.size // SAMPLE))]).astype(np.float64)
    finite: Array = numbers[np.isfinite(numbers)]
    return finite


def _percentiles(numbers: Array, *percents: float) -> tuple[float, ...]:
    """Percentiles that are elements, without interpolation: those of integers stay whole."""
    if not numbers.size:
        return (NOTHING,) * len(percents)
    found = np.percentile(numbers, percents, method="nearest")
    return tuple(float(one) for one in found)
