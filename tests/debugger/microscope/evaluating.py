"""The rows of a derivation evaluated on their own: from the recorded source elements alone, as the row says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from hloscope.engine.debugger.microscope import Derivation, How, Row
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.ir.element_types import ELEMENT_TYPES, ElementType
from hloscope.engine.ops.core.numeric import maximum, minimum, round_to, widen
from hloscope.engine.ops.core.quiet import quiet

FUNCTIONS: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": np.add,
    "*": np.multiply,
    "max": maximum,
    "min": minimum,
    "&": np.bitwise_and,
    "|": np.bitwise_or,
    "^": np.bitwise_xor,
    "replaced by": lambda _, last: last,
}


def remade(recording: Recording, found: Derivation, symbol: str, result: ElementType) -> Any:
    """The element that the shown terms make in the shown order, rounded to the type of the result."""
    total = np.asarray(value_of_rows(recording, found, symbol))
    with quiet():
        if result.kind == "boolean":
            return np.asarray(total != 0)
        if result.is_integer and found.how is How.PRODUCTS:
            whole = total.view(np.int64) if total.dtype == np.uint64 else total.astype(np.int64)
            return round_to(whole, result)
        return round_to(total, result)


def value_of_rows(recording: Recording, found: Derivation, symbol: str) -> Any:
    """What the rows make, in the type in which terms are combined."""
    dtype = ELEMENT_TYPES[found.accumulator].dtype
    values: list[Any] = []
    with quiet():
        for row in found.rows:
            values.append(_row_value(recording, found, row, symbol, dtype, values))
    return values[-1]


def _row_value(
    recording: Recording, found: Derivation, row: Row, symbol: str, dtype: np.dtype[Any], before: list[Any]
) -> Any:
    total = None
    for value in [before[number] for number in row.joined]:
        total = value if total is None else FUNCTIONS[symbol](total, value)
    for term in row.terms:
        parts = [widen(np.asarray(recording.value(s.address)[s.index])).astype(dtype)[()] for s in term]
        if found.how is not How.PRODUCTS:
            total = parts[0] if total is None else FUNCTIONS[symbol](total, parts[0])
        elif "fused" in found.order:
            total = fused(dtype.type(0) if total is None else total, *parts)
        else:
            product = parts[0] * parts[1] + dtype.type(0)
            total = product if total is None else total + product
    return total


def fused(total: Any, left: Any, right: Any) -> Any:
    """The sum of a value and a product, rounded once: exactly, unless something is not finite."""
    kind = type(total)
    if not (np.isfinite(total) and np.isfinite(left) and np.isfinite(right)):
        return total + left * right
    exact = Fraction(float(total)) + Fraction(float(left)) * Fraction(float(right))
    if not exact:
        return kind(0) if total == 0 and not np.signbit(total) else total + left * right
    return nearest(exact, kind)


def nearest(exact: Fraction, kind: Any) -> Any:
    """The nearest float of a NumPy type, ties to even."""
    if kind is np.float64:
        return np.float64(float(exact)) if abs(exact) < 2**1024 else kind(np.inf if exact > 0 else -np.inf)
    middle = kind(float(exact))
    around = [middle, np.nextafter(middle, kind(-np.inf)), np.nextafter(middle, kind(np.inf))]
    if not np.isfinite(middle):
        return middle
    finite = [each for each in around if np.isfinite(each)]
    return min(finite, key=lambda each: (abs(Fraction(float(each)) - exact), int(each.view(np.uint32)) & 1))
