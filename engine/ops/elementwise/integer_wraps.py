"""Elementwise arithmetic whose integers have wrapped around."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping

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
    if not result.ndim and EXACT[function](*map(int, operands)) == int(result):
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
