"""Quantiles of a value's elements, for colours robust to outliers and orders of magnitude.

Computed from at most `SAMPLE` elements at a fixed stride: for larger values the quantiles are estimates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..wire.values import Spread as WireSpread
from .elements import Array, as_numbers, memory_order, without_repeats
from .numbers import json_number

SAMPLE = 1 << 16
OUTLIERS = 0.5
"""Percent of the elements at each end that the robust range leaves out."""
NOTHING = float("nan")


@dataclass(frozen=True)
class Spread:
    """Quantiles of finite elements, and of magnitudes that are not 0; NaN where there are none."""

    low: float
    """0.5 percent of the elements are smaller."""
    high: float
    """0.5 percent of the elements are larger."""
    small: float
    """10 percent of the magnitudes are smaller."""
    median: float
    """Half of the magnitudes are smaller."""
    large: float
    """1 percent of the magnitudes are larger."""

    def json(self) -> WireSpread:
        """The quantiles as JSON."""
        return {
            "low": json_number(self.low),
            "high": json_number(self.high),
            "small": json_number(self.small),
            "median": json_number(self.median),
            "large": json_number(self.large),
        }


def spread_of(array: Array) -> Spread:
    """The spread of the elements of `array`; of complex ones, of their magnitudes."""
    numbers = _sample(array)
    low, high = _percentiles(numbers, OUTLIERS, 100 - OUTLIERS)
    small, median, large = _percentiles(np.abs(numbers[numbers != 0]), 10, 50, 99)
    return Spread(low, high, small, median, large)


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
