"""The sums of products that a convolution is, over strided views of windows.

Windows are [group, batch, places…, window…, channel] of the padded input, kernels [group, window…, channel,
feature] and results [group, batch, places…, feature]. Measured on ResNet's layers, packing windows into blocks
of a few MiB in the order in which they lie in memory, and one BLAS product for each, beats packing all of them
and adding up a product for each place in the window. Windows of one element are multiplied where they are;
those of one channel, where BLAS has nothing to do, are shifted, scaled and added.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ..core.op import Array
from ..core.quiet import quiet
from .matrix_products import Arithmetic

BLOCK_BYTES = 1 << 22
"""Maximum bytes of the packed windows and sums of one block, which fit in the processor's cache."""
_DEPTH = 1 << 13
"""Elements of a window that are multiplied at once; the sums of larger ones are added up."""
_SHIFTED_ELEMENTS = 1 << 15
_MOST_SHIFTED_FEATURES = 4
_PLACES_PER_SHIFT = 16

Slices = tuple[slice, ...]


def convolve(windows: Array, kernel: Array, how: Arithmetic, result: Array) -> None:
    """Writes the convolution into `result`; windows and kernel are prepared."""
    if not result.size or not kernel.size:
        result[...] = how.finish(np.zeros((), how.dtype))
    elif _is_thin(windows, kernel):
        _shift_and_add(windows, kernel, how, result)
    elif not _multiply_in_place(windows, kernel, how, result):
        _pack_and_multiply(windows, kernel, how, result)


def convolve_inside(windows: Array, inside: Array, kernel: Array, how: Arithmetic, result: Array) -> None:
    """Writes the sums of the products with elements alone; `inside`, as large as `windows`, is false at padding and holes.

    Only a kernel with an infinity or NaN makes a difference, so this adds up one place in the window after another.
    """
    first, last = result.ndim - 1, windows.ndim - 1
    sums = np.zeros(result.shape, how.dtype)
    for position in product(*map(range, windows.shape[first:last])):
        here: Any = (*(slice(None),) * first, *position)
        place: Any = (slice(None), *position)
        rows = windows[here].reshape(windows.shape[0], -1, windows.shape[last])
        products = how.product(rows, kernel[place]).reshape(result.shape)
        sums += np.where(inside[(*here, slice(1))], products, 0)
    result[...] = how.finish(sums)


def _is_thin(windows: Array, kernel: Array) -> bool:
    """Whether whole-array additions are cheaper than packing: depthwise convolutions, filters of pictures."""
    channels, features = kernel.shape[-2:]
    positions = prod(kernel.shape[1:-2])
    places = windows.size // (positions * channels)
    return bool(
        channels == 1 and features <= _MOST_SHIFTED_FEATURES and places >= _PLACES_PER_SHIFT * positions
    )


def _shift_and_add(windows: Array, kernel: Array, how: Arithmetic, result: Array) -> None:
    """Adds up, for each element of the kernel, the input shifted under it times that element."""
    outer = _axes_by_stride(windows, range(result.ndim - 1))
    inner = range(result.ndim - 1, windows.ndim - 1)
    source = windows[..., 0].transpose(*outer, *inner)
    target = result.transpose(*outer, result.ndim - 1)
    shape = [1] * len(outer)
    shape[outer.index(0)] = -1
    sizes = source.shape[: len(outer)]
    for block in _blocks(sizes, _tile(sizes, _SHIFTED_ELEMENTS)):
        groups = kernel[block[outer.index(0)], ..., 0, :]
        for feature in range(kernel.shape[-1]):
            place: Any = (*block, feature)
            target[place] = how.finish(_shifted_sums(source, block, groups[..., feature], shape))


def _shifted_sums(source: Array, block: Slices, factors: Array, shape: Sequence[int]) -> Array:
    """The sums of one output feature of each group; `factors` are [group, window…], blocks have the given `shape`."""
    sums: Any = None
    for position in product(*map(range, factors.shape[1:])):
        here: Any = (*block, *position)
        factor: Any = (slice(None), *position)
        with quiet():
            part = source[here] * factors[factor].reshape(shape)
            # Sums begin with 0: one of nothing but -0 is 0.
            sums = (
                np.add(part, part.dtype.type(0), out=part) if sums is None else np.add(sums, part, out=sums)
            )
    return np.asarray(sums)


