"""Navigation from one non-finite element to the next, in values of any size."""

from __future__ import annotations

import numpy as np

from hloscope.engine.value_facts import as_numbers

from ..wire.values import NonfiniteElement
from .elements import Array
from .numbers import exact_number

CHUNK = 1 << 20


def nonfinite_element(array: Array, after: int, *, back: bool) -> NonfiniteElement:
    """The nearest non-finite element after or before number `after` in row-major order.

    The search wraps around, so it finds an element wherever there is one.
    """
    places = np.flatnonzero(_marks(array)) if array.size <= CHUNK else _places(array)
    if not places.size:
        return {"index": None, "text": "", "number": 0, "count": 0}
    at = int(np.searchsorted(places, after, "left") - 1 if back else np.searchsorted(places, after, "right"))
    at %= places.size
    index = tuple(int(one) for one in np.unravel_index(places[at], array.shape))
    return {
        "index": list(index),
        "text": exact_number(array[index]),
        "number": at + 1,
        "count": int(places.size),
    }


def _places(array: Array) -> np.ndarray:
    """Search in parts along the first axis: a full mask would be as large as the value."""
    rows = max(1, CHUNK // max(1, array[0].size))
    inner = array[0].size
    found = [
        np.flatnonzero(_marks(array[start : start + rows])) + start * inner
        for start in range(0, array.shape[0], rows)
    ]
    return np.concatenate(found)


def _marks(array: Array) -> Array:
    numbers = as_numbers(array)
    return ~np.isfinite(numbers) if numbers.dtype.kind == "f" else np.zeros(array.shape, np.bool_)
