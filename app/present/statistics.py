"""Statistics of a value: range, mean, deviation, counts of NaN and infinities, histogram.

Exact over all elements, in f64, in chunks; NaN and infinities are counted and excluded from the rest.
Integers keep their own range, because f64 does not represent all of i64. Complex elements count by magnitude.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..wire.values import Histogram, ValueStatistics
from .elements import Array, as_numbers, memory_order, without_repeats
from .numbers import Number, json_number

CHUNK = 1 << 17
"""Elements per chunk; fits the processor's cache as f64 too."""
BINS = 64


@dataclass(frozen=True)
class Range:
    """The minimal statistics of a value: one pass, no histogram."""

    count: int
    """The number of all elements."""
    minimum: Number
    maximum: Number
    mean: float
    nan: int
    positive_infinities: int
    negative_infinities: int

    @property
    def finite(self) -> int:
        """The number of finite elements."""
        return self.count - self.nonfinite

    @property
    def nonfinite(self) -> int:
        """The number of NaN and infinite elements."""
        return self.nan + self.positive_infinities + self.negative_infinities


@dataclass(frozen=True)
class Statistics:
    """All statistics that the inspector shows."""

    range: Range
    deviation: float
    zeros: int
    edges: tuple[float, ...]
    counts: tuple[int, ...]

    def statistics_json(self) -> ValueStatistics:
        """Range, mean, deviation, and counts of NaN and infinities."""
        found = self.range
        return {
            "min": json_number(found.minimum),
            "max": json_number(found.maximum),
            "mean": json_number(found.mean),
            "std": json_number(self.deviation),
            "zeros": self.zeros,
            "nan": found.nan,
            "posinf": found.positive_infinities,
            "neginf": found.negative_infinities,
        }

    def histogram_json(self) -> Histogram:
        """Counts of elements between edges."""
        return {"edges": [json_number(edge) for edge in self.edges], "counts": list(self.counts)}


def range_of(array: Array) -> Range:
    """Range and mean of `array`, in one pass."""
    distinct, repeats = without_repeats(array)
    total = _Totals()
    for chunk in _chunks(distinct):
        total.add(chunk)
    return total.range(array.size, repeats)


def statistics_of(array: Array) -> Statistics:
    """All statistics of `array`, in two passes."""
    distinct, repeats = without_repeats(array)
    found = range_of(array)
    edges = _edges(found, distinct.dtype)
    second = _SecondPass(found, edges)
    for chunk in _chunks(distinct):
        second.add(chunk)
    counts = tuple(int(count) * repeats for count in second.counts)
    return Statistics(found, second.deviation(), second.zeros * repeats, tuple(edges.tolist()), counts)


def _chunks(array: Array) -> Iterator[Array]:
    flat = memory_order(array)
    for start in range(0, flat.size, CHUNK):
        yield as_numbers(flat[start : start + CHUNK])


class _Totals:
    """Accumulators of the first pass."""

    def __init__(self) -> None:
        self.low: list[Number] = []
        self.high: list[Number] = []
        self.means: list[tuple[int, float]] = []
        self.nan = self.positive = self.negative = 0

    def add(self, chunk: Array) -> None:
        if chunk.dtype.kind == "f":
            # A sum of finite numbers is finite unless it overflows, and is cheaper than a test of each.
            with np.errstate(all="ignore"):
                if not np.isfinite(chunk.sum()):
                    chunk = self._numbers_of(chunk)
        if chunk.size:
            self.low.append(chunk.min().item())
            self.high.append(chunk.max().item())
            self.means.append((chunk.size, _mean(chunk)))

    def _numbers_of(self, chunk: Array) -> Array:
        self.nan += int(np.count_nonzero(np.isnan(chunk)))
        self.positive += int(np.count_nonzero(chunk == np.inf))
        self.negative += int(np.count_nonzero(chunk == -np.inf))
        finite = np.isfinite(chunk)
        return chunk if finite.all() else chunk[finite]

    def range(self, count: int, repeats: int) -> Range:
        size = sum(size for size, _ in self.means)
        low: Number = min(self.low, default=float("nan"))
        high: Number = max(self.high, default=float("nan"))
        # Rounding must not move the mean beyond the ends, or away from equal numbers.
        mean = sum(mean * (part / size) for part, mean in self.means) if size else float("nan")
        mean = min(max(mean, float(low)), float(high))
        return Range(
            count, low, high, mean, self.nan * repeats, self.positive * repeats, self.negative * repeats
        )


def _mean(chunk: Array) -> float:
    with np.errstate(all="ignore"):
        mean = float(chunk.mean(dtype=np.float64))
        # Only the sum of numbers near the end of f64 overflows.
        return mean if np.isfinite(mean) else float((chunk / chunk.size).sum())


class _SecondPass:
    """Accumulators of the second pass, which needs range and mean: counts, zeros, deviations."""

    def __init__(self, found: Range, edges: NDArray[Any]) -> None:
        self.found = found
        self.edges = edges
        self.counts = np.zeros(max(0, edges.size - 1), np.int64)
        self.zeros = 0
        self.squares = 0.0
        self.size = 0
        # Unit of the deviations: squares of large numbers overflow and of small ones underflow.
        self.unit = _half_spread(found)

    def add(self, chunk: Array) -> None:
        self.zeros += chunk.size - int(np.count_nonzero(chunk))
        if chunk.dtype.kind == "f" and self.found.nonfinite:
            chunk = chunk[np.isfinite(chunk)]
        if not chunk.size:
            return
        numbers = chunk.astype(np.float64)
        if self.unit > 0:
            deviations = numbers / self.unit - self.found.mean / self.unit
            self.squares += float(deviations @ deviations)
        self.size += chunk.size
        self.counts += _bin(numbers, self.edges)

    def deviation(self) -> float:
        return self.unit * float(np.sqrt(self.squares / self.size)) if self.size else float("nan")


def _half_spread(found: Range) -> float:
    return float(found.maximum) / 2 - float(found.minimum) / 2 if found.finite else 0.0


def _edges(found: Range, dtype: np.dtype[Any]) -> NDArray[Any]:
    if not found.finite:
        return np.zeros(0)
    low, high = found.minimum, found.maximum
    if isinstance(low, int) and isinstance(high, int) and high - low < BINS and dtype.kind != "f":
        return np.arange(high - low + 2) + (low - 0.5)  # one bin per integer
    if low == high:
        return np.array([low, high], np.float64)
    steps = np.arange(BINS + 1) / BINS
    edges = float(low) * (1 - steps) + float(high) * steps  # high - low may overflow
    edges[0], edges[-1] = low, high
    return edges


def _bin(numbers: NDArray[np.float64], edges: NDArray[Any]) -> NDArray[np.int64]:
    bins = edges.size - 1
    low, high = edges[0] / 2, edges[-1] / 2
    if high == low:
        return np.bincount([0], [numbers.size], minlength=bins).astype(np.int64)
    # Halves, because the difference of the two ends of f64 is infinite.
    places = (numbers / 2 - low) / (high - low) * bins
    return np.bincount(np.clip(places, 0, bins - 1).astype(np.intp), minlength=bins)
