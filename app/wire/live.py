"""What the server says over a page's socket; what a page says is in `requests`."""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict

from .sessions import RunStatus, Turn, Verifying


class ErrorInfo(TypedDict):
    """Why a request was not met. `limit` is the setting that says so, `request` the number of the log's entry."""

    message: str
    kind: str
    hint: NotRequired[str]
    limit: NotRequired[str]
    request: NotRequired[str]


class ErrorBody(TypedDict):
    """The answer to a request that was not met."""

    error: ErrorInfo


class WelcomeMessage(TypedDict):
    """The first message."""

    type: Literal["welcome"]


class WaitingMessage(TypedDict):
    """Where the session is in the queue for a worker; null once it is not in it any more."""

    type: Literal["waiting"]
    turn: Turn | None


class VerifyingMessage(TypedDict):
    """How far the verification of the session's program is; null once it is over."""

    type: Literal["verifying"]
    verifying: Verifying | None


class StateMessage(RunStatus):
    """How far a run is."""

    type: Literal["state"]
    run: int
    key: str


class ErrorMessage(ErrorInfo):
    """What a page asked for over the socket and cannot have."""

    type: Literal["error"]


ServerMessage: TypeAlias = WelcomeMessage | WaitingMessage | VerifyingMessage | StateMessage | ErrorMessage
