"""Quotients that are 0 because the divisor was too large for its type, and should not be."""

from __future__ import annotations

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from ..core.ranks import Array, Arrays


def lost_quotients(operands: Arrays, result: Array, *, flattened: bool) -> NDArray[np.bool_]:
    """Where a number over infinity is 0, and over the greatest number of the type would not be about 0.

    So `1 / (1 + Inf)` is what is meant, and a part of a sum over that sum, which is too large, is not. Of a root of what
    is too large nothing is known but that it is no infinity (`flattened`).
    """
    number, divisor = operands
    limits = ml_dtypes.finfo(result.dtype)
    least = 0.0 if flattened else float(limits.max) * float(limits.eps)
    sizes = np.asarray(np.abs(number), np.float64)
    return np.asarray(np.isinf(divisor) & (result == 0) & (sizes > least) & np.isfinite(sizes))
