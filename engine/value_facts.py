"""The facts of a value: range, mean, counts, a checksum and a small picture, which tell much about it without its elements.

They are exact, but for the mean, a sum that is rounded in f64 in any order. NumPy alone computes them, so that a process which holds
values for the engine can do it there.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import isfinite, isnan
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Number = int | float
CHUNK = 1 << 17
"""Elements per chunk; fits the processor's cache as f64 too."""
WORDS = 1024
"""Words of 64 bits in a row of the checksum."""
ROW_WEIGHT = 0x9E3779B97F4A7C15
_ODD = np.arange(1, 2 * WORDS, 2, dtype=np.uint64)
_SMALL_FLOATS = ("bfloat16", "float8_e4m3fn", "float8_e5m2")


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


class Picture(NamedTuple):
    """Means of elements between `low` and `high`; pixel p up to 250 stands for low + p / 250 * (high - low)."""

    low: float
    high: float
    pixels: NDArray[np.uint8]
    nonfinite: bool
    """Whether a pixel has the mark of NaN or an infinity."""

    def json(self) -> list[Any]:
        """The picture as a list for JSON, which `from_json` reads."""
        ends = self.low.hex(), self.high.hex()  # JSON has no infinity
        return [*ends, self.pixels.shape, b64encode(self.pixels.tobytes()).decode(), self.nonfinite]

    @classmethod
    def from_json(cls, listed: Sequence[Any]) -> Picture:
        """The picture that `json` listed."""
        low, high, shape, data, nonfinite = listed
        pixels = np.frombuffer(b64decode(data), np.uint8).reshape(shape)
        return cls(float.fromhex(low), float.fromhex(high), pixels, nonfinite)


@dataclass(frozen=True)
class ValueFacts:
    """The range of a value, the number of its zeros and denormals, a checksum of its bits, and maybe a small picture."""

    range: Range
    zeros: int
    denormals: int
    checksum: int
    picture: Picture | None = field(default=None, compare=False, repr=False)

    @property
    def small(self) -> int:
        """The number of elements below the smallest normal number: zeros and denormals."""
        return self.zeros + self.denormals

    def json(self) -> list[Any]:
        """The facts as a list for JSON, which has no NaN: `facts_from` reads it."""
        found = self.range
        numbers: tuple[Number, ...] = (
            *(found.count, found.minimum, found.maximum, found.mean),
            *(found.nan, found.positive_infinities, found.negative_infinities),
            *(self.zeros, self.denormals, self.checksum),
        )
        listed = [None if isnan(number) else number for number in numbers]
        return [*listed, None if self.picture is None else self.picture.json()]


def facts_from(listed: Sequence[Any]) -> ValueFacts:
    """The facts that `ValueFacts.json` listed."""
    *numbers, picture = listed
    known: list[Any] = [float("nan") if number is None else number for number in numbers]
    found = None if picture is None else Picture.from_json(picture)
    zeros, denormals, checksum = known[7:]
    return ValueFacts(Range(*known[:7]), zeros, denormals, checksum, found)


def has_facts(dtype: np.dtype[Any]) -> bool:
    """Whether facts of values of a type are defined: neither of complex numbers nor of types narrower than a byte."""
    if dtype.type.__module__ == "numpy":
        return dtype.kind in "biuf"
    return dtype.name in _SMALL_FLOATS


def facts_of(array: Array) -> ValueFacts:
    """The facts of an array whose type has them."""
    total = _Totals()
    zeros = small = 0
    least = float(ml_dtypes.finfo(array.dtype).smallest_normal) if array.dtype.kind not in "biu" else 0.0
    for chunk in chunks_of(array):
        total.add(chunk)
        below = int(np.count_nonzero(np.abs(chunk) < chunk.dtype.type(least))) if least else chunk.size
        if below:  # counting zeros takes longer, and there are mostly none
            zeros += chunk.size - int(np.count_nonzero(chunk))
        small += below
    denormals = small - zeros if least else 0
    return ValueFacts(total.range(array.size, 1), zeros, denormals, checksum_of(array))


def range_of(array: Array) -> Range:
    """Range and mean of `array`, in one pass; of complex elements by magnitude."""
    distinct, repeats = without_repeats(array)
    total = _Totals()
    for chunk in chunks_of(distinct):
        total.add(chunk)
    return total.range(array.size, repeats)


def checksum_of(array: Array) -> int:
    """A checksum of the bits: the sum of all 64-bit words, weighted by their places in rows of `WORDS`, modulo 2^64."""
    data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    whole = data.size - data.size % (8 * WORDS)
    rest = np.zeros(8 * WORDS, np.uint8)
    rest[: data.size - whole] = data[whole:]
    rows, last = data[:whole].view(np.uint64).reshape(-1, WORDS), rest.view(np.uint64)
    of_columns = np.add.reduce(rows, axis=0) + last
    of_rows = np.append(np.add.reduce(rows, axis=1), np.add.reduce(last))
    weights = np.arange(1, 2 * of_rows.size, 2, dtype=np.uint64) * np.uint64(ROW_WEIGHT)
    return int(np.add.reduce(np.append(of_columns * _ODD, of_rows * weights)))


# Elements as numbers


def exact_numbers(array: Array) -> Array:
    """`array` in a NumPy dtype that represents each element exactly."""
    if array.dtype.type.__module__ == "numpy":
        return array.view(np.uint8) if array.dtype == np.bool_ else array
    return array.astype(np.int8 if "int" in array.dtype.name else np.float32)


def as_numbers(array: Array) -> Array:
    """`array` in a dtype that NumPy computes with fast; complex elements become magnitudes."""
    if array.dtype.kind == "c":
        with np.errstate(over="ignore"):
            return np.abs(array)
    return exact_numbers(array)


def without_repeats(array: Array) -> tuple[Array, int]:
    """`array` with every broadcast axis (stride 0) cut to one element, and the repeat count."""
    repeats = 1
    index: list[slice] = []
    for size, stride in zip(array.shape, array.strides, strict=True):
        repeated = stride == 0 and size > 1
        repeats *= size if repeated else 1
        index.append(slice(0, 1) if repeated else slice(None))
    return (array[tuple(index)] if repeats > 1 else array), repeats


def memory_order(array: Array) -> Array:
    """The elements in memory order, as one axis; copied only if they are not contiguous."""
    return array.ravel(order="K")


def chunks_of(array: Array) -> Iterator[Array]:
    """The elements as numbers, in chunks, in memory order."""
    flat = memory_order(array)
    for start in range(0, flat.size, CHUNK):
        yield as_numbers(flat[start : start + CHUNK])


class _Totals:
    """Accumulators of range and mean."""

    def __init__(self) -> None:
        self.low: list[Number] = []
        self.high: list[Number] = []
        self.means: list[tuple[int, float]] = []
        self.nan = self.positive = self.negative = 0

    def add(self, chunk: Array) -> None:
        with np.errstate(all="ignore"):
            # A sum of finite numbers is finite unless it overflows, and is cheaper than a test of each.
            total = float(chunk.sum(dtype=np.float64))
            if not isfinite(total):
                chunk = self._numbers_of(chunk)
                total = float(chunk.sum(dtype=np.float64))
        if chunk.size:
            self.low.append(chunk.min().item())
            self.high.append(chunk.max().item())
            self.means.append((chunk.size, total / chunk.size if isfinite(total) else _scaled_mean(chunk)))

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


def _scaled_mean(chunk: Array) -> float:
    """The mean of numbers near the end of f64, whose sum overflows."""
    with np.errstate(all="ignore"):
        return float((chunk / chunk.size).sum())
