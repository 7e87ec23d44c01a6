"""Statistics of a value: range, mean, deviation, counts of NaN and infinities, histogram.

Exact over all elements, in f64, in chunks; NaN and infinities are counted and excluded from the rest.
Integers keep their own range, because f64 does not represent all of i64. Complex elements count by magnitude.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hloscope.engine.value_facts import Range, chunks_of, range_of, without_repeats

from ..wire.values import Histogram, ValueStatistics
from .elements import Array
from .numbers import json_number

BINS = 64


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


def statistics_of(array: Array) -> Statistics:
    """All statistics of `array`, in two passes."""
    distinct, repeats = without_repeats(array)
    found = range_of(array)
    edges = _edges(found, distinct.dtype)
    second = _SecondPass(found, edges)
    for chunk in chunks_of(distinct):
        second.add(chunk)
    counts = tuple(int(count) * repeats for count in second.counts)
    return Statistics(found, second.deviation(), second.zeros * repeats, tuple(edges.tolist()), counts)


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
        self.unit = float(found.maximum) / 2 - float(found.minimum) / 2 if found.finite else 0.0

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
