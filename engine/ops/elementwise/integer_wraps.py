"""Where integers have wrapped around: the exact result is beyond the type, and what is left of it is another number."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from ...ir.element_types import ElementType
from ..core.faults import Fault
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


def wraps(function: Compute, operands: tuple[Array, ...], result: Array, bits: int) -> NDArray[np.bool_]:
    """Which elements of an integer result have wrapped; `function` is one of `EXACT`.

    What has wrapped is away from the exact result by 2^bits, or several times that. f64 gets the exact result wrong by
    less than 2^-50 of it.
    """
    exact = function(*(operand.astype(np.float64) for operand in operands))
    return np.asarray(np.abs(exact - result.astype(np.float64)) > 2.0 ** (bits - 2))


def wrap_faults(
    function: Compute, operands: tuple[Array, ...], result: Array, element_type: ElementType
) -> Iterator[Fault]:
    """The elements that have wrapped, if there are any."""
    if not result.ndim and EXACT[function](*map(int, operands)) == int(result):
        return
    wrapped = wraps(function, operands, result, element_type.bits)
    elements = int(np.count_nonzero(wrapped))
    if not elements:
        return
    index = tuple(map(int, np.unravel_index(int(wrapped.argmax()), wrapped.shape)))
    read = (int(operand[index] if operand.ndim else operand) for operand in operands)
    exact, made = EXACT[function](*read), int(result[index])
    cause = f"where {exact:,} is beyond {element_type} and becomes {made:,}"
    yield Fault("wrap", elements, result.size, index, cause, value=float(made))
