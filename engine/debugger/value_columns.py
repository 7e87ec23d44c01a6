"""Summaries of values, one row each, with which a search skips most values."""

from __future__ import annotations

from array import array as column
from collections.abc import Iterator, Sequence
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

    def extend(self, values: NDArray[np.uint32]) -> None:
        """Add unknown rows for the next positions, as many as each has values."""
        total = int(values.sum())
        starts = len(self._flags) + np.cumsum(values, dtype=np.uint32)
        self._low.frombytes(np.full(total, nan).tobytes())
        self._high.frombytes(np.full(total, nan).tobytes())
        self._flags.frombytes(np.full(total, UNKNOWN, np.uint8).tobytes())
        self._starts.frombytes(starts.astype(np.uint32).tobytes())

    def start_of(self, position: int) -> int:
        """The first row of a position."""
        return self._starts[position]

    def row(self, row: int) -> ValueRow:
        """The row of a value."""
        return ValueRow(self._low[row], self._high[row], self._flags[row])

    def set(self, row: int, found: ValueRow) -> None:
        """Set the row of a value."""
        self._low[row], self._high[row], self._flags[row] = found.low, found.high, found.flags

    def starts_of(self, positions: NDArray[np.intp]) -> NDArray[np.intp]:
        """The first row of each position."""
        return np.frombuffer(self._starts, np.uint32)[positions].astype(np.intp)

    def rows_at(self, rows: NDArray[np.intp]) -> Rows:
        """The rows with these numbers."""
        return Rows(
            np.frombuffer(self._low)[rows],
            np.frombuffer(self._high)[rows],
            np.frombuffer(self._flags, np.uint8)[rows],
        )

    def set_scalars(self, rows: NDArray[np.intp], numbers: NDArray[Any]) -> None:
        """Set the rows of real scalars, which f64 represents exactly."""
        self.set_rows(rows, _rows_of_real(numbers.reshape(-1, 1)))

    def set_rows(self, rows: NDArray[np.intp], found: Rows) -> None:
        """Set the rows of several values."""
        np.frombuffer(self._low)[rows] = found.low
        np.frombuffer(self._high)[rows] = found.high
        np.frombuffer(self._flags, np.uint8)[rows] = found.flags

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


def rows_of(arrays: Sequence[Array]) -> Rows:
    """Summarise arrays, in one pass over all of them if they are alike and f64 represents their elements."""
    first = arrays[0]
    is_exact = first.dtype.kind not in "c" and (first.dtype.kind not in "iu" or first.dtype.itemsize < 8)
    if is_exact and first.size and all(a.shape == first.shape and a.dtype == first.dtype for a in arrays):
        return _rows_of_real(exact_numbers(np.stack(arrays).reshape(len(arrays), -1)))
    found = [row_of(array) for array in arrays]
    return Rows(
        np.array([row.low for row in found]),
        np.array([row.high for row in found]),
        np.array([row.flags for row in found], np.uint8),
    )


def _rows_of_real(numbers: Array) -> Rows:
    """Summarise each row of a matrix of real numbers, which f64 represents exactly."""
    with np.errstate(all="ignore"):
        low, high = np.fmin.reduce(numbers, axis=1), np.fmax.reduce(numbers, axis=1)
        is_nan = np.isnan(numbers)
        some_nan, all_nan = is_nan.any(axis=1), is_nan.all(axis=1)
    is_constant = all_nan | ((low == high) & ~some_nan)
    flags = np.where(is_constant, CONSTANT, 0).astype(np.uint8)
    for flag, mask in (
        (ZERO, is_constant & (low == 0)),
        (NAN, some_nan),
        (POSITIVE_INFINITY, high == inf),
        (NEGATIVE_INFINITY, low == -inf),
    ):
        flags[mask] |= flag
    return Rows(low.astype(np.float64), high.astype(np.float64), flags)


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