def _multiply_in_place(windows: Array, kernel: Array, how: Arithmetic, result: Array) -> bool:
    """Multiplies windows of one element where they are, if they lie as BLAS takes matrices; whether it has."""
    first, last = result.ndim - 1, windows.ndim - 1
    if prod(windows.shape[first:last]) != 1:
        return False
    rows = list(range(2, first))
    for batch, here in (([], [1, *rows]), ([1], rows)):
        left = _merge_axes(windows, [0], *[[axis] for axis in batch], here, [last])
        if left is not None and _is_matrix(left):
            right = kernel.reshape(kernel.shape[0], *[1] * len(batch), *kernel.shape[-2:])
            if not _is_matrix(right):
                right = np.ascontiguousarray(right)
            _assign(how, left, right, result.transpose(0, *batch, *here, first), len(batch) + 1)
            return True
    return False


def _pack_and_multiply(windows: Array, kernel: Array, how: Arithmetic, result: Array) -> None:
    last = result.ndim - 1
    rows, depth = (
        _axes_by_stride(windows, range(1, last)),
        _axes_by_stride(windows, range(last, windows.ndim)),
    )
    source = windows.transpose(0, *rows, *depth)
    weights = _contiguous_kernel(kernel, [axis - last + 1 for axis in depth])
    target = result.transpose(0, *rows, last)
    depth_sizes, outer_sizes = source.shape[len(rows) + 1 :], source.shape[: len(rows) + 1]
    depth_tile = _tile(depth_sizes, _DEPTH)
    width = max(prod(depth_tile), kernel.shape[-1])
    outer_tile = _tile(outer_sizes, max(1, BLOCK_BYTES // (how.dtype.itemsize * width)))
    pack = _Packer(source, len(rows) + 1, prod(outer_tile) * prod(depth_tile))
    for outer in _blocks(outer_sizes, outer_tile):
        pairs = (
            (pack(outer, inner), _matrix(weights[(outer[0], *inner)]))
            for inner in _blocks(depth_sizes, depth_tile)
        )
        left, right = next(pairs)
        if depth_tile == depth_sizes:
            _assign(how, left, right, target[outer], 1)
            continue
        sums = how.product(left, right)
        for left, right in pairs:
            sums += how.product(left, right)
        target[outer] = how.finish(sums).reshape(target[outer].shape)


class _Packer:
    """Copies blocks of windows to one buffer, in the order in which they lie in memory."""

    def __init__(self, source: Array, outer: int, count: int) -> None:
        self.source, self.outer = source, outer
        self.buffer = np.empty(count, source.dtype)
        self.depth_is_minor = _copy_cost(source, outer, source.ndim) <= _copy_cost(source, 1, outer)

    def __call__(self, outer: Slices, inner: Slices) -> Array:
        """The windows of one block as a matrix for each group: [group, row, depth]."""
        block = self.source[outer + inner]
        groups, rows, depth = block.shape[0], block.shape[1 : self.outer], block.shape[self.outer :]
        packed = self.buffer[: block.size]
        if self.depth_is_minor:
            packed.reshape(block.shape)[...] = block
            return packed.reshape(groups, prod(rows), prod(depth))
        order = (0, *range(self.outer, block.ndim), *range(1, self.outer))
        packed.reshape(groups, *depth, *rows)[...] = block.transpose(order)
        return packed.reshape(groups, prod(depth), prod(rows)).swapaxes(1, 2)


def _copy_cost(source: Array, start: int, stop: int) -> float:
    """An estimate of the nanoseconds to copy an element with axes `start` to `stop` innermost: the start of each
    contiguous run, shared by its elements, and the element itself.
    """
    run, stride = 1, source.itemsize
    axes = [axis for axis in range(start, stop) if source.shape[axis] > 1]
    for axis in reversed(axes):
        if source.strides[axis] != stride:
            break
        size: int = source.shape[axis]
        run, stride = run * size, stride * size
    if run > 1 or not axes:
        return 12.0 / run + 0.15
    return 12.0 / int(source.shape[axes[-1]]) + 0.8


def _assign(how: Arithmetic, left: Array, right: Array, target: Array, batch: int) -> None:
    """Writes the product of stacks of matrices to `target`, whose last axis are features and whose rows are the
    axes from `batch` on: straight into it where BLAS can.
    """
    features = target.ndim - 1
    rows = list(range(batch, features))
    stacks = [[axis] for axis in range(batch)]
    turned = target.shape[features] > 1 and target.strides[features] != target.itemsize
    if turned:
        left, right = right.swapaxes(-1, -2), left.swapaxes(-1, -2)
        target = target.transpose(*range(batch), features, *rows)
        groups = [*stacks, [batch], [axis + 1 for axis in rows]]
    else:
        groups = [*stacks, rows, [features]]
    matrices = _merge_axes(target, *groups) if how.is_direct else None
    if matrices is not None and _is_row_major(matrices):
        how.product(left, right, matrices)
    else:
        target[...] = how.finish(how.product(left, right)).reshape(target.shape)


def _contiguous_kernel(kernel: Array, depth: Sequence[int]) -> Array:
    """[group, depth…, feature], one of the last two innermost without gaps."""
    features = kernel.ndim - 1
    moved = kernel.transpose(0, *depth, features)
    if abs(kernel.strides[features]) > min(abs(kernel.strides[axis]) for axis in depth):
        return np.moveaxis(np.ascontiguousarray(np.moveaxis(moved, -1, 1)), 1, -1)
    return np.ascontiguousarray(moved)


def _matrix(weights: Array) -> Array:
    """[group, depth, feature] of a part of what `_contiguous` made."""
    groups, *depth, features = weights.shape
    if weights.strides[-1] == weights.itemsize:
        return weights.reshape(groups, prod(depth), features)
    return np.moveaxis(weights, -1, 1).reshape(groups, features, prod(depth)).swapaxes(1, 2)


def _axes_by_stride(array: Array, axes: Sequence[int]) -> list[int]:
    """The axes in the order of their strides, the innermost last."""
    return sorted(axes, key=lambda axis: -abs(array.strides[axis]))


def _tile(sizes: Sequence[int], most: int) -> tuple[int, ...]:
    """Sizes of blocks of at most about `most` elements: inner dimensions whole, cuts of equal size."""
    tile: list[int] = []
    for size in reversed(sizes):
        count = -(-size // max(1, min(size, most)))
        tile.append(-(-size // count))
        most //= max(1, size)
    return tuple(reversed(tile))


def _blocks(sizes: Sequence[int], tile: Sequence[int]) -> Iterator[Slices]:
    starts = (range(0, size, step) for size, step in zip(sizes, tile, strict=True))
    for start in product(*starts):
        yield tuple(slice(at, at + step) for at, step in zip(start, tile, strict=True))


def _merge_axes(array: Array, *groups: Sequence[int]) -> Array | None:
    """A view of `array` with each group of axes made one, where strides allow."""
    shape, strides = [], []
    for axes in groups:
        size, stride = 1, array.itemsize
        for axis in reversed(axes):
            if array.shape[axis] == 1:
                continue
            if size == 1:
                stride = array.strides[axis]
            elif array.strides[axis] != stride * size:
                return None
            size *= array.shape[axis]
        shape.append(size)
        strides.append(stride)
    return as_strided(array, shape, strides)


def _is_matrix(array: Array) -> bool:
    """Whether BLAS takes the last two axes as they lie, or transposed."""
    return _is_row_major(array) or _is_row_major(array.swapaxes(-1, -2))


def _is_row_major(array: Array) -> bool:
    rows, columns = array.shape[-2:]
    row, column = array.strides[-2:]
    return (columns == 1 or column == array.itemsize) and (rows == 1 or row >= columns * array.itemsize)
