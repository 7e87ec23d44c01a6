"""Questions about two runs of a session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from .questions import BytesQuestion, JsonQuestion, Question
from .run_comparison import DifferenceInfo, MatchedStep, RunsCompared, Side
from .values import ValueSummary

A = TypeVar("A")
OTHER_CLOSED = "other_closed"
"""The kind of error of a question about a pair, where the worker has closed the other run in the meantime."""


VALUES = "values:"
"""What the other of a pair begins with that is a file of values: the name of an uploaded file follows, for a worker its path."""


@dataclass(frozen=True)
class OpenQuestion(JsonQuestion[bool]):
    """Whether the run is open: it is, once this is answered."""


@dataclass(frozen=True)
class PairQuestion(Question[A]):
    """A question about a run and another one of its session."""

    other: str
    """The key of the other run, which comes after in what is told; or `VALUES` and a file."""


@dataclass(frozen=True)
class ComparisonQuestion(PairQuestion[RunsCompared], JsonQuestion[RunsCompared]):
    """The values of both runs in pairs. With `op`, the executions of that op of the first run one by one."""

    absolute: float | None = None
    """With `relative`, what is called rounding; without both it is found out for each value."""
    relative: float | None = None
    op: int | None = None
    start: int = 0
    limit: int = 1_000


@dataclass(frozen=True)
class MatchedStepQuestion(PairQuestion[MatchedStep], JsonQuestion[MatchedStep]):
    """The step of the one run that belongs to a step of the other."""

    process: int
    step: int
    side: Side
    """The run that the step is of."""


@dataclass(frozen=True)
class DifferenceWindowQuestion(PairQuestion[bytes], BytesQuestion):
    """A rectangle of the distance of two values, element by element; fields as those of `WindowQuestion`."""

    before: str
    after: str
    rows: str
    columns: str
    at: str
    start: str
    size: str
    level: str


@dataclass(frozen=True)
class DifferenceQuestion(PairQuestion[DifferenceInfo], JsonQuestion[DifferenceInfo]):
    """How far two values are apart: statistics for a picture of the distance, and what colours of both need."""

    before: str
    after: str


@dataclass(frozen=True)
class OtherValueQuestion(PairQuestion[ValueSummary], JsonQuestion[ValueSummary]):
    """The value of a file that belongs to a value of the run: `ValueQuestion` of what comes after."""

    address: str


@dataclass(frozen=True)
class OtherWindowQuestion(PairQuestion[bytes], BytesQuestion):
    """A rectangle of it; fields as those of `WindowQuestion`."""

    address: str
    rows: str
    columns: str
    at: str
    start: str
    size: str
    level: str
