"""A value as a small picture: at most 48 x 16 pixels for the margin of its line, each the element in its middle.

The colour scale is that of the elements (`colour_scales.py`). Means of noise, such as random weights, would look like a
constant. Leading axes are folded into rows, a vector is a strip. Pages stretch the picture over its frame, so its size
depends on the number of elements, not on its proportions. A single NaN or infinity among the elements of a pixel is marked. NumPy
alone computes it, so that a process which holds values for the engine can do it there.
"""

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
    ValueFacts,
    as_numbers,
    edges,
    facts_of,
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
    """The facts of a value with its picture."""
    facts = facts_of(array)
    return replace(facts, picture=picture_of(array, scale=scale_of(array, facts.range)))


def picture_of_pixels(numbers: Array, marks: Array, scale: ColourScale) -> Picture:
    """The picture of the number of each pixel, and its mark, or 0."""
    return Picture(scale, np.where(marks, marks, scale.levels(numbers)), bool(marks.any()))


def _fold(array: Array) -> Array:
    """Two axes; for a large value, repeats along leading axes are cut, to avoid a copy."""
    if array.ndim <= 2:
        return array.reshape((1,) * (2 - array.ndim) + array.shape)
    if array.size <= COPIED_ELEMENTS:
        return array.reshape(prod(array.shape[:-1]), array.shape[-1])
    cut = array[tuple(slice(0, 1) if stride == 0 else slice(None) for stride in array.strides[:-1])]
    return cut.reshape(prod(cut.shape[:-1]), cut.shape[-1])


def _pixels(picture: Array, width: int, height: int) -> tuple[Array, Array]:
    """The number of each pixel and its mark: 0, or the NaN or infinity among its elements."""
    height, width = min(height, picture.shape[0]), min(width, picture.shape[1])
    numbers, marks = np.zeros((height, width)), np.zeros((height, width), np.uint8)
    if not picture.size:
        return numbers, marks
    # Draw one element of a broadcast axis; never materialise the repeats.
    picture = picture[tuple(slice(0, 1) if stride == 0 else slice(None) for stride in picture.strides)]
    rows, columns = (
        edges(size, min(most, size)) for size, most in zip(picture.shape, (height, width), strict=True)
    )
    numbers[:] = np.nan_to_num(as_numbers(picture[np.ix_(middles(rows), middles(columns))]))
    for row, (first, last) in enumerate(pairwise(rows.tolist())):
        everywhere = slice(None) if rows.size == 2 else row
        marks[everywhere] = _marks_of_band(picture[first:last], columns[:-1])
    return numbers, marks


def middles(ends: Array) -> Array:
    """The element of each pixel that its colour shows, by the pixels' first elements and the end."""
    found: Array = (ends[:-1] + ends[1:]) // 2
    return found


def _marks_of_band(band: Array, starts: Array) -> Array:
    marks = np.zeros(starts.size, np.uint8)
    step = max(1, STRIP_ELEMENTS // max(1, band.shape[1]))
    for first in range(0, band.shape[0], step):
        strip = as_numbers(band[first : first + step])
        if strip.dtype.kind == "f" and not np.isfinite(strip).all():
            marks = np.maximum(marks, np.maximum.reduceat(marks_of(strip).max(axis=0), starts))
    return marks


def marks_of(numbers: Array) -> NDArray[np.uint8]:
    """The mark of each element, 0 for a finite one; of several elements the greatest counts."""
    found = np.zeros(numbers.shape, np.uint8)
    found[numbers == -np.inf], found[numbers == np.inf] = MINUS_INFINITY, PLUS_INFINITY
    found[np.isnan(numbers)] = NOT_A_NUMBER
    return found
