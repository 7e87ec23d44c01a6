"""Differences of values in the form that every command prints: NaN, +Inf and -Inf as text."""

from math import isfinite, isnan
from typing import Any, TypeAlias

import numpy as np

from hloscope.engine.comparison.difference import Difference

FLOAT32_END = float(np.finfo(np.float32).max)
"""Maximum magnitude; larger numbers overflow in conversions."""

Number: TypeAlias = bool | int | float | complex | str | None


def difference_json(found: Difference) -> dict[str, Any]:
    """A difference as JSON types.

    `differ`, `beyond` and `size` count elements; the other fields describe the worst element.
    """
    return {
        "verdict": found.kind,
        "size": found.size,
        "differ": found.count,
        "beyond": found.beyond,
        "index": None if found.index is None else list(found.index),
        "before": number_or_text(found.before),
        "after": number_or_text(found.after),
        "error": number_or_text(found.error),
        "ulps": number_or_text(found.ulps),
        "bound": number_or_text(found.bound),
        "noise": number_or_text(found.noise),
        "decided_by": found.decided_by,
        "notes": dict(found.notes),
    }


def number_or_text(value: Number) -> bool | int | float | str | None:
    """A number as JSON; NaN, infinities and complex numbers as text."""
    if isinstance(value, complex):
        return number_text(value)
    return number_text(value) if isinstance(value, float) and not isfinite(value) else value


def number_text(value: Number) -> str:
    """A number as text in a sentence: `2.0`, `NaN`, `+Inf`.

    For f32 and narrower types, the fewest digits that distinguish it from its neighbours.
    """
    if isinstance(value, float) and not isfinite(value):
        return "NaN" if isnan(value) else "+Inf" if value > 0 else "-Inf"
    if isinstance(value, complex):
        return f"({number_text(value.real)}, {number_text(value.imag)})"
    if isinstance(value, float):
        narrow = np.float32(value) if abs(value) <= FLOAT32_END else np.float32(0)
        return str(narrow) if float(narrow) == value else str(value)
    return str(value).lower() if isinstance(value, bool) else str(value)
