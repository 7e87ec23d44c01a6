"""Facts of the values of a device, computed where the values are: by NumPy on a CPU, otherwise by the device.

Runs in XLA's process. The device computes with the bits, because it may treat denormals as 0 and orders NaN as it likes;
so the facts are those of NumPy, but for the mean: its sum is rounded in another order, and may take denormals as 0.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from math import prod
from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

from hloscope.engine.colour_scales import SpreadOfElements, colour_scale, kind_of
from hloscope.engine.small_pictures import (
    MINUS_INFINITY,
    NOT_A_NUMBER,
    PLUS_INFINITY,
    facts_with_picture,
    middles,
    picture_of_pixels,
)
from hloscope.engine.value_facts import (
    HEIGHT,
    ROW_WEIGHT,
    WIDTH,
    WORDS,
    Range,
    ValueFacts,
    edges,
    sample_stride,
)

from .platforms import CPU

_MOST_THREADS = 4


def facts_of_all(values: Sequence[Any]) -> list[ValueFacts]:
    """The facts of arrays of one device."""
    if not values:
        return []
    if values[0].device.platform == CPU:
        # XLA's reductions on a CPU take 15 times as long as NumPy's.
        with ThreadPoolExecutor(min(_MOST_THREADS, os.cpu_count() or 1)) as threads:
            return list(threads.map(facts_with_picture, map(np.asarray, values)))
    return facts_by_device(values)


def facts_by_device(values: Sequence[Any]) -> list[ValueFacts]:
    """The facts of arrays, by the device that has them."""
    computed = jax.device_get([_facts(value) for value in values])
    return [_as_facts(value.dtype, value.shape, found) for value, found in zip(values, computed, strict=True)]


def _as_facts(dtype: Any, shape: tuple[int, ...], found: Any) -> ValueFacts:
    low, high, mean, counts, checksum, pixels, marks, spread = found
    nan, above, below, zeros, denormals, finite = map(int, counts)
    if not finite:
        ends: tuple[Any, Any, float] = (float("nan"), float("nan"), float("nan"))
    else:
        first, last = (_number(key, np.dtype(dtype)) for key in (low, high))
        ends = first, last, min(max(float(mean), float(first)), float(last))
    found_range = Range(prod(shape), *ends, nan, above, below)
    scale = colour_scale(kind_of(dtype), ends[0], ends[1], SpreadOfElements(*map(float, spread)))
    picture = picture_of_pixels(np.asarray(pixels), np.asarray(marks), scale)
    return ValueFacts(found_range, zeros, denormals, int(checksum), picture)


def _number(key: Any, dtype: np.dtype[Any]) -> Any:
    """The element of a key, see `_facts_traced`."""
    if dtype == np.bool_ or dtype.kind in "iu":
        return int(key)
    bits = key.dtype
    sign = bits.type(1 << 8 * bits.itemsize - 1)
    raw = key ^ sign if key & sign else ~key
    found = np.array(raw, bits).view(dtype)
    return float(found.astype(np.float64))


def _facts_traced(value: Any) -> tuple[Any, ...]:
    """The least and the greatest key of a finite element, the mean, counts, and the checksum.

    The key of an integer is itself. Those of floats are their bits, changed so that they are in the order of the numbers.
    """
    dtype = np.dtype(value.dtype)
    if dtype == np.bool_ or dtype.kind in "iu":
        numbers = value.astype(jnp.uint8) if dtype == np.bool_ else value
        counts = [0, 0, 0, jnp.sum(numbers == 0, dtype=jnp.int64), 0, value.size]
        ends = (jnp.min(numbers), jnp.max(numbers)) if value.size else (0, 0)
        mean = jnp.sum(numbers, dtype=jnp.float64) / max(1, value.size)
        floats = numbers.astype(jnp.float64)
        pixels, spread = _pixels(floats), _spread(floats, jnp.ones(value.shape, bool))
        counts_found = jnp.stack([jnp.int64(each) for each in counts])
        no_marks = jnp.zeros(pixels.shape, jnp.uint8)
        return *ends, mean, counts_found, _checksum(numbers), pixels, no_marks, spread
    info = ml_dtypes.finfo(dtype)
    unsigned = np.dtype(f"u{dtype.itemsize}")
    bits = lax.bitcast_convert_type(value, unsigned)
    one = unsigned.type(1)
    sign = unsigned.type(1 << 8 * dtype.itemsize - 1)
    size_bits = bits & (sign - one)
    infinity, greatest = _ends_of(dtype, unsigned)
    is_finite = size_bits <= greatest
    is_infinite = size_bits == infinity if infinity is not None else jnp.zeros(value.shape, bool)
    is_negative = (bits & sign) != 0
    least = unsigned.type(int(np.array(info.smallest_normal, dtype).view(unsigned)))
    tests = (
        *(~is_finite & ~is_infinite, is_infinite & ~is_negative, is_infinite & is_negative),
        *(size_bits == 0, (size_bits != 0) & (size_bits < least), is_finite),
    )
    counts_found = jnp.stack([jnp.sum(test, dtype=jnp.int64) for test in tests])
    keys = jnp.where(is_negative, ~bits, bits | sign)
    low = jnp.min(jnp.where(is_finite, keys, ~unsigned.type(0)), initial=~unsigned.type(0))
    high = jnp.max(jnp.where(is_finite, keys, unsigned.type(0)), initial=unsigned.type(0))
    numbers = jnp.where(is_finite, value, jnp.zeros((), dtype)).astype(jnp.float64)
    finite = jnp.maximum(counts_found[-1], 1)
    total = jnp.sum(numbers)
    mean = jnp.where(jnp.isfinite(total), total / finite, jnp.sum(numbers / finite))
    marks = ((is_infinite & is_negative, MINUS_INFINITY), (is_infinite & ~is_negative, PLUS_INFINITY))
    marked = jnp.zeros((), jnp.uint8)
    for test, mark in (*marks, (tests[0], NOT_A_NUMBER)):
        marked = jnp.where(_counts(test) > 0, np.uint8(mark), marked)
    spread = _spread(numbers, is_finite)
    return low, high, mean, counts_found, _checksum(bits), _pixels(numbers), marked, spread


def _spread(numbers: Any, is_finite: Any) -> Any:
    """See `spread_of` in `engine/value_facts.py`."""
    stride = sample_stride(numbers.size)
    sample, known = (each.reshape(-1)[::stride] for each in (numbers, is_finite))
    sizes = jnp.abs(sample)
    return jnp.concatenate(
        [_percentiles(sample, known, 0.5, 99.5), _percentiles(sizes, known & (sizes != 0), 10, 50, 99)]
    )


def _percentiles(numbers: Any, chosen: Any, *percents: float) -> Any:
    if not numbers.size:
        return jnp.full(len(percents), jnp.nan)
    ordered, last = jnp.sort(jnp.where(chosen, numbers, jnp.inf)), jnp.sum(chosen) - 1
    places = jnp.floor(jnp.array(percents) / 100 * last + 0.5).astype(jnp.int64)
    return jnp.where(last < 0, jnp.nan, ordered[jnp.maximum(places, 0)])


def _pixels(numbers: Any) -> Any:
    """The element of each pixel of the small picture: see `engine/small_pictures.py`."""
    found = _folded(numbers)
    for axis, most in enumerate((HEIGHT, WIDTH)):
        if size := found.shape[axis]:
            found = jnp.take(found, middles(edges(size, min(most, size))), axis)
    return found


def _counts(test: Any) -> Any:
    """The number of elements of each pixel that pass a test."""
    return _parts(_parts(_folded(test.astype(jnp.float64)), 0, HEIGHT), 1, WIDTH)


def _folded(elements: Any) -> Any:
    return elements.reshape(prod(elements.shape[:-1]), elements.shape[-1])


def _parts(numbers: Any, axis: int, most: int) -> Any:
    """The sums of at most `most` parts along an axis."""
    size = numbers.shape[axis]
    if not numbers.size:
        return jnp.zeros([*numbers.shape[:axis], min(most, size), *numbers.shape[axis + 1 :]])
    ends = edges(size, min(most, size))
    widths = np.diff(ends)
    table = ends[:-1, None] + np.arange(widths.max())
    if (widths == widths[0]).all():
        parts = numbers.reshape(*numbers.shape[:axis], *table.shape, *numbers.shape[axis + 1 :])
    else:
        inside = np.expand_dims(table < ends[1:, None], [*range(axis), *range(axis + 2, numbers.ndim + 1)])
        parts = jnp.where(inside, jnp.take(numbers, np.minimum(table, size - 1), axis), 0)
    return parts.sum(axis + 1)


_facts = jax.jit(_facts_traced)


@lru_cache
def _ends_of(dtype: np.dtype[Any], unsigned: np.dtype[Any]) -> tuple[Any, Any]:
    """The bits of infinity, `None` if the type has none, and those of the greatest finite number."""
    info = ml_dtypes.finfo(dtype)
    with np.errstate(all="ignore"):
        infinity = np.array(np.inf).astype(dtype)
    greatest = unsigned.type(int(np.array(info.max, dtype).view(unsigned)))
    has_one = bool(np.isinf(infinity.astype(np.float64)))
    return (unsigned.type(int(infinity.view(unsigned))) if has_one else None), greatest


def _checksum(bits: Any) -> Any:
    """See `checksum_of`."""
    width = np.dtype(bits.dtype).itemsize
    unsigned = np.dtype(f"u{width}")
    flat = lax.bitcast_convert_type(bits, unsigned).reshape(-1)
    flat = jnp.pad(flat, (0, -flat.size % (8 // width)))
    words = flat if width == 8 else lax.bitcast_convert_type(flat.reshape(-1, 8 // width), jnp.uint64)
    place = lax.iota(jnp.uint64, words.size)
    columns = 2 * (place % np.uint64(WORDS)) + np.uint64(1)
    rows = (2 * (place // np.uint64(WORDS)) + np.uint64(1)) * np.uint64(ROW_WEIGHT)
    return jnp.sum(words * (columns + rows), dtype=jnp.uint64)
