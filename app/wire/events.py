"""A worker's reports about its runs: task results, and events without a request."""

from typing import Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict

from .sessions import Progress, RunState, Verifying


class RunReport(TypedDict):
    """Progress of a run. `at` is the clock of the worker's machine: events overtake responses.

    `replaying`: earlier steps are still being recorded again, and counts may be lower than known ones.
    """

    key: str
    at: int
    state: RunState
    steps: int
    frames: int
    prints: int
    findings: int
    progress: Progress
    replaying: bool


class LoopLink(TypedDict):
    """The scalars, as hexadecimal bytes, with which an iteration of a `while` step starts, for later recordings of the run.

    None of the ops since the start of the iteration `since` was at fault.
    """

    process: int
    opener: int
    since: int
    iteration: int
    values: list[str]


class StateEvent(RunReport):
    """A run has progressed; `links` are new ones."""

    event: Literal["state"]
    links: list[LoopLink]


class RunningOp(TypedDict):
    """The op that started last, with the completed steps of all processes, and its line."""

    step: int
    op: int | None
    line: int | None


class StuckEvent(TypedDict):
    """One call takes long; for a run that is being recorded, with its op."""

    event: Literal["stuck"]
    doing: str
    seconds: float
    key: NotRequired[str]
    step: NotRequired[int]
    op: NotRequired[int | None]
    line: NotRequired[int | None]


class FaultEvent(TypedDict):
    """A mistake of ours ended a run; for the log."""

    event: Literal["fault"]
    trace: str


class VerifyingEvent(Verifying):
    """The progress of reading and verifying a program."""

    event: Literal["verifying"]


class EndEvent(TypedDict):
    """The worker has ended; the server itself sends this event to its listener."""

    event: Literal["end"]


WorkerEvent: TypeAlias = StateEvent | StuckEvent | FaultEvent | VerifyingEvent | EndEvent


class WorkerError(TypedDict):
    """Why a worker refused or failed a request; `trace` is for the log, for our own mistakes."""

    status: int
    kind: str
    message: str
    hint: NotRequired[str | None]
    limit: NotRequired[str | None]
    trace: NotRequired[str]
