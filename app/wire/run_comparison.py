"""Two runs compared: the values of one and of the other in pairs."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from .values import JointRange, ValueSummary

Verdict = Literal["same_bits", "rounding", "wrong", "nan", "shape", "only_before", "only_after"]
"""How the second value of a pair differs; or that there is none to compare with."""
Evidence = Literal[
    "value", "near", "name", "source", "structure", "elements", "position", "same_program", "replaced"
]
"""What says that two operations are the same."""
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
    """How far rounding may have taken it; null where nothing is known."""


class ComparedSide(TypedDict):
    """A value of one run."""

    name: str
    op: int | None
    """The op that made it; null of inputs."""
    spelled: str
    """The op as the program writes it; empty of inputs."""
    line: int
    process: int
    step: int | None
    """The first step of the op where nothing else is chosen; null of inputs, and of ops that did not run."""
    address: str | None
    type: str


class ComparedRow(TypedDict):
    """A pair of operations, or of inputs: of several executions the first that is wrong, or else the worst."""

    before: ComparedSide | None
    after: ComparedSide | None
    verdict: Verdict
    evidence: list[Evidence]
    origin: Literal["given", "made", "carried"]
    """Of a wrong value: given, made by an op whose operands are fine, or computed from wrong ones."""
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
    """What a file says of where its values are from; empty where it says nothing."""

    title: str
    """`XLA of jaxlib 0.10.2 on cpu`."""
    sentence: str
    """The verdict on the results."""
    lines: list[str]
    """What speaks for it."""
    confirmed: bool
    """Whether results beyond their bounds are rounding all the same, as a run in f64 has shown: then the verdict rules."""


class RunsCompared(TypedDict):
    """The pairs of two runs in the order of the first one's execution, as far as they are compared."""

    sentence: str
    first: int | None
    """The row of the first value that differs by more than rounding."""
    rows: list[ComparedRow]
    start: int
    """The number of the first row in `rows`."""
    total: int
    """Rows there are now."""
    counts: dict[Verdict, int]
    """Rows by verdict."""
    compared: int
    """Pairs of values, executions counted one by one."""
    done: bool
    """Whether all that is recorded is compared."""
    origin: ValuesOrigin | None
    """Of the other values, where they are not those of a run."""


class MatchedStep(TypedDict):
    """Where the other run is when one is at a step of this one."""

    step: int | None
    """Null where nothing before this step has a partner."""
    process: int
    exact: bool
    """Whether it is this very op; otherwise it follows the last one before that has a partner."""
    name: str
    """The first result of the op about to run there."""
    spelled: str
    line: int


class DifferenceInfo(TypedDict):
    """The distance of two values, element by element, as a value of its own; and the range that both lie in."""

    distance: ValueSummary
    range: JointRange
