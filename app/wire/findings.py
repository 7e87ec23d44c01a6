"""Findings: incorrect results of ops in a run, such as non-finite values, and origins."""

from typing import TYPE_CHECKING, Literal, TypeAlias

from typing_extensions import TypedDict

from hloscope.engine.findings import KINDS, FaultKind, Grade

if TYPE_CHECKING:
    FindingKind: TypeAlias = FaultKind
else:
    FindingKind = Literal[tuple(KINDS)]
FindingGrade: TypeAlias = Grade


class FindingMark(TypedDict):
    """A step with a finding, in `elements` of the `size` elements of the value at `address`; `index` is one of them.

    `finding`: the index of the finding in the list; `words`: a description, `12 of 80 elements became +Inf`.
    Of indices that lead outside, `elements` and `size` count windows.
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
    """One kind of finding at one op, in `count` steps, with the `first` and the `worst`.

    `title`: the name of the kind. The grade is proved if `followed`, otherwise assumed.
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
    """All findings in the recorded steps, and the steps to mark, in order for each process.

    Only the first steps of a frequent finding are marked. `found` is the count in the run's state: request the findings
    again when the state's count is higher. `rest` describes work that exceeded the timeout: findings with assumed grades,
    values not compared; `elsewhere` what the values of other hosts leave open. Both are empty if nothing is left.
    """

    findings: list[FindingInfo]
    inputs: list[BadInputInfo]
    marks: list[FindingMark]
    found: int
    steps: int
    rest: str
    elsewhere: str


class OriginStop(TypedDict):
    """A step where a non-finite value originated, with the index of its finding in the list."""

    finding: int
    process: int
    step: int
    address: str
    index: list[int]
    sentence: str
