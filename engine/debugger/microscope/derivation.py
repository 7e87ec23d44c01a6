"""The derivation of one element: its terms, in the order in which they are combined, with every partial result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from ..address import Address


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
