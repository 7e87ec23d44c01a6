"""The server's messages on a page's socket; the page's messages are in `requests`."""

from typing import Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict

from .sessions import RunStatus, Turn, Verifying


class ErrorInfo(TypedDict):
    """Why a request failed. `limit`: the exceeded setting; `parts`: what the message says beyond its kind, such as a number;
    `request`: the log entry's number."""

    message: str
    kind: str
    hint: NotRequired[str]
    limit: NotRequired[str]
    parts: NotRequired[list[str]]
    request: NotRequired[str]


class ErrorBody(TypedDict):
    """The response to a failed request."""

    error: ErrorInfo


class WelcomeMessage(TypedDict):
    """The first message."""

    type: Literal["welcome"]


class WaitingMessage(TypedDict):
    """The session's position in the queue for a worker; null once it has left the queue."""

    type: Literal["waiting"]
    turn: Turn | None


class VerifyingMessage(TypedDict):
    """The progress of the verification of the session's program; null at its end."""

    type: Literal["verifying"]
    verifying: Verifying | None


class StateMessage(RunStatus):
    """The progress of a run."""

    type: Literal["state"]
    run: int
    key: str


class ErrorMessage(ErrorInfo):
    """A failed request of a page over the socket."""

    type: Literal["error"]


ServerMessage: TypeAlias = WelcomeMessage | WaitingMessage | VerifyingMessage | StateMessage | ErrorMessage
