"""Summaries of values, one row each, with which a search skips most values."""

from __future__ import annotations

from array import array as column
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..ops.core.op import Array
from ..value_facts import ValueFacts, exact_numbers, without_repeats

CHUNK = 1 << 18
"""Elements scanned at a time, which bounds the memory of a search."""

NAN, POSITIVE_INFINITY, NEGATIVE_INFINITY, CONSTANT, ZERO, COMPLEX, UNKNOWN = (1 << bit for bit in range(7))
"""Flags: NaN or infinite elements; all elements equal, or zero; complex; not scanned yet."""
_NONFINITE_FLAGS = (NAN, POSITIVE_INFINITY, NEGATIVE_INFINITY)
NONFINITE = NAN | POSITIVE_INFINITY | NEGATIVE_INFINITY


@dataclass(frozen=True)
class ValueRow:
    """Bounds of the elements other than NaN (real parts if complex), and flags."""

    low: float
    high: float
    flags: int

    @property
    def rows(self) -> Rows:
        """This row as a batch of one."""
        return Rows(np.array([self.low]), np.array([self.high]), np.array([self.flags], np.uint8))


@dataclass(frozen=True)
class Rows:
    """Rows of several consecutive values."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    flags: NDArray[np.uint8]


class ValueColumns:
    """Rows of the values of a process by position; a row is unknown until set."""

    def __init__(self) -> None:
        self._low, self._high, self._flags = column("d"), column("d"), column("B")
        self._starts = column("I", [0])

    @property
    def positions(self) -> int:
        """Number of positions with rows."""
        return len(self._starts) - 1

    def __len__(self) -> int:
        return len(self._flags)

    def append(self, values: int) -> None:
        """Add the rows of the next position, one per value."""
        self._low.extend([nan] * values)
        self._high.extend([nan] * values)
        self._flags.extend([UNKNOWN] * values)
        self._starts.append(len(self._flags))

    def start_of(self, position: int) -> int:
        """The first row of a position."""
        return self._starts[position]

    def row(self, row: int) -> ValueRow:
        """The row of a value."""
        return ValueRow(self._low[row], self._high[row], self._flags[row])

    def set(self, row: int, found: ValueRow) -> None:
        """Set the row of a value."""
        self._low[row], self._high[row], self._flags[row] = found.low, found.high, found.flags

    def rows(self, start: int, stop: int) -> Rows:
        """The rows of the positions from `start` to `stop`."""
        chosen = slice(self._starts[start], self._starts[stop])
        return Rows(
            np.array(self._low[chosen], np.float64),
            np.array(self._high[chosen], np.float64),
            np.array(self._flags[chosen], np.uint8),
        )

    def positions_of(self, rows: NDArray[np.intp], start: int, stop: int) -> list[int]:
        """The positions of some rows, whose indices are relative to that of `start`."""
        starts = np.array(self._starts[start : stop + 1], np.int64) - self._starts[start]
        found: list[int] = np.unique(np.searchsorted(starts, rows, "right") - 1 + start).tolist()
        return found


def row_of(array: Array) -> ValueRow:
    """Summarise `array` in one pass over its elements."""
    total = _Total()
    for _, numbers in chunks(without_repeats(array)[0]):
        total.add(numbers)
    return total.row(array.dtype.kind == "c")


def row_of_facts(facts: ValueFacts) -> ValueRow:
    """The row of a value from its facts."""
    found = facts.range
    counts = (found.nan, found.positive_infinities, found.negative_infinities)
    flags = sum(flag for flag, count in zip(_NONFINITE_FLAGS, counts, strict=True) if count)
    if not found.count:
        return ValueRow(nan, nan, flags)
    is_equal = found.finite == found.count and found.minimum == found.maximum
    if is_equal or found.count in counts:
        flags |= CONSTANT | (ZERO if is_equal and found.minimum == 0 else 0)
    if found.nan == found.count:
        return ValueRow(nan, nan, flags)
    ends = [np.asarray(end)[()] for end in (found.minimum, found.maximum)] if found.finite else []
    low = -inf if found.negative_infinities else _below(ends[0]) if ends else inf
    high = inf if found.positive_infinities else _above(ends[1]) if ends else -inf
    return ValueRow(low, high, flags)


def chunks(array: Array) -> Iterator[tuple[int, Array]]:
    """Yield the elements in row-major chunks of a fast dtype, each with its offset."""
    flat = array.reshape(-1) if array.flags.c_contiguous else None
    for start in range(0, array.size, CHUNK):
        stop = min(start + CHUNK, array.size)
        yield start, exact_numbers(array.flat[start:stop] if flat is None else flat[start:stop])


class _Total:
    """Accumulated summary of chunks."""

    def __init__(self) -> None:
        self.low, self.high, self.flags = inf, -inf, 0
        self.first: Any = None
        self.constant = True

    def add(self, numbers: Array) -> None:
        self._compare(numbers)
        real = numbers.real if numbers.dtype.kind == "c" else numbers
        if numbers.dtype.kind in "fc":
            self._note_nonfinite(numbers)
        with np.errstate(all="ignore"):
            low, high = np.fmin.reduce(real), np.fmax.reduce(real)
        if not np.isnan(low):  # not all elements are
            self.low, self.high = min(self.low, _below(low)), max(self.high, _above(high))

    def _note_nonfinite(self, numbers: Array) -> None:
        with np.errstate(all="ignore"):
            if np.isfinite(numbers.sum()):
                return  # a finite sum proves that all elements are finite, and is cheaper than testing each
            parts = (numbers.real, numbers.imag) if numbers.dtype.kind == "c" else (numbers,)
            for part in parts:
                self.flags |= NAN if np.isnan(part).any() else 0
                self.flags |= POSITIVE_INFINITY if np.isposinf(part).any() else 0
                self.flags |= NEGATIVE_INFINITY if np.isneginf(part).any() else 0

    def _compare(self, numbers: Array) -> None:
        if self.first is None:
            self.first = numbers[0]
        if self.constant:
            same = np.isnan(numbers) if np.isnan(self.first) else numbers == self.first
            self.constant = bool(same.all())

    def row(self, is_complex: bool) -> ValueRow:
        flags = self.flags | (COMPLEX if is_complex else 0)
        if self.first is None:
            return ValueRow(nan, nan, flags)
        if self.constant:
            flags |= CONSTANT | (ZERO if self.first == 0 else 0)
        return ValueRow(self.low, self.high, flags) if self.low <= self.high else ValueRow(nan, nan, flags)


def _below(number: Any) -> float:
    """The largest f64 that is not above an integer."""
    return float(number) if float(number) <= number.item() else float(np.nextafter(float(number), -inf))


def _above(number: Any) -> float:
    return float(number) if float(number) >= number.item() else float(np.nextafter(float(number), inf))
