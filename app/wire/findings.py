"""Findings: incorrect results of ops in a run, such as non-finite values, and origins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from typing_extensions import TypedDict

from hloscope.engine.findings import KINDS, FaultKind, Grade

if TYPE_CHECKING:
    FindingKind: TypeAlias = FaultKind
else:
    FindingKind = Literal[tuple(KINDS)]
FindingGrade: TypeAlias = Grade


class FindingMark(TypedDict):
    """A step in which an op did it: to `elements` of `size` elements of the value at `address`, of which `index` is one.

    `finding` is the place of the finding in the list; `words` say what happened: `12 of 80 elements became +Inf`.
    """

    finding: int
    process: int
    step: int
    iteration: int
    tick: int
    elements: int
    size: int
    address: str
    index: list[int]
    words: str


class FindingCause(TypedDict):
    """The origin of bad operands: an op, or an input of the run."""

    kind: Literal["op", "given"]
    address: str
    name: str
    op: int | None
    index: list[int]


class FindingInfo(TypedDict):
    """One kind of finding at one op, in `count` steps, such as `first` and `worst`.

    `title` names the kind.

    Unless it was `followed` to the end, the grade is assumed.
    """

    op: int
    opName: str
    kind: FindingKind
    title: str
    grade: FindingGrade
    count: int
    first: FindingMark
    worst: FindingMark
    sentence: str
    cause: FindingCause | None
    followed: bool


class BadInputInfo(TypedDict):
    """An input with NaN or infinities in `elements` of its elements; no op is their origin."""

    process: int
    argument: int
    name: str
    address: str
    kind: Literal["nan", "inf"]
    grade: FindingGrade
    elements: int
    size: int
    index: list[int]
    sentence: str
    followed: bool


class FindingsInfo(TypedDict):
    """All findings in the recorded steps, and the steps to mark, of each process in order.

    Of a finding in very many steps only the first are marked. `found` is the same count as in the run's state: if the state's is
    higher, request the findings again. `rest` describes work beyond the timeout in the same steps: findings with assumed
    harm, values not compared; it is empty if nothing is left.
    """

    findings: list[FindingInfo]
    inputs: list[BadInputInfo]
    marks: list[FindingMark]
    found: int
    steps: int
    rest: str


class OriginStop(TypedDict):
    """A step where a non-finite value originated, with the index of its finding in the list."""

    finding: int
    process: int
    step: int
    address: str
    index: list[int]
    sentence: str
