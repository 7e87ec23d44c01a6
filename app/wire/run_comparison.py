"""Two runs compared: the values of one and of the other in pairs."""

from typing import Literal

from typing_extensions import TypedDict

from .values import JointRange, ValueSummary

Verdict = Literal["same_bits", "rounding", "unknown", "wrong", "nan", "shape", "only_before", "only_after"]
"""The difference of the second value of a pair, or that it has no partner."""
Evidence = Literal[
    "original",
    "value",
    "near",
    "name",
    "source",
    "structure",
    "elements",
    "position",
    "same_program",
    "replaced",
]
"""The evidence that two operations match."""
Side = Literal["before", "after"]


class WorstElement(TypedDict):
    """The element that differs the most; its numbers as text, as exact as they are."""

    index: list[int]
    path: list[int]
    """The leaf that it is in, where the values are tuples."""
    before: str
    after: str
    error: int | float | str
    ulps: int | float | str | None
    bound: int | float | str | None
    """The rounding-error bound; null if unknown, or if it did not decide."""
    noise: int | float | str | None
    """The error of the element in randomly rounded runs; null if these were not needed."""


class ComparedSide(TypedDict):
    """A value of one run."""

    name: str
    op: int | None
    """The op that computed it; null for inputs."""
    spelled: str
    """The op's text in the program; empty for inputs."""
    line: int
    process: int
    step: int | None
    """The first step of the op where nothing else is chosen; null for inputs, and for ops that did not run."""
    address: str | None
    type: str


class ComparedRow(TypedDict):
    """A pair of operations, or of inputs: of several executions the first that is wrong, or else the worst."""

    before: ComparedSide | None
    after: ComparedSide | None
    verdict: Verdict
    evidence: list[Evidence]
    origin: Literal["given", "made", "carried", "open"]
    """For a wrong value: given, made by an op whose operands agree, computed from wrong ones, or unknown."""
    sentence: str
    notes: str
    worst: WorstElement | None
    size: int
    count: int
    """Elements that differ in any bit."""
    beyond: int
    """Elements that differ by more than rounding."""
    executions: int
    wrong: int
    """Executions that differ by more than rounding."""


class ValuesOrigin(TypedDict):
    """The origin of a file's values; empty if the file does not state it."""

    title: str
    """`XLA of jaxlib 0.10.2 on cpu`."""
    sentence: str
    """The verdict on the results."""
    lines: list[str]
    """The evidence for the verdict."""
    confirmed: bool
    """Whether a run in more digits showed that results beyond their bounds are rounding; the verdict takes precedence."""


class RunsCompared(TypedDict):
    """The pairs of two runs in the order of the first one's execution, as far as they are compared."""

    sentence: str
    first: int | None
    """The row of the first value that differs by more than rounding."""
    rows: list[ComparedRow]
    start: int
    """The number of the first row in `rows`."""
    total: int
    """The total number of rows so far."""
    counts: dict[Verdict, int]
    """Rows by verdict."""
    compared: int
    """Pairs of values, executions counted one by one."""
    done: bool
    """Whether all recorded values are compared."""
    origin: ValuesOrigin | None
    """The origin of the other values, if they are not those of a run."""


class MatchedStep(TypedDict):
    """The step of the other run that matches a step of this one."""

    step: int | None
    """Null if nothing before this step has a partner."""
    process: int
    exact: bool
    """Whether it is the same op; otherwise it follows the last one before that has a partner."""
    name: str
    """The first result of the op about to run there."""
    spelled: str
    line: int


class FarthestElement(TypedDict):
    """The element where two values are furthest apart; numbers as text."""

    index: list[int]
    value: str
    other: str
    apart: str


class DifferenceInfo(TypedDict):
    """The distance of two values, element by element, as a value, and the range of both."""

    distance: ValueSummary
    range: JointRange
    count: int
    """Number of elements that are apart, NaN included."""
    worst: FarthestElement | None
