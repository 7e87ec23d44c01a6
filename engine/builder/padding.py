"""SAME and VALID padding of windows."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from .builder_error import BuilderError


class Padding(StrEnum):
    """The padding around an array over which windows slide."""

    SAME = "SAME"
    """As much as gives one window per element with strides of 1."""
    VALID = "VALID"
    """None: windows lie inside the array."""


PaddingLike = Padding | str
"""A `Padding`, or its name: `same`, `kValid`, …"""
_BY_NAME = {name: kind for kind in Padding for name in (kind.value, f"K{kind.value}")}


def make_padding(
    sizes: Sequence[int], window: Sequence[int], strides: Sequence[int], padding: PaddingLike, op: str
) -> list[tuple[int, int]]:
    """Low and high padding of each dimension; the high padding takes the odd element."""
    kind = _BY_NAME.get(str(padding).upper())
    if kind is None:
        raise BuilderError(f"padding must be SAME or VALID, not {padding!r}", op=op)
    if not len(sizes) == len(window) == len(strides):
        message = (
            f"there are {len(sizes)} dimensions, but {len(window)} window sizes and {len(strides)} strides"
        )
        raise BuilderError(message, op=op)
    if kind is Padding.VALID:
        return [(0, 0)] * len(sizes)
    pairs = []
    for size, extent, stride in zip(sizes, window, strides, strict=True):
        if stride <= 0:
            raise BuilderError(f"strides must be positive, not {stride}", op=op)
        total = max((-(-size // stride) - 1) * stride + extent - size, 0)
        pairs.append((total // 2, total - total // 2))
    return pairs
