"""Parts of a formula with numbers, and their text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from ...ops.core.causes import short
from ...ops.core.facets import Form
from ..address import Address

SHOWN = 4
_SIGNS = ("+", "-", "*", "/")
"""Maximum number of terms in the text."""


@dataclass(frozen=True)
class Term:
    """An element that a formula reads."""

    name: str
    address: Address
    index: tuple[int, ...]
    value: str
    operand: int | None = None
    role: str = ""
    place: str = ""
    """The derivation of an index read from elements: `clamp(0, %1[1] = 7, 4) = 4, 0`."""

    @property
    def text(self) -> str:
        """`%5[0, 3]`, with the process if it is another one."""
        text = element_name(self.name, self.place or format_indices(self.index))
        return f"{text} {self.role}" if self.role.startswith("from process") else text

    @property
    def filled(self) -> str:
        """The element with its value, and its role if that adds information."""
        role = f" ({self.role})" if self.role in ("not taken", "taken") else ""
        return f"{self.text} = {self.value}{role}"


@dataclass(frozen=True)
class Factors:
    """Elements that a formula multiplies."""

    factors: tuple[Term, ...]

    @property
    def text(self) -> str:
        """`%5[0, 0] * %6[0, 3]`."""
        return " * ".join(term.text for term in self.factors)

    @property
    def value(self) -> str:
        """`0.5 * (-2)`."""
        first, *rest = (term.value for term in self.factors)
        return " * ".join([first, *(f"({text})" if text.startswith("-") else text for text in rest)])


@dataclass(frozen=True)
class Formula:
    """The formula of one element, with the elements that it was made from."""

    name: str
    index: tuple[int, ...]
    form: Form
    terms: tuple[Term | Factors, ...]
    """The first terms."""
    count: int
    """Total number of terms."""
    value: str
    symbol: str = ""
    """The function or operator."""
    note: str = ""

    @property
    def text(self) -> str:
        """The formula in one line."""
        left = element_name(self.name, format_indices(self.index))
        middle = self._expression_text()
        text = f"{left} = {middle} = {self.value}" if middle else f"{left} = {self.value}"
        return f"{text} ({self.note})" if self.note else text

    @property
    def numbers(self) -> str:
        """The formula with numbers, `0.5 * 2 + 1 * 3 = 4`; empty if that adds nothing."""
        if self.form not in (Form.OPERATOR, Form.PRODUCTS, Form.FOLD, Form.UPDATES):
            return ""
        shown = [term.value for term in self.terms[:SHOWN]] + ["…"] * (self.count > SHOWN)
        if self._between.strip() in _SIGNS:
            shown[1:] = [f"({text})" if text.startswith("-") else text for text in shown[1:]]
        return f"{self._between.join(shown)} = {self.value}"

    @property
    def _between(self) -> str:
        if self.form is Form.UPDATES:
            return f", then {self.symbol} "
        if self.form is Form.PRODUCTS:
            return " + "
        return f" {self.symbol} " if self.symbol and not self.symbol[0].isalpha() else ", "

    def _expression_text(self) -> str:
        match self.form:
            case Form.CONSTANT:
                return ""
            case Form.READ:
                return self.terms[0].text if self.terms else ""
            case Form.FUNCTION:
                return f"{self.symbol}({self._join(', ', filled=True)})"
            case Form.OPERATOR:
                return f"{self._join(self._between)} = {self.numbers.rpartition(' = ')[0]}"
            case Form.FOLD if self._between == ", ":
                return f"{self.symbol} of {self._join(', ')}"
        return self._join(self._between)

    def _join(self, between: str, *, filled: bool = False) -> str:
        shown = self.terms[:SHOWN]
        parts = [term.filled if filled and isinstance(term, Term) else term.text for term in shown]
        if self.count > len(shown):
            parts.append(f"… ({self.count:,} terms)")
        return between.join(parts)


def element_name(name: str, place: str) -> str:
    """`%5[0, 3]`, or the name of a scalar."""
    return f"{name}[{place}]" if place else name


def format_indices(index: Sequence[int]) -> str:
    """The indices of an element as text, `0, 3`."""
    return ", ".join(map(str, index))


def element_text(value: Any) -> str:
    """The value of an element as text."""
    found = np.asarray(value)
    if found.dtype == np.bool_:
        return "true" if found else "false"
    if found.dtype.kind == "c":
        return f"({_float_text(found.real)}, {_float_text(found.imag)})"
    if found.dtype.kind in "iu" or "int" in found.dtype.name:
        return str(int(found))
    return _float_text(found)


def _float_text(found: Any) -> str:
    """A number with six digits, or as many as distinguish it from all others of its type."""
    value = float(found)
    if not isfinite(value):
        return short(value)
    texts = (f"{value:.{digits}g}" for digits in range(6, 18))
    with np.errstate(all="ignore"):
        return next(text for text in texts if found.dtype.type(float(text)) == found)
