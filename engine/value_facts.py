"""The facts of a value: range, mean, counts, a checksum and a small picture, which tell much about it without its elements.

They are exact, but for the mean, a sum that is rounded in f64 in any order. NumPy alone computes them, so that a process which holds
values for the engine can do it there.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import copysign, isfinite, isnan
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from .colour_scales import ColourScale, SpreadOfElements, colour_scale, kind_of, percentiles

Array = NDArray[Any]
Number = int | float
CHUNK = 1 << 17
"""Elements per chunk; fits the processor's cache as f64 too."""
WORDS = 1024
"""Words of 64 bits in a row of the checksum."""
ROW_WEIGHT = 0x9E3779B97F4A7C15
WIDTH, HEIGHT = 48, 16
"""Maximum pixels of a small picture."""
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
    """The level in the scale of the mean of each pixel's elements, or the mark of one that is not finite."""

    scale: ColourScale
    pixels: NDArray[np.uint8]
    nonfinite: bool
    """Whether a pixel has the mark of NaN or an infinity."""

    def json(self) -> list[Any]:
        """The picture as a list for JSON, which `from_json` reads."""
        kind, low, high, shape, soft = self.scale
        scale = [kind, float(low).hex(), float(high).hex(), shape, float(soft).hex()]  # JSON has no NaN
        return [scale, self.pixels.shape, b64encode(self.pixels.tobytes()).decode(), self.nonfinite]

    @classmethod
    def from_json(cls, listed: Sequence[Any]) -> Picture:
        """The picture that `json` listed."""
        (kind, low, high, form, soft), shape, data, nonfinite = listed
        scale = ColourScale(kind, float.fromhex(low), float.fromhex(high), form, float.fromhex(soft))
        return cls(scale, np.frombuffer(b64decode(data), np.uint8).reshape(shape), nonfinite)


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
    if array.flags.c_contiguous and array.size and (found := _finite_facts(array)) is not None:
        return found
    total = _Totals()
    zeros = small = 0
    least = _least(array.dtype)
    for chunk in chunks_of(array):
        total.add(chunk)
        found_zeros, found_small = _count_small(chunk, least)
        zeros, small = zeros + found_zeros, small + found_small
    return ValueFacts(total.range(array.size, 1), zeros, small - zeros, checksum_of(array))


def _finite_facts(array: Array) -> ValueFacts | None:
    """All in one pass, of chunks that stay in the cache; `None` if an element is not finite, or a sum overflows."""
    least, checksum, done = _least(array.dtype), _Checksum(array), 0
    low: list[Number] = []
    high: list[Number] = []
    zeros, small, total = 0, 0, 0.0
    flat = array.reshape(-1)
    with np.errstate(all="ignore"):
        for first in range(0, flat.size, CHUNK):
            elements = flat[first : first + CHUNK]
            numbers = as_numbers(elements)
            total += float(np.add.reduce(numbers, axis=None, dtype=np.float64))
            if not isfinite(total):
                return None
            least_here, most_here = _ends(numbers)
            low.append(least_here)
            high.append(most_here)
            if low[-1] < (least or 1) and high[-1] > -(least or 1):
                found_zeros, found_small = _count_small(numbers, least)
                zeros, small = zeros + found_zeros, small + found_small
            done += elements.nbytes
            checksum.add_until(done)
    ends = min(low, key=_signed), max(high, key=_signed)
    # Rounding must not move the mean beyond the ends, or away from equal numbers.
    mean = min(max(total / array.size, float(ends[0])), float(ends[1]))
    return ValueFacts(Range(array.size, *ends, mean, 0, 0, 0), zeros, small - zeros, checksum.value())


@lru_cache
def _least(dtype: np.dtype[Any]) -> float:
    """The smallest normal number of a type of floats; 0 of another type."""
    return 0.0 if dtype.kind in "biu" else float(ml_dtypes.finfo(dtype).smallest_normal)


def _count_small(chunk: Array, least: float) -> tuple[int, int]:
    """The number of zeros, and of zeros and denormals."""
    if not least:
        zeros = chunk.size - int(np.count_nonzero(chunk))
        return zeros, zeros
    sizes = np.abs(chunk)
    if not chunk.size or np.minimum.reduce(sizes, axis=None) >= least:
        return 0, 0
    # Counting zeros takes longer, and there are mostly none.
    return chunk.size - int(np.count_nonzero(chunk)), int(np.count_nonzero(sizes < chunk.dtype.type(least)))


