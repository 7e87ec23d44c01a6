"""Compares facts by a device of jax with those by NumPy, on random bits; prints what differs. A process of its own, for jax."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import jax
import ml_dtypes
import numpy as np

from hloscope.app.xla.device_facts import facts_by_device, facts_of_all
from hloscope.engine.colour_scales import LEVELS
from hloscope.engine.small_pictures import picture_of
from hloscope.engine.value_facts import Picture, ValueFacts, facts_of

NAMES = (
    "bool",
    "int8",
    "uint8",
    "int16",
    "uint32",
    "int32",
    "int64",
    "uint64",
    "float16",
    "float32",
    "float64",
)
SHAPES = ((0,), (3, 5), (7, 11, 13), (8195,), (32, 96), (40, 100))
ONE_SHAPE = ((40, 100),)
IN_ALL_SHAPES = ("bool", "int32", "float32", "bfloat16")
"""A kind of numbers each. The others have one shape, because XLA compiles for each pair."""
FEW = ("float32", "bool", "uint8", "int32", "float64", "bfloat16", "float8_e4m3fn")
"""What is compared unless all are asked for, the first in all shapes."""
MEAN_ERROR = 2.0**-50
"""Largest error of a mean, of the greatest magnitude and per element; besides, the device may sum denormals as 0."""


def _dtypes() -> Iterator[np.dtype[Any]]:
    yield from map(np.dtype, NAMES)
    yield from map(np.dtype, (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2))


def _arrays(random: np.random.Generator, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Iterator[Any]:
    """Random bits; random bits with few exponents, so denormals; numbers; and constants."""
    if dtype == np.bool_:
        yield random.integers(0, 2, shape).astype(np.bool_)
        return
    words = random.integers(0, 1 << 8 * dtype.itemsize, shape, f"u{dtype.itemsize}", endpoint=False)
    yield words.view(dtype)
    yield (words >> (8 * dtype.itemsize // 2)).view(dtype)
    with np.errstate(all="ignore"):
        yield (random.normal(size=shape) * 50).astype(dtype)
        for constant in (
            0.0,
            -0.0,
            np.nan,
            np.inf,
            -np.inf,
            float(ml_dtypes.finfo(dtype).max) if dtype.kind not in "iu" else 1,
        ):
            if dtype.kind not in "iu" or constant == 1:
                yield np.full(shape, constant).astype(dtype)


def _differs(dtype: np.dtype[Any], one: ValueFacts, other: ValueFacts) -> bool:
    first, second = one.json()[:-1], other.json()[:-1]
    means = first.pop(3), second.pop(3)
    if first != second or (means[0] is None) != (means[1] is None):
        return True
    if means[0] is None or means[1] is None:
        return False
    greatest = max(abs(float(one.range.minimum)), abs(float(one.range.maximum)))
    flushed = float(ml_dtypes.finfo(dtype).smallest_normal) if one.denormals else 0.0
    return not abs(means[0] - means[1]) <= MEAN_ERROR * one.range.count * greatest + flushed


def _is_other_picture(known: Picture, found: Picture | None) -> bool:
    """Whether marks, ends or levels differ by more than the rounding of sums explains."""
    if found is None or (known.pixels.shape, known.nonfinite) != (found.pixels.shape, found.nonfinite):
        return True
    levels = known.pixels.astype(int), found.pixels.astype(int)
    is_marked = levels[0] > LEVELS
    spread = known.scale.high - known.scale.low
    flushed = spread < 1e-30  # the device may sum denormals as 0
    same_marks = np.array_equal(levels[0][is_marked], levels[1][is_marked])
    close = np.abs(levels[0] - levels[1])[~is_marked].max(initial=0) <= 1
    with np.errstate(all="ignore"):
        same_scale = known.scale.palette == found.scale.palette and np.allclose(
            found.scale[1:3], known.scale[1:3], 1e-9, 1e-9 * spread + 1e-30, equal_nan=True
        )
    return not (same_marks and (flushed or not np.isfinite(spread) or (close and same_scale)))


def main(*, every: bool) -> int:
    """The number of arrays whose facts differ."""
    jax.config.update("jax_enable_x64", True)
    random, wrong, count = np.random.default_rng(0), 0, 0
    for dtype in _dtypes() if every else map(np.dtype, FEW):
        for shape in SHAPES if dtype.name in (IN_ALL_SHAPES if every else FEW[:1]) else ONE_SHAPE:
            arrays = list(_arrays(random, dtype, shape))
            given = [jax.device_put(array) for array in arrays]
            for array, *found in zip(arrays, facts_by_device(given), facts_of_all(given), strict=True):
                count += 1
                known = facts_of(array)
                picture = picture_of(array)
                if any(
                    _differs(dtype, known, each) or _is_other_picture(picture, each.picture) for each in found
                ):
                    wrong += 1
                    print(f"{dtype} {shape}: {known.json()} but {[each.json() for each in found]}")
    print(f"{wrong} of {count} differ")
    return wrong


if __name__ == "__main__":
    sys.exit(main(every="--all" in sys.argv) > 0)
