"""What a worker says of its runs: as the result of a task, and unasked as events."""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict

from .sessions import Progress, RunState


class RunReport(TypedDict):
    """How far a run is. `at` is the clock that all processes share: events overtake answers.

    `replaying`: what was recorded before is still being recorded again, and counts may be behind what is known.
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


class StateEvent(RunReport):
    """A run has come further."""

    event: Literal["state"]


class RunningOp(TypedDict):
    """The op that was started last, with the steps of all processes that are over, and the line it is on."""

    step: int
    op: int | None
    line: int | None


class StuckEvent(TypedDict):
    """One call takes long; of a run that is being recorded with the op that does."""

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


class VerifyingEvent(TypedDict):
    """The line of the program that is being verified, and how many it has."""

    event: Literal["verifying"]
    line: int
    lines: int


class EndEvent(TypedDict):
    """The worker has ended; its listener is told so by the server itself."""

    event: Literal["end"]


WorkerEvent: TypeAlias = StateEvent | StuckEvent | FaultEvent | VerifyingEvent | EndEvent


class WorkerError(TypedDict):
    """Why a worker did not do what it was asked for; `trace` is for the log, where the mistake is ours."""

    status: int
    kind: str
    message: str
    hint: NotRequired[str | None]
    limit: NotRequired[str | None]
    trace: NotRequired[str]
