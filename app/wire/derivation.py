"""The derivation of one element: terms, partial results, roundings."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

DerivationKind = Literal["sum of products", "fold", "updates", "body", "function", "sort", "moved", "listed"]
"""How an op makes an element."""


class SourceElement(TypedDict):
    """An element that an op reads."""

    name: str
    value: int
    address: str
    index: list[int]
    text: str
    role: str


class DerivationRow(TypedDict):
    """One combination: the terms and the earlier rows that come in, and the partial result.

    Elements of one term are multiplied. `lost` is the rounding error of this row, `cancelled` the leading bits that
    cancelled out.
    """

    terms: list[list[SourceElement]]
    joined: list[int]
    partial: str | None
    exact: str | None
    lost: str | None
    cancelled: float
    note: str


class Derivation(TypedDict):
    """How one element was made; `start` is the number of the first of these rows, of which there are `rowCount`.

    `exact` is a decimal, which ends with `…` if it is longer; with `exactIn`, a value in that type. `lost` is the
    element minus `exact`, `lostLast` the element minus the result in the type `accumulator`.
    """

    address: str
    name: str
    index: list[int]
    type: str
    value: str
    kind: DerivationKind
    text: str
    order: str
    agreement: str
    agrees: bool | None
    accumulator: str
    exact: str | None
    exactIn: str
    lost: str | None
    lostLast: str | None
    greatestLoss: int | None
    greatestCancellation: int | None
    termCount: int
    rowCount: int
    start: int
    rows: list[DerivationRow]
    notes: list[str]
