"""Errors that a request can be answered with; each becomes JSON with its status."""

from collections.abc import Sequence
from random import randint

from starlette.exceptions import HTTPException

from ..wire.live import ErrorBody, ErrorInfo

RETRY_SECONDS = {429: (5, 15), 503: (1, 1)}
"""Seconds after which a client may ask again, by status: the least and the most."""


class ApiError(HTTPException):
    """A request that fails; the message is a sentence for the user.

    `parts`: what the message says beyond its kind, such as a number, for the sentence of the kind in another language.
    A subclass of FastAPI's exception, because FastAPI replaces any other that is raised while it reads a body.
    """

    def __init__(
        self,
        status: int,
        kind: str,
        message: str,
        *,
        hint: str | None = None,
        limit: str | None = None,
        parts: Sequence[str] = (),
    ) -> None:
        super().__init__(status, message)
        self.status, self.kind, self.message, self.hint, self.limit = status, kind, message, hint, limit
        self.parts = list(parts)

    @property
    def close_code(self) -> int:
        """The close code of a WebSocket: a page sees this number, never the status of a failed handshake."""
        return 4000 + self.status

    @property
    def retry_headers(self) -> dict[str, str]:
        """`Retry-After` for limits that lift by themselves, with jitter so that clients do not all retry at once."""
        if self.status not in (429, 503):
            return {}
        least, most = RETRY_SECONDS[self.status]
        return {"Retry-After": str(randint(least, most))}

    def body(self, request: str | None = None) -> ErrorBody:
        """The JSON of the response; `request` is the request's number in the log."""
        error: ErrorInfo = {"message": self.message, "kind": self.kind}
        if self.hint is not None:
            error["hint"] = self.hint
        if self.limit is not None:
            error["limit"] = self.limit
        if self.parts:
            error["parts"] = self.parts
        if request is not None:
            error["request"] = request
        return {"error": error}


def not_found(what: str, kind: str = "not_found") -> ApiError:
    """A 404: no `what` has that name."""
    return ApiError(404, kind, f"There is no such {what}.")


def over_limit(status: int, limit: str, value: int, message: str, kind: str = "limit") -> ApiError:
    """An error that names the limit that was exceeded, and its value."""
    hint = f"The setting {limit} is {value:,}; /-/settings lists all of them."
    return ApiError(status, kind, message, limit=limit, hint=hint, parts=[f"{value:,}"])


def internal() -> ApiError:
    """An internal error; only the log says what it was."""
    return ApiError(500, "internal", "hloscope made a mistake; its log says which.")


def as_sentence(text: str) -> str:
    """A message as a sentence, with a capital letter and an end."""
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '?', '!')) else '.'}"
