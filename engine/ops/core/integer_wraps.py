"""Where integers have wrapped around: the exact result is beyond the type, and what is left of it is another number."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...ir.element_types import ElementType
from .faults import Fault

Array = NDArray[Any]
_EXACT_BITS = 40
"""How many bits beyond its type a result may have so that f64 tells which one it is."""


def wraps(exact: Array, result: Array, bits: int, error: float = 0) -> NDArray[np.bool_]:
    """Which elements of an integer `result` have wrapped; `exact` are the same in f64, away from the truth by `error` at most.

    What has wrapped is away from the exact result by 2^bits, or several times that. Besides `error`, f64 may be wrong by
    2^-50 of the truth.
    """
    return np.asarray(np.abs(exact - result.astype(np.float64)) > 2.0 ** (bits - 2) + error)


def wrap_faults(
    exact: Array, result: Array, element_type: ElementType, what: str, number: int = 0, error: float = 0
) -> Iterator[Fault]:
    """The elements of result `number` that have wrapped, if there are any; `what` they are, as `a sum of elements of {0}`."""
    wrapped = wraps(exact, result, element_type.bits, error)
    elements = int(np.count_nonzero(wrapped))
    if not elements:
        return
    index = tuple(map(int, np.unravel_index(int(wrapped.argmax()), wrapped.shape)))
    made = int(result[index])
    number_words = _words(float(np.broadcast_to(exact, result.shape)[index]), made, element_type.bits)
    cause = f"where {what}, {number_words}, is beyond {element_type} and becomes {made:,}"
    yield Fault("wrap", elements, result.size, index, cause, number, value=float(made))


def _words(exact: float, made: int, bits: int) -> str:
    """The exact result, which differs from what is left of it by a multiple of 2^bits."""
    if abs(exact) < 2.0 ** (bits + _EXACT_BITS):
        return f"{made + (round((exact - made) / 2.0**bits) << bits):,}"
    return f"about {exact:.3g}" if isfinite(exact) else "above 1e308"