def _ends(chunk: Array) -> tuple[Number, Number]:
    """The least and the greatest element; -0 is less than 0, which NumPy takes for the same."""
    low, high = np.minimum.reduce(chunk, axis=None).item(), np.maximum.reduce(chunk, axis=None).item()
    if chunk.dtype.kind == "f" and not (low and high):
        signs = np.signbit(chunk)
        low = low or (-0.0 if signs.any() else 0.0)
        high = high or (-0.0 if signs.all() else 0.0)
    return low, high


def _signed(number: Number) -> tuple[Number, float]:
    """A key that orders the zeros by their signs."""
    return number, copysign(1.0, number)


def edges(size: int, pixels: int) -> Array:
    """The first element of each pixel along an axis, and the end."""
    return np.arange(pixels + 1) * size // pixels


def range_of(array: Array) -> Range:
    """Range and mean of `array`, in one pass; of complex elements by magnitude."""
    distinct, repeats = without_repeats(array)
    total = _Totals()
    for chunk in chunks_of(distinct):
        total.add(chunk)
    return total.range(array.size, repeats)


_SAMPLE = 1 << 13
"""Maximum elements of which percentiles are computed."""


def spread_of(array: Array) -> SpreadOfElements:
    """The spread of the elements of `array`, or of a sample; of complex ones, of their magnitudes."""
    flat = memory_order(without_repeats(array)[0])
    with np.errstate(invalid="ignore"):  # a NaN that signals
        numbers = as_numbers(flat[:: sample_stride(flat.size)]).astype(np.float64)
    finite = numbers[np.isfinite(numbers)]
    sizes = np.abs(finite[finite != 0])
    return SpreadOfElements(*percentiles(finite, 0.5, 99.5), *percentiles(sizes, 10, 50, 99))


def sample_stride(count: int) -> int:
    """The distance of the elements of a sample."""
    return max(1, -(-count // _SAMPLE))


def scale_of(array: Array, found: Range) -> ColourScale:
    """The colour scale of an array whose range is known."""
    # Equal elements, and booleans, need no spread.
    kind = kind_of(array.dtype)
    is_spread = kind != "boolean" and found.maximum > found.minimum
    return colour_scale(
        kind, found.minimum, found.maximum, spread_of(array) if is_spread else SpreadOfElements()
    )


def checksum_of(array: Array) -> int:
    """A checksum of the bits: the sum of all 64-bit words, weighted by their places in rows of `WORDS`, modulo 2^64."""
    checksum = _Checksum(array)
    checksum.add_until(array.nbytes)
    return checksum.value()


class _Checksum:
    """Adds up the checksum of an array, part by part, while the part is in the cache."""

    def __init__(self, array: Array) -> None:
        data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        whole = data.size - data.size % (8 * WORDS)
        rest = np.zeros(8 * WORDS, np.uint8)
        rest[: data.size - whole] = data[whole:]
        self._rows = data[:whole].view(np.uint64).reshape(-1, WORDS)
        self._of_columns, self._done = rest.view(np.uint64), 0
        self._of_rows = np.zeros(len(self._rows) + 1, np.uint64)
        self._of_rows[-1] = np.add.reduce(self._of_columns)

    def add_until(self, end: int) -> None:
        """Add the rows that end before a byte."""
        last = end // (8 * WORDS)
        if last > self._done:
            rows = self._rows[self._done : last]
            self._of_columns += np.add.reduce(rows, axis=0)
            np.add.reduce(rows, axis=1, out=self._of_rows[self._done : last])
            self._done = last

    def value(self) -> int:
        """The checksum, of the rows that were added."""
        sums = (
            np.add.reduce(self._of_columns * _ODD),
            np.add.reduce(self._of_rows * _row_weights(self._of_rows.size)),
        )
        return sum(map(int, sums)) % (1 << 64)


@lru_cache(maxsize=64)
def _row_weights(count: int) -> Array:
    return np.arange(1, 2 * count, 2, dtype=np.uint64) * np.uint64(ROW_WEIGHT)


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
            low, high = _ends(chunk)
            self.low.append(low)
            self.high.append(high)
            self.means.append((chunk.size, total / chunk.size if isfinite(total) else _scaled_mean(chunk)))

    def _numbers_of(self, chunk: Array) -> Array:
        self.nan += int(np.count_nonzero(np.isnan(chunk)))
        self.positive += int(np.count_nonzero(chunk == np.inf))
        self.negative += int(np.count_nonzero(chunk == -np.inf))
        finite = np.isfinite(chunk)
        return chunk if finite.all() else chunk[finite]

    def range(self, count: int, repeats: int) -> Range:
        size = sum(size for size, _ in self.means)
        low: Number = min(self.low, key=_signed, default=float("nan"))
        high: Number = max(self.high, key=_signed, default=float("nan"))
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
