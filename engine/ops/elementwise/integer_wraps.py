"""Elementwise arithmetic whose integers have wrapped around."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from itertools import product

import numpy as np

from ...ir.element_types import ElementType
from ..core.faults import Fault
from ..core.integer_wraps import wraps
from ..core.numeric import Compute
from ..core.op import Array

EXACT: Mapping[Compute, Callable[..., int]] = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.negative: operator.neg,
    np.abs: abs,
    np.positive: operator.pos,
}
"""What computes the same on Python's integers, which never wrap."""


def wrap_faults(
    function: Compute, operands: tuple[Array, ...], result: Array, element_type: ElementType
) -> Iterator[Fault]:
    """The elements that have wrapped, if there are any; `function` is one of `EXACT`."""
    if not result.ndim:
        if EXACT[function](*map(int, operands)) == int(result):
            return
    elif _fit(EXACT[function], operands, element_type):
        return
    exact = function(*(operand.astype(np.float64) for operand in operands))
    wrapped = wraps(exact, result, element_type.bits)
    elements = int(np.count_nonzero(wrapped))
    if not elements:
        return
    index = tuple(map(int, np.unravel_index(int(wrapped.argmax()), wrapped.shape)))
    read = (int(operand[index] if operand.ndim else operand) for operand in operands)
    true, made = EXACT[function](*read), int(result[index])
    cause = f"where {true:,} is beyond {element_type} and becomes {made:,}"
    yield Fault("wrap", elements, result.size, index, cause, value=float(made))


def _fit(function: Callable[..., int], operands: tuple[Array, ...], element_type: ElementType) -> bool:
    """Whether the type holds what the least and the greatest elements of the operands give, and so all that is between.

    That takes a fraction of the time that the exact results of all elements take. Of types that NumPy does not have it
    is not said.
    """
    if not all(operand.size and operand.dtype.kind in "iu" for operand in operands):
        return False
    ends = [(int(operand.min()), int(operand.max())) for operand in operands]
    found = [function(*corner) for corner in product(*ends)]
    signed = element_type.kind == "signed"
    least, count = -(1 << element_type.bits - 1) if signed else 0, 1 << element_type.bits
    return least <= min(found) and max(found) < least + count
