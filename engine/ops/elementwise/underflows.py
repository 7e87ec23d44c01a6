"""Where floats have become too small for their type: denormal, with fewer bits than others, or 0."""

from __future__ import annotations

from collections.abc import Iterator

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from ...ir.element_types import ElementType
from ..core.faults import Fault
from ..core.numeric import BLOCK
from ..core.op import Array
from ..core.ranks import is_finite, is_inexact

LEAST_SHARE = 0.01
"""Of the elements, how many have to be too small before it is worth a word."""


def is_wide_float(element_type: object) -> bool:
    """Whether elements are real floats of a type that is not there for being short: f8 and less round to 0 all the time."""
    return isinstance(element_type, ElementType) and element_type.is_float and element_type.bits >= 16


def underflows(operands: tuple[Array, ...], result: Array) -> NDArray[np.bool_]:
    """Which elements of a result of floats are too small for the type, although nothing that they were computed from was.

    0 is too small a result if no operand is 0 or infinite there. Many elements are looked at block by block, so that
    what is made of a block stays in the processor's cache.
    """
    full = [operand for operand in operands if operand.ndim]
    together = all(array.shape == result.shape and array.flags.c_contiguous for array in (*full, result))
    if result.size <= BLOCK or not together:
        return _underflows(operands, result)
    flat = [operand.reshape(-1) for operand in operands]
    lost = np.empty(result.size, np.bool_)
    for start in range(0, lost.size, BLOCK):
        here = slice(start, start + BLOCK)
        parts = tuple(operand[here] if operand.size > 1 else operand for operand in flat)
        lost[here] = _underflows(parts, result.reshape(-1)[here])
    return lost.reshape(result.shape)


def _underflows(operands: tuple[Array, ...], result: Array) -> NDArray[np.bool_]:
    lost = np.abs(result) < ml_dtypes.finfo(result.dtype).tiny
    for operand in operands:
        # A 0 that was given makes an exact 0; what was denormal before was lost before.
        least = ml_dtypes.finfo(operand.dtype).tiny if is_inexact(operand.dtype) else 1
        lost &= np.abs(operand) >= least
        if is_inexact(operand.dtype) and not is_finite(operand):
            lost &= (result != 0) | np.isfinite(operand)
    return np.asarray(lost)


def underflow_faults(operands: tuple[Array, ...], result: Array) -> Iterator[Fault]:
    """The elements that are too small, if they are more than a few."""
    yield from _faults(underflows(operands, result), result)


def product_underflows(operands: tuple[Array, ...], result: Array) -> NDArray[np.bool_]:
    """Which elements, each the product of some elements of the operands, are too small for the type; none if any of these was."""
    least = ml_dtypes.finfo(result.dtype).tiny
    normal = all(
        bool(((sizes := np.abs(operand)) >= least).all() and np.isfinite(sizes).all()) for operand in operands
    )
    return np.asarray((np.abs(result) < least) & normal)


def product_underflow_faults(operands: tuple[Array, ...], result: Array) -> Iterator[Fault]:
    """The products that are too small, if they are more than a few."""
    yield from _faults(product_underflows(operands, result), result)


def _faults(lost: NDArray[np.bool_], result: Array) -> Iterator[Fault]:
    elements = int(np.count_nonzero(lost))
    if elements <= LEAST_SHARE * result.size:
        return
    index = tuple(map(int, np.unravel_index(int(lost.argmax()), lost.shape)))
    flushed = int(np.count_nonzero(lost & (result == 0)))
    least = f"{float(ml_dtypes.finfo(result.dtype).tiny):.3g}"
    became = "0" if flushed == elements else f"denormal, {flushed:,} of them 0" if flushed else "denormal"
    cause = f"below {least} and so {became}"
    yield Fault("denormal", elements, result.size, index, cause, value=float(result[index]))
