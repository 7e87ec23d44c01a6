"""Rectangles of a value, exact or as bins of a min / mean / max pyramid, as bytes.

A window shows two axes of a value, the others held at an index. Level 0 is the elements; at level n each
cell stands for 2^n x 2^n of them. The layout of the bytes is in `encode`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hloscope.engine.ir.types import TensorType
from hloscope.engine.small_pictures import marks_of
from hloscope.engine.value_facts import as_numbers

from ..wire.values import WindowHeader
from .elements import F32, F64, U32, Array, Wire, is_wide, wire_of

MAX_CELLS = 1 << 20
MAX_LEVEL = 40
EVERY_AXIS = -2
MOST_IN_PLANES = 1 << 24
"""Maximum elements of a value that is shown with all its planes."""
PLANES_OF_BINS = ("min", "mean", "max", "nonfinite", "mark")
STRIP_ELEMENTS = 1 << 20
"""Maximum elements binned in one step."""


class WindowError(ValueError):
    """A window outside of the value; the message is a sentence for the user."""


@dataclass(frozen=True)
class Window:
    """The part to show; `top`, `left`, `height` and `width` count cells of `level`."""

    rows: int
    """The axis that runs down, -1 for none (one row)."""
    columns: int
    """The axis that runs to the right; -1 for none, -2 for all axes in row-major order."""
    at: tuple[int, ...]
    """The index of every axis; those of `rows` and `columns` are ignored."""
    top: int
    left: int
    height: int
    width: int
    level: int = 0
    planes: int = 0
    """Planes of all other axes in a row of the picture, which shows them all; 0 for one plane."""

    @classmethod
    def parse(
        cls, rows: str, columns: str, at: str, start: str, size: str, level: str = "0", planes: int = 0
    ) -> Window:
        """The window that the query's texts state. Raises `WindowError` with the cause."""
        try:
            top, left = (int(item) for item in start.split(","))
            height, width = (int(item) for item in size.split(","))
            index = tuple(int(item) for item in at.split(",") if item.strip())
            return cls(int(rows), int(columns), index, top, left, height, width, int(level), planes)
        except ValueError:
            raise WindowError(
                "rows, columns and level are numbers, at has one for each axis, from and size have two each"
            ) from None


