"""Findings: what ops did wrong in a run, above all values that are not finite, and where each was born."""

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
    """Where the elements came from that made others bad: an op, or something that the run was given."""

    kind: Literal["op", "given"]
    address: str
    name: str
    op: int | None
    index: list[int]


class FindingInfo(TypedDict):
    """What one op did, of one kind: in `count` steps, of which `first` and `worst` are two. `title` names the kind.

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
    """An input that holds NaN, or infinities, in `elements` of its elements: none of the ops has given birth to them."""

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
    """All that has been found in the steps recorded so far, and the steps to mark, of each process in order.

    Of a finding in very many steps the first are marked. `found` is the count that the state of the run tells too: when it
    has grown there is more to ask for. `rest` says what there was no time for, in the same steps: whose harm is assumed, what
    was not compared; it is empty if nothing is left.
    """

    findings: list[FindingInfo]
    inputs: list[BadInputInfo]
    marks: list[FindingMark]
    found: int
    steps: int
    rest: str


class OriginStop(TypedDict):
    """A step in which a value that is not finite was born, with the place of its finding in the list."""

    finding: int
    process: int
    step: int
    address: str
    index: list[int]
    sentence: str
