"""Element provenance: the sources of elements, the elements computed from them, and the derivation of one."""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict


class WireBox(TypedDict):
    """A box of elements."""

    start: list[int]
    sizes: list[int]
    strides: list[int]


class WireSet(TypedDict):
    """A set of elements: disjoint boxes if they are few, otherwise ranges of row-major positions."""

    shape: list[int]
    count: int
    boxes: NotRequired[list[WireBox]]
    runs: NotRequired[list[tuple[int, int]]]
    complete: NotRequired[bool]


class NodeInput(TypedDict):
    """The argument of the run that a node represents."""

    number: int
    name: str


class ProvenanceNode(TypedDict):
    """Elements of a value on a walk; `end`: the reason why the walk stops at this node."""

    id: int
    address: str
    process: int
    kind: Literal["result", "argument"]
    step: int | None
    frame: int
    op: int | None
    opName: str | None
    value: int
    name: str
    type: str
    tick: int
    elements: WireSet
    end: str | None
    reason: str | None
    input: NodeInput | None
    outputs: list[int]


class ProvenanceEdge(TypedDict):
    """Elements of the node `read` from which the node `made` was computed."""

    read: int
    made: int
    kind: str
    operand: int | None
    words: str | None
    elements: WireSet


class PathStop(TypedDict):
    """A value on a path; `node` is null if the answer omits its node."""

    node: int | None
    address: str
    name: str
    elements: WireSet


class FormulaTerm(TypedDict):
    """An element that a formula reads, or a product of elements (`factors`)."""

    text: str
    factors: NotRequired[list[FormulaTerm]]
    operand: NotRequired[int | None]
    name: NotRequired[str]
    address: NotRequired[str]
    index: NotRequired[list[int]]
    value: NotRequired[str]
    role: NotRequired[str | None]


class FormulaLeft(TypedDict):
    """The element that a formula computes."""

    name: str
    index: list[int]


class Formula(TypedDict):
    """The formula of one element; `count`: the number of all terms, of which the first are listed."""

    text: str
    numbers: str | None
    left: FormulaLeft
    form: str
    symbol: str
    terms: list[FormulaTerm]
    count: int
    value: str
    note: str | None


class Provenance(TypedDict):
    """A walk: its nodes in order, the edges between them, and which nodes are ends."""

    address: str
    direction: Literal["back", "forward"]
    reach: Literal["step", "all"]
    complete: bool
    reason: str | None
    elements: WireSet
    nodes: list[ProvenanceNode]
    values: int
    steps: int
    omitted: int
    waiting: list[int]
    unlooked: int
    edges: list[ProvenanceEdge]
    inputs: list[int]
    ends: list[int]
    path: list[PathStop] | None
    formula: Formula | None
    pathReason: NotRequired[str | None]


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
