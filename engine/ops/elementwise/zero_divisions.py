"""Integers that are divided by 0: there is no infinity to tell of it, and the result is a number like others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..core.faults import Fault
from ..core.op import Array


def zero_divisions(divisor: Array, result: Array) -> Iterator[Fault]:
    """The elements of a result of integers whose divisor is 0, if there are any."""
    zero = np.broadcast_to(divisor == 0, result.shape)
    elements = int(np.count_nonzero(zero))
    if elements:
        index = tuple(map(int, np.unravel_index(int(zero.argmax()), result.shape)))
        made = int(result[index])
        cause = f"where {{1}} is 0 and the result {made:,}"
        yield Fault("zero_division", elements, result.size, index, cause, value=float(made))
