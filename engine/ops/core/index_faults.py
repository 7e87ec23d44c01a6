"""Starts of windows that do not fit into a tensor: what was done about them, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from .faults import Fault
from .ranks import Array


def clamp_words(start: int, window: int, dimension: int, size: int) -> str:
    """What became of the start of a window that is moved inside."""
    moved = f"start {start} is clamped to {min(max(start, 0), size - window)}"
    return f"{moved}: {misfit_words(window, dimension, size)}"


def misfit_words(window: int, dimension: int, size: int) -> str:
    """Why a window is not inside."""
    if window == 1:
        return f"dimension {dimension} has size {size}"
    return f"the window of {window} does not fit into dimension {dimension} of size {size}"


def clamped_starts(
    starts: Sequence[Array] | Array, sizes: Sequence[int], windows: Sequence[int], operand: int
) -> Iterator[Fault]:
    """The first start that was moved inside, of those for each dimension.

    They are the op's operands from number `operand` on, or one vector, which is that operand.
    """
    for dimension, (size, window) in enumerate(zip(sizes, windows, strict=True)):
        if size == window or not window:
            continue
        start = int(starts[dimension])
        if not 0 <= start <= size - window:
            cause = clamp_words(start, window, dimension, size)
            is_vector = isinstance(starts, np.ndarray)
            index, number = ((dimension,), operand) if is_vector else ((), operand + dimension)
            yield Fault("clamped_start", 1, 1, index, cause, None, number, float(start))
            return


def is_sentinel(indices: Array, size: int) -> bool:
    """Whether each index is the one behind the last, or -1: so programs say that nothing is meant."""
    return bool(np.all((indices == size) | (indices == -1)))
