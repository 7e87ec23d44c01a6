"""A value as a small picture: at most 48 x 16 pixels for the margin of its line, each the mean of its elements.

The colour scale is that of the elements (`colour_scales.py`), also where a pixel is the mean of many. Leading axes are folded into rows, a vector is a strip. Pages stretch the picture over its frame, so its size depends on
the number of elements, not on its proportions. A single NaN or infinity among the elements of a pixel is marked. NumPy
alone computes it, so that a process which holds values for the engine can do it there.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import prod

import numpy as np
from numpy.typing import NDArray

from .colour_scales import ColourScale
from .value_facts import (
    HEIGHT,
    WIDTH,
    Array,
    Picture,
    PixelSums,
    ValueFacts,
    as_numbers,
    edges,
    facts_and_sums,
    range_of,
    scale_of,
)

MINUS_INFINITY, PLUS_INFINITY, NOT_A_NUMBER = 253, 254, 255
STRIP_ELEMENTS = 1 << 19
COPIED_ELEMENTS = 1 << 16


def picture_of(
    array: Array, width: int = WIDTH, height: int = HEIGHT, scale: ColourScale | None = None
) -> Picture:
    """A value in at most `width` x `height` pixels, in its own scale by default."""
    return picture_of_pixels(*_pixels(_fold(array), width, height), scale or scale_of(array, range_of(array)))


def facts_with_picture(array: Array) -> ValueFacts:
    """The facts of a value with its picture, in one pass where all elements are finite."""
    facts, sums = facts_and_sums(array)
    scale = scale_of(array, facts.range)
    if sums is None:
        return replace(facts, picture=picture_of(array, scale=scale))
    return replace(facts, picture=Picture(scale, scale.levels(sums.means), False))


def picture_of_pixels(means: Array, marks: Array, scale: ColourScale) -> Picture:
    """The picture of the mean of each pixel, and its mark, or 0."""
    return Picture(scale, np.where(marks, marks, scale.levels(means)), bool(marks.any()))


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
    rows = edges(picture.shape[0], min(height, picture.shape[0]))
    columns = edges(picture.shape[1], min(width, picture.shape[1]))
    sums = PixelSums(picture.shape, (height, width))
    with np.errstate(all="ignore"):
        if all(sums.add(block, as_numbers(elements)) for block, elements in sums.blocks(picture)):
            means[:] = sums.means
            return means, marks
    for row in range(rows.size - 1):
        band = picture[rows[row] : rows[row + 1]]
        found = _band(band, columns)
        everywhere = slice(None) if rows.size == 2 else row
        means[everywhere], marks[everywhere] = found
    return means, marks


def _band(band: Array, columns: Array) -> tuple[Array, Array]:
    starts, sizes = columns[:-1], np.diff(columns) * band.shape[0]
    totals, marks = np.zeros(starts.size), np.zeros(starts.size, np.uint8)
    step = max(1, STRIP_ELEMENTS // max(1, band.shape[1]))
    for first in range(0, band.shape[0], step):
        strip = as_numbers(band[first : first + step])
        with np.errstate(all="ignore"):
            if len(strip) == 1:  # no array of all elements in f64
                ends = [*starts.tolist(), strip.shape[1]]
                sums = np.array([strip[0, a:b].sum(dtype=np.float64) for a, b in pairwise(ends)])
            else:
                sums = np.add.reduceat(strip.sum(axis=0, dtype=np.float64), starts)
        if strip.dtype.kind == "f" and not np.isfinite(sums).all():
            found = np.maximum.reduceat(marks_of(strip).max(axis=0), starts)
            marks, sums = np.maximum(marks, found), np.nan_to_num(sums)
        with np.errstate(over="ignore"):
            totals += sums  # infinities count as the largest numbers; two of these are one again
    return totals / sizes, marks


def marks_of(numbers: Array) -> NDArray[np.uint8]:
    """The mark of each element, 0 for a finite one; of several elements the greatest counts."""
    found = np.zeros(numbers.shape, np.uint8)
    found[numbers == -np.inf], found[numbers == np.inf] = MINUS_INFINITY, PLUS_INFINITY
    found[np.isnan(numbers)] = NOT_A_NUMBER
    return found