def window_bytes(array: Array, type: TensorType, window: Window) -> bytes:
    """The window of `array`, clamped to its edges."""
    picture = _picture(array, window)
    if not 0 <= window.level <= MAX_LEVEL or min(window.top, window.left, window.height, window.width) < 0:
        raise WindowError(f"level is 0 to {MAX_LEVEL}, and from and size are not negative")
    bin_size = 1 << window.level
    total = (-(-picture.shape[0] // bin_size), -(-picture.shape[1] // bin_size))
    top, left = min(window.top, total[0]), min(window.left, total[1])
    height, width = min(window.height, total[0] - top), min(window.width, total[1] - left)
    if height * width > MAX_CELLS:
        raise WindowError(f"a window has at most {MAX_CELLS:,} cells, not {height} times {width}")
    part = picture[top * bin_size : (top + height) * bin_size, left * bin_size : (left + width) * bin_size]
    exact = window.level == 0
    wire = wire_of(type.element_type) if exact else F64 if is_wide(type.element_type) else F32
    planes = [wire.encode(part)] if exact else _bin_planes(part, bin_size, (height, width), wire)
    head: WindowHeader = {
        "rows": window.rows,
        "columns": window.columns,
        "height": height,
        "width": width,
        "level": window.level,
        "total": total,
        "wire": wire.json(),
        "planes": ["value"] if exact else [*PLANES_OF_BINS[: len(planes)]],
    }
    return encode(head, planes)


def encode(head: WindowHeader, planes: Sequence[bytes]) -> bytes:
    """u32 length of the JSON, the JSON, zero padding to a multiple of 8, then the planes."""
    text = json.dumps(head, separators=(",", ":")).encode()
    padding = b"\0" * (-(4 + len(text)) % 8)
    return b"".join([len(text).to_bytes(4, "little"), text, padding, *planes])


def _picture(array: Array, window: Window) -> Array:
    """The two axes of the window as rows and columns; a view."""
    if window.columns == EVERY_AXIS:
        return array.reshape(1, -1)
    axes = [axis for axis in (window.rows, window.columns) if axis >= 0]
    if len(set(axes)) != len(axes) or any(axis >= array.ndim for axis in axes):
        raise WindowError(f"rows and columns are two of the {array.ndim} axes, or -1")
    if len(window.at) != array.ndim:
        raise WindowError(f"at needs an index for each of the {array.ndim} axes, not {len(window.at)}")
    if window.planes:
        return _all_planes(array, window)
    index: list[int | slice] = []
    for axis, (place, size) in enumerate(zip(window.at, array.shape, strict=True)):
        if axis not in axes and not 0 <= place < size:
            raise WindowError(f"index {place} is outside axis {axis} of size {size}")
        index.append(slice(None) if axis in axes else place)
    picture = array[tuple(index)]
    if 0 <= window.columns < window.rows:
        picture = picture.T
    height = array.shape[window.rows] if window.rows >= 0 else 1
    width = array.shape[window.columns] if window.columns >= 0 else 1
    return picture.reshape(height, width)


def _all_planes(array: Array, window: Window) -> Array:
    """The planes of two axes, `window.planes` of them in a row; a copy."""
    outer = [axis for axis in range(array.ndim) if axis not in (window.rows, window.columns)]
    if min(window.rows, window.columns) < 0 or array.size > MOST_IN_PLANES:
        raise WindowError(f"all planes are shown of two axes, and of at most {MOST_IN_PLANES:,} elements")
    stack = array.transpose(*outer, window.rows, window.columns)
    height, width = stack.shape[-2:]
    count = stack.size // (height * width) if height * width else 0
    if count % window.planes:
        raise WindowError(f"planes={window.planes} does not divide the {count} planes")
    grid = stack.reshape(count // window.planes, window.planes, height, width)
    return grid.transpose(0, 2, 1, 3).reshape(-1, window.planes * width)


# Bins.


def _bin_planes(part: Array, bin_size: int, shape: tuple[int, int], wire: Wire) -> list[bytes]:
    """The planes of all bins, the last one only where elements are not finite. An axis of stride 0 repeats one index, which is binned once: a splat may have 10^12 elements."""
    repeats = [size > 1 and stride == 0 for size, stride in zip(part.shape, part.strides, strict=True)]
    once = part[tuple(slice(1) if repeat else slice(None) for repeat in repeats)]
    bins = tuple(1 if repeat else count for repeat, count in zip(repeats, shape, strict=True))
    low, mean, high = (np.full(bins, np.nan, wire.dtype) for _ in range(3))
    nonfinite, mark = np.zeros(bins, U32.dtype), np.zeros(bins, U32.dtype)
    for rows, strip in _strips(once, bin_size):
        low[rows], mean[rows], high[rows], nonfinite[rows], mark[rows] = _bin(strip, bin_size)
    times = np.outer(
        *(
            _bin_sizes(size, bin_size) if repeat else np.ones(1, np.int64)
            for repeat, size in zip(repeats, part.shape, strict=True)
        )
    )
    counts = (nonfinite * times).astype(U32.dtype)
    numbers = (wire.encode(np.broadcast_to(plane, shape)) for plane in (low, mean, high))
    rest = (counts, mark) if mark.any() else (counts,)
    return [*numbers, *(U32.encode(np.broadcast_to(plane, shape)) for plane in rest)]


def _bin_sizes(size: int, bin_size: int) -> Array:
    """The number of elements of each bin of an axis."""
    return np.minimum(bin_size, size - np.arange(0, size, bin_size))


def _strips(part: Array, bin_size: int) -> Iterator[tuple[slice, Array]]:
    """Rows of bins, in strips, as numbers."""
    bins = max(1, STRIP_ELEMENTS // max(1, part.shape[1] * bin_size))
    for start in range(0, -(-part.shape[0] // bin_size), bins):
        strip = part[start * bin_size : (start + bins) * bin_size]
        yield slice(start, start + bins), as_numbers(strip)


def _bin(strip: Array, bin_size: int) -> tuple[Array, Array, Array, Array, Array]:
    """Minimum, mean and maximum of each bin's finite elements, the count of the others, and their mark, as in small pictures."""
    sizes = np.outer(*(_bin_sizes(size, bin_size) for size in strip.shape))
    low = high = total = strip
    bad = mark = np.zeros(sizes.shape, np.uint32)
    if strip.dtype.kind == "f" and not (finite := np.isfinite(strip)).all():
        bad, mark = _fold(~finite, bin_size, np.add, np.uint32), _fold(marks_of(strip), bin_size, np.maximum)
        low, high = np.where(finite, strip, np.inf), np.where(finite, strip, -np.inf)
        total = np.where(finite, strip, 0)
    low, high = _fold(low, bin_size, np.minimum), _fold(high, bin_size, np.maximum)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        mean = _fold(total, bin_size, np.add, np.float64) / (sizes - bad)
    empty = bad == sizes
    if empty.any():
        low, high = (np.where(empty, np.nan, plane) for plane in (low, high))
    return low, mean, high, bad, mark


def _fold(numbers: Array, bin_size: int, combine: np.ufunc, dtype: Any = None) -> Array:
    """`combine` over the rows of bins, then over the columns of the smaller rest."""
    rows = _fold_rows(numbers, bin_size, combine, dtype)
    return _fold_rows(rows.T, bin_size, combine, dtype).T


def _fold_rows(numbers: Array, bin_size: int, combine: np.ufunc, dtype: Any) -> Array:
    whole = numbers.shape[0] // bin_size
    body = numbers[: whole * bin_size].reshape(whole, bin_size, numbers.shape[1])
    folded: Array = combine.reduce(body, axis=1, dtype=dtype)
    if whole * bin_size == numbers.shape[0]:
        return folded
    rest = combine.reduce(numbers[whole * bin_size :], axis=0, dtype=dtype)
    return np.concatenate([folded, rest[None]])
