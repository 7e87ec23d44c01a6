"""A value as at most 48 x 16 pixels for the margin of its line.

Leading axes are folded into rows, a vector is a strip. Pages stretch the picture over its frame, so its size depends on
the number of elements, not on its proportions. A pixel is the mean of its elements; a single NaN or infinity among them
is marked.
"""

from __future__ import annotations

from base64 import b64encode
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hloscope.engine.ir.module import Language
from hloscope.engine.ir.types import TensorType
from hloscope.engine.value_facts import as_numbers

from ..wire.values import ThumbnailInfo
from .elements import Array
from .numbers import json_number
from .summary import Lanes, value_text

WIDTH, HEIGHT = 48, 16
LEVELS = 250
MINUS_INFINITY, PLUS_INFINITY, NOT_A_NUMBER = 253, 254, 255
STRIP_ELEMENTS = 1 << 19
COPIED_ELEMENTS = 1 << 16


class Picture(NamedTuple):
    """Means of elements between `low` and `high`; pixel p up to 250 stands for low + p / 250 * (high - low)."""

    low: float
    high: float
    pixels: NDArray[np.uint8]
    nonfinite: bool
    """Whether a pixel has the mark of NaN or an infinity."""


def thumbnail(
    array: Array, type: TensorType, lanes: Lanes = None, language: Language = "stablehlo"
) -> ThumbnailInfo:
    """Text, range and pixels. Pixel p up to 250 stands for min + p / 250 * (max - min)."""
    low, high, pixels, nonfinite = picture_of(array)
    return {
        "text": value_text(array, type, lanes, language),
        "min": json_number(low),
        "max": json_number(high),
        "nonfinite": nonfinite,
        "width": pixels.shape[1],
        "height": pixels.shape[0],
        "pixels": b64encode(pixels.tobytes()).decode(),
    }


def picture_of(array: Array, width: int = WIDTH, height: int = HEIGHT) -> Picture:
    """A value in at most `width` x `height` pixels."""
    means, marks = _pixels(_fold(array), width, height)
    finite = means[marks == 0]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    spread = (high / 2 - low / 2) or 1.0
    with np.errstate(invalid="ignore", over="ignore"):
        levels = np.clip(np.rint((means / 2 - low / 2) / spread * LEVELS), 0, LEVELS)
    pixels = np.where(marks == 0, np.nan_to_num(levels), marks).astype(np.uint8)
    return Picture(low, high, pixels, bool(marks.any()))


def _fold(array: Array) -> Array:
    """Two axes; for a large value, repeats along leading axes are cut, to avoid a copy."""
    if array.ndim <= 2:
        return array.reshape((1,) * (2 - array.ndim) + array.shape)
    if array.size <= COPIED_ELEMENTS:
        return array.reshape(prod(array.shape[:-1]), array.shape[-1])
    cut = array[tuple(slice(0, 1) if stride == 0 else slice(None) for stride in array.strides[:-1])]
    return cut.reshape(prod(cut.shape[:-1]), cut.shape[-1])


def _pixels(picture: Array, width: int, height: int) -> tuple[Array, Array]:
    """The mean of each pixel and its mark: 0, or the NaN or infinity among its elements."""
    height, width = min(height, picture.shape[0]), min(width, picture.shape[1])
    means, marks = np.zeros((height, width)), np.zeros((height, width), np.uint8)
    if not picture.size:
        return means, marks
    # Draw one element of a broadcast axis; never materialise the repeats.
    picture = picture[tuple(slice(0, 1) if stride == 0 else slice(None) for stride in picture.strides)]
    rows = _edges(picture.shape[0], min(height, picture.shape[0]))
    columns = _edges(picture.shape[1], min(width, picture.shape[1]))
    for row in range(rows.size - 1):
        band = picture[rows[row] : rows[row + 1]]
        found = _band(band, columns)
        everywhere = slice(None) if rows.size == 2 else row
        means[everywhere], marks[everywhere] = found
    return means, marks


def _edges(size: int, pixels: int) -> Array:
    return np.arange(pixels + 1) * size // pixels


def _band(band: Array, columns: Array) -> tuple[Array, Array]:
    starts, sizes = columns[:-1], np.diff(columns) * band.shape[0]
    totals, marks = np.zeros(starts.size), np.zeros(starts.size, np.uint8)
    step = max(1, STRIP_ELEMENTS // max(1, band.shape[1]))
    for first in range(0, band.shape[0], step):
        strip = as_numbers(band[first : first + step])
        with np.errstate(all="ignore"):
            sums = strip.sum(axis=0, dtype=np.float64)
        if strip.dtype.kind == "f" and not np.isfinite(sums).all():
            marks, sums = np.maximum(marks, _marks(strip, starts)), np.nan_to_num(sums)
        with np.errstate(
            over="ignore"
        ):  # infinities count as the largest numbers; two of these are one again
            totals += np.add.reduceat(sums, starts)
    return totals / sizes, marks


def _marks(strip: Array, starts: Array) -> Array:
    found = np.zeros(starts.size, np.uint8)
    tests = (
        (strip == -np.inf, MINUS_INFINITY),
        (strip == np.inf, PLUS_INFINITY),
        (np.isnan(strip), NOT_A_NUMBER),
    )
    for mask, mark in tests:
        found[np.logical_or.reduceat(mask.any(axis=0), starts)] = mark
    return found
