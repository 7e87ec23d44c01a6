"""The derivation of one element: its terms, in the order in which they are combined, with every partial result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, Inexact
from enum import StrEnum
from fractions import Fraction
from math import frexp, inf, isfinite, log2, nextafter
from typing import Any

import numpy as np

from ...ops.core.numeric import widen
from ..address import Address

# Exact values of elements, as fractions, and their decimals.


DIGITS = 40
"""Maximum significant digits of an exact value; more are cut, with a mark."""


def exact(value: Any) -> Fraction | None:
    """The exact value of a real element; `None` for NaN, infinities and complex numbers."""
    found = widen(np.asarray(value))
    if found.dtype.kind in "biu":
        return Fraction(int(found))
    if found.dtype.kind != "f" or not np.isfinite(found):
        return None
    return Fraction(float(found))


def decimal_text(value: Fraction) -> str:
    """The decimal of a fraction, followed by `…` if it is longer than `DIGITS`."""
    context = Context(prec=DIGITS)
    found = context.divide(Decimal(value.numerator), Decimal(value.denominator)).normalize(context)
    text = f"{found:f}" if -7 <= found.adjusted() < DIGITS else str(found).lower().replace("e+", "e")
    return f"{text}…" if context.flags[Inexact] else text


def short_text(value: Fraction) -> str:
    """About three digits of a fraction, which may be smaller than any float."""
    found = Context(prec=3).divide(Decimal(value.numerator), Decimal(value.denominator)).normalize()
    if not found or -4 <= found.adjusted() < 6:
        return f"{found:f}"
    return f"{found:E}".lower().replace("e+", "e")


def fused_multiply_add(total: float, left: float, right: float) -> float:
    """`total + left * right` of f32 values, rounded once to f32."""
    product = left * right  # f64 holds it exactly
    found = total + product
    if not isfinite(found):
        return float(np.float32(found))
    part = found - total
    error = (total - (found - part)) + (product - part)
    if error and not int(frexp(found)[0] * 2**53) & 1:
        # With the last bit set, a second rounding rounds as if it were the first.
        found = nextafter(found, inf if error > 0 else -inf)
    return float(np.float32(found))


def fused_multiply_add_f64(total: float, left: float, right: float) -> float:
    """`total + left * right`, rounded once to f64."""
    if not (isfinite(total) and isfinite(left) and isfinite(right)):
        return total + left * right
    found = Fraction(total) + Fraction(left) * Fraction(right)
    if not found:
        return total + left * right  # the sign of zero
    try:
        return float(found)
    except OverflowError:
        return inf if found > 0 else -inf


def cancelled_bits(left: Fraction, right: Fraction, precision: int) -> float:
    """The leading bits that a sum of two values loses; all `precision` bits if it is 0."""
    total, largest = left + right, max(abs(left), abs(right))
    if not largest or not left or not right:
        return 0.0
    if not total:
        return float(precision)
    return max(0.0, min(float(precision), _log2(largest) - _log2(abs(total))))


def _log2(value: Fraction) -> float:
    shift = value.numerator.bit_length() - value.denominator.bit_length()
    scaled = value / (Fraction(2) ** shift)
    return shift + log2(float(scaled))


class How(StrEnum):
    """The way in which an op makes an element."""

    PRODUCTS = "sum of products"
    FOLD = "fold"
    UPDATES = "updates"
    BODY = "body"
    """A body of the program combines the terms."""
    FUNCTION = "function"
    """A function of the operands' elements at the same index."""
    SORT = "sort"
    MOVED = "moved"
    """The element equals an element of an operand."""
    LISTED = "listed"
    """The op reads these elements; how it combines them is not known here."""


@dataclass(frozen=True)
class SourceElement:
    """An element that is read."""

    name: str
    address: Address
    index: tuple[int, ...]
    value: str
    role: str = ""


@dataclass(frozen=True)
class Row:
    """One combination: of terms, of earlier rows, or of a row and a term."""

    terms: tuple[tuple[SourceElement, ...], ...]
    """The terms that come in here; several elements of a term are multiplied."""
    joined: tuple[int, ...] = ()
    """The numbers of the rows whose partial results come in here."""
    partial: str | None = None
    """The partial result, in the type in which terms are combined."""
    exact: str | None = None
    """The exact combination of all terms so far."""
    lost: str | None = None
    """The rounding error of this row alone: the partial result minus the exact combination of what came in."""
    cancelled: float = 0.0
    """The leading bits that cancelled out in this sum."""
    note: str = ""


@dataclass(frozen=True)
class Derivation:
    """How an element was made."""

    name: str
    index: tuple[int, ...]
    type: str
    value: str
    how: How
    text: str
    """The formula in one line."""
    term_count: int
    rows: Sequence[Row] = ()
    start: int = 0
    """The number of the first of these rows."""
    row_count: int = 0
    accumulator: str = ""
    """The type in which terms are combined."""
    order: str = ""
    """The order in which the terms are combined, as a sentence."""
    agreement: str = ""
    """Whether this order gives the recorded bits, as a sentence."""
    agrees: bool | None = None
    """`None` if nothing was computed again."""
    exact: str | None = None
    """The exact value: of all terms, or of the function."""
    exact_in: str = ""
    """The type of `exact` if it is not a fraction but computed in that type."""
    lost: str | None = None
    """The recorded element minus the exact value."""
    lost_last: str | None = None
    """The recorded element minus the result in `accumulator`."""
    greatest_loss: int | None = None
    """The row with the greatest rounding error."""
    greatest_cancellation: int | None = None
    """The row in which the most bits cancelled out."""
    notes: tuple[str, ...] = ()
