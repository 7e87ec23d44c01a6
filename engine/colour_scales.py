"""The colours of a tensor: one rule for all pictures of it, which `static/js/drawing/scale.js` repeats.

docs/design.md states the rule in words, and the cases of tests/colour_scales.json prove that the two agree.
"""

from math import floor, isfinite, nan
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Kind: TypeAlias = Literal["boolean", "integer", "float", "complex"]
Shape: TypeAlias = Literal["linear", "log", "arcsinh"]
PaletteName: TypeAlias = Literal["one", "two", "categories", "purple-orange", "viridis"]

LEVELS = 250
"""The last level of a colour scale; the first is 0."""
CATEGORIES = 10
"""Maximum number of consecutive integers that are drawn in categories: a colour for each last digit."""
BOTH_SIGNS = 0.1
"""Ratio of the shorter to the longer side of zero above which zero has the middle colour."""
WIDE = 1e3
"""Ratio of a large magnitude to the median above which a scale is logarithmic."""
OUTLYING = 4
"""Ratio of the whole range to that of the percentiles above which outliers are left out."""
SOFTNESS = 0.1
"""Where arcsinh turns logarithmic if no magnitude says so: the ratio to the larger end."""


class SpreadOfElements(NamedTuple):
    """Percentiles 0.5 and 99.5 of the finite elements, and 10, 50 and 99 of the magnitudes that are not 0; else NaN."""

    low: float = nan
    high: float = nan
    small: float = nan
    median: float = nan
    large: float = nan


class ColourScale(NamedTuple):
    """What numbers the ends of a palette stand for, and how those between lie; the ends are NaN if no element is finite."""

    kind: Kind
    low: float
    high: float
    shape: Shape = "linear"
    soft: float = 1.0
    """Where arcsinh turns logarithmic."""

    @property
    def palette(self) -> PaletteName:
        """The palette of this scale."""
        if self.kind == "boolean":
            return "two"
        if not self.high > self.low:
            return "one"
        if self.kind == "integer" and self.high - self.low < CATEGORIES:
            return "categories"
        return "purple-orange" if self.low < 0 and self.low == -self.high else "viridis"

    def levels(self, numbers: Array) -> NDArray[np.uint8]:
        """The level of each finite number."""
        if self.palette == "categories":
            digits: NDArray[np.uint8] = (np.floor(numbers + 0.5) % CATEGORIES).astype(np.uint8)
            return digits
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            places = np.floor(self._places(numbers) * LEVELS + 0.5)
            levels: NDArray[np.uint8] = np.nan_to_num(np.clip(places, 0, LEVELS)).astype(np.uint8)
        return levels

    def _places(self, numbers: Array) -> Array:
        if not self.high > self.low:
            return np.full(numbers.shape, 0.5)
        if self.shape == "linear":  # halves, because the difference of two f64 ends may be infinite
            half: Array = (numbers / 2 - self.low / 2) / (self.high / 2 - self.low / 2)
            return half
        start, end = self._bent(np.float64(self.low)), self._bent(np.float64(self.high))
        found: Array = (self._bent(numbers) - start) / (end - start)
        return found

    def _bent(self, numbers: Any) -> Any:
        return np.log(numbers) if self.shape == "log" else np.arcsinh(numbers / self.soft)


def kind_of(dtype: np.dtype[Any]) -> Kind:
    """The kind of the elements of an array."""
    if dtype == np.bool_:
        return "boolean"
    if dtype.kind == "c":
        return "complex"
    return "integer" if "int" in dtype.name else "float"


def colour_scale(kind: Kind, low: float, high: float, spread: SpreadOfElements) -> ColourScale:
    """The scale of a value with these finite extremes; those of complex elements are magnitudes."""
    if kind == "boolean":
        return ColourScale(kind, 0, 1)
    if not (isfinite(low) and isfinite(high)):
        return ColourScale(kind, nan, nan)
    low, high = float(low), float(high)
    whole = ColourScale(kind, low, high)
    if whole.palette in ("one", "categories"):
        return whole
    is_wide = spread.large / spread.median > WIDE
    if not is_wide and _has_outliers(low, high, spread):
        low, high = spread.low, spread.high
    shape: Shape = "linear" if not is_wide else "log" if low > 0 else "arcsinh"
    if low < 0 < high and min(-low, high) > BOTH_SIGNS * max(-low, high):
        low, high = -max(-low, high), max(-low, high)
    soft = spread.small if spread.small > 0 else max(abs(low), abs(high)) * SOFTNESS
    return ColourScale(kind, low, high, shape, soft)


def _has_outliers(low: float, high: float, spread: SpreadOfElements) -> bool:
    inner = spread.high / 2 - spread.low / 2
    return bool(inner > 0 and high / 2 - low / 2 > OUTLYING * inner)


def percentiles(numbers: Array, *percents: float) -> list[float]:
    """Percentiles that are elements, without interpolation: those of integers stay whole."""
    if not numbers.size:
        return [nan] * len(percents)
    places = [floor(percent / 100 * (numbers.size - 1) + 0.5) for percent in percents]
    found: list[float] = np.partition(numbers, places)[places].tolist()
    return found
