"""Default rounding tolerances where no bound is known, and Python numbers."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from hloscope.engine.comparison.difference import Tolerance
from hloscope.engine.ops.core.ranks import is_inexact

from ..present.differences import Number

Array = NDArray[Any]
_STEPS = 64
"""Units in the last place: of the element, or of the largest element, as for sums."""


def usual_tolerance(array: Array) -> Tolerance:
    """The default rounding tolerance where no bound is known; none for integers."""
    if not is_inexact(array.dtype):
        return Tolerance()
    step = _STEPS * float(ml_dtypes.finfo(array.dtype).eps)
    magnitudes = np.abs(array.astype(np.complex128 if array.dtype.kind == "c" else np.float64))
    finite = magnitudes[np.isfinite(magnitudes)]
    largest = float(finite.max()) if finite.size else 0.0
    # In narrow types this many steps would cover the whole range.
    step = min(step, 0.05)
    return Tolerance(absolute=step * largest, relative=step)


def plain_number(value: Any) -> Number:
    """A number as a Python number."""
    found = value.item() if isinstance(value, np.generic) else value
    return found if isinstance(found, bool | int | float | complex | str) or found is None else float(found)
