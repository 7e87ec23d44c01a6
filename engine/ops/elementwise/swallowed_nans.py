"""NaN that leave no trace: a comparison is false of them, and as an integer they are 0."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..core.faults import Fault
from ..core.op import Array
from ..core.ranks import holds_nan


def swallowed_nans(operands: tuple[Array, ...], result: Array, became: str) -> Iterator[Fault]:
    """The elements of a result of integers or booleans where an operand is NaN; `became`: what they are there."""
    number = next((number for number, operand in enumerate(operands) if holds_nan(operand)), None)
    if number is None:
        return
    masks = [np.isnan(operand) for operand in operands]
    lost = np.broadcast_to(np.logical_or.reduce(np.broadcast_arrays(*masks)), result.shape)
    at = np.broadcast_to(masks[number], result.shape)
    index = tuple(map(int, np.unravel_index(int(at.argmax()), result.shape)))
    cause = f"where {{{number}}} is NaN and the result {became}"
    elements = int(np.count_nonzero(lost))
    yield Fault("swallowed_nan", elements, result.size, index, cause, value=float(result[index]))
