"""The bytes of values: elements in the layout that the text states."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ..ir.layouts import Layout
from ..ir.types import TensorType, Type

DEFAULT_SPACE = 0
"""The memory space of a layout that states none: the device's own memory."""


def byte_size(found: Type) -> int:
    """The bytes of a leaf: those of its bounds if sizes are open, and 0 where nothing bounds them."""
    if not isinstance(found, TensorType) or None in found.greatest_shape:
        return 0
    sizes = [size for size in found.greatest_shape if size is not None]
    layout = found.layout
    if layout is None:
        return prod(sizes) * found.element_type.dtype.itemsize
    bits = layout.element_size_in_bits or 8 * found.element_type.dtype.itemsize
    return -(-prod(_padded(sizes, layout)) * bits // 8)


def has_open_size(found: Type) -> bool:
    """Whether nothing in the text bounds the bytes of a leaf."""
    return isinstance(found, TensorType) and None in found.greatest_shape


def memory_space(found: Type) -> int:
    """The memory space of a leaf, `S(5)` in its layout."""
    return found.layout.memory_space if isinstance(found, TensorType) and found.layout else DEFAULT_SPACE


def _padded(sizes: Sequence[int], layout: Layout) -> list[int]:
    """The sizes in memory, the most minor one last, padded to whole tiles of the first tiling."""
    if sorted(layout.minor_to_major) != list(range(len(sizes))):
        return list(sizes)
    physical = [sizes[dimension] for dimension in reversed(layout.minor_to_major)]
    tile = layout.tiles[0] if layout.tiles else ()
    if len(tile) > len(physical):
        physical = [1] * (len(tile) - len(physical)) + physical
    for number, size in enumerate(reversed(tile), 1):
        if size:
            physical[-number] = -(-physical[-number] // size) * size
    return physical
