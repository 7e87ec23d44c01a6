"""Tasks of a worker other than questions about a recording, each with its result type."""

from dataclasses import dataclass
from typing import Any, Generic, NotRequired, TypeAlias, TypeVar

from typing_extensions import TypedDict

from .events import LoopLink, RunReport
from .lessons import ChangeResult, LessonSource, ResolvedLesson
from .playground import DerivedElements, FormState, PlaygroundAnswer
from .program import CheckResult, Diagnostic, GridSize, QuickRun
from .questions import Asked
from .sessions import Argument, DroppedInput, Feed, Feeds, FileMatches, InputSpec, LaterStart, RunParameters

R = TypeVar("R")
LimitValues: TypeAlias = dict[str, Any]
"""The numbers of the engine's `Limits`, by their names."""

MOST_RUNS = 2
"""Maximum number of runs that a worker keeps open: the newest, and its comparison partner."""


class GoalInfo(TypedDict):
    """The recording goal of a run: a step, or a duration; null: the end."""

    steps: int | None
    seconds: float | None


class StopInfo(TypedDict):
    """The op that was terminated with its worker, the reason, and the exceeded setting."""

    op: int | None
    message: str
    limit: str | None


@dataclass(frozen=True)
class TaskResult(Generic[R]):
    """The result of a task."""

    value: R


class Task(Asked, Generic[R]):
    """A task of a worker with a result `R`."""

    def result(self, value: R) -> TaskResult[R]:
        """`value` as the result."""
        return TaskResult(value)


class Check(Task[CheckResult]):
    """Check a program."""

    name: str
    entry: str | None
    limits: LimitValues


class RunQuickly(Task[QuickRun]):
    """Run a small program to its end."""

    name: str
    limits: LimitValues
    steps: int
    milliseconds: int


class EvaluateForm(Task[PlaygroundAnswer]):
    """Evaluate a form of the playground."""

    op: str
    state: FormState
    limits: LimitValues
    elements: int
    steps: int
    milliseconds: int
    derive: DerivedElements | None = None


class MatchFile(Task[FileMatches]):
    """List the arrays of the file `called`, and match them to the program, if there is one."""

    path: str
    called: str
    name: str
    entry: str | None
    limits: LimitValues


class ResolveLesson(Task[ResolvedLesson]):
    """Run the programs of a lesson, and resolve its positions, values and answers."""

    source: LessonSource
    limits: LimitValues
    steps: int
    milliseconds: int


class CheckChange(Task[ChangeResult]):
    """Run a student's solution of an exercise, and judge it."""

    source: LessonSource
    step: str
    limits: LimitValues
    steps: int
    milliseconds: int


class RefusedRun(TypedDict):
    """Why a program does not run."""

    key: None
    diagnostics: list[Diagnostic]
    dropped_inputs: list[DroppedInput]


class RunFacts(TypedDict):
    """Stored facts of a run, which the page receives without a worker."""

    arguments: list[Argument]
    results: list[str]
    diagnostics: list[Diagnostic]
    grid: NotRequired[GridSize]
    needed_grid: NotRequired[GridSize]
    user_queues: NotRequired[list[str]]
    start: NotRequired[LaterStart | None]


class OpenFacts(RunParameters):
    """The parameters of a run, with what opening it has reported."""

    program: str
    diagnostics: list[Diagnostic]
    dropped_inputs: list[DroppedInput]


class OpenedRun(OpenFacts, RunReport):
    """An open run, and its progress."""


class OpenRun(Task[OpenedRun | RefusedRun]):
    """Open a run unless it is open; record the earlier `replay` steps, or else the beginning."""

    name: str
    entry: str | None
    inputs: list[InputSpec | None]
    previous: list[Argument]
    """Arguments of the run before, for inputs that are not stated."""
    grid: GridSize | None
    feeds: Feeds | None
    start: LaterStart | None
    limits: LimitValues
    blas_threads: int
    goal: GoalInfo | None
    build: str
    replay: int
    fault: StopInfo | None
    resting: str
    """Why the run stays paused."""
    links: list[LoopLink]
    """Starts of loops that are known from earlier recordings of the run."""


class RunTask(Task[RunReport]):
    """A task for an open run."""

    key: str


class RecordRun(RunTask):
    """Record `steps` more steps, or to the end."""

    steps: int | None


class FeedRun(RunTask):
    """Put items into a queue, and continue."""

    feed: Feed


class PauseRun(RunTask):
    """Stop recording; `reason` is shown, as the start of a sentence."""

    reason: str = "Paused by you"
