"""Quotients that are 0 because the divisor was too large for its type, and should not be."""

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from ..core.ranks import Array, Arrays


def lost_quotients(operands: Arrays, result: Array, *, compressed: bool) -> NDArray[np.bool_]:
    """Elements where a number over infinity is 0, but over the type's greatest number is not about 0.

    `1 / (1 + Inf)` is intended; a part of a sum divided by that sum, which overflowed, is not. `compressed`: the
    divisor is a root of a number that overflowed, so that only its finiteness is known.
    """
    number, divisor = operands
    matters = number != 0 if compressed else are_great(number)
    return np.asarray(np.isinf(divisor) & (result == 0) & matters & np.isfinite(number))


def are_great(number: Array) -> NDArray[np.bool_]:
    """Whether numbers over the greatest of their type, or times one over that, are not about 0."""
    limits = ml_dtypes.finfo(number.dtype)
    return np.asarray(np.asarray(np.abs(number), np.float64) > float(limits.max) * float(limits.eps))
