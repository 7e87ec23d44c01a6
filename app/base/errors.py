"""What a request can be answered with instead of a result; each becomes JSON with a right status."""

from __future__ import annotations

from starlette.exceptions import HTTPException

from ..wire.live import ErrorBody, ErrorInfo


class ApiError(HTTPException):
    """A request that cannot be met; the message is a sentence for the user.

    FastAPI lets only its own exceptions through from where a body is read, so this is one of them.
    """

    def __init__(
        self, status: int, kind: str, message: str, *, hint: str | None = None, limit: str | None = None
    ) -> None:
        super().__init__(status, message)
        self.status, self.kind, self.message, self.hint, self.limit = status, kind, message, hint, limit

    @property
    def close_code(self) -> int:
        """With what a WebSocket is closed for it; a page sees this number, and never the status of a handshake."""
        return 4000 + self.status

    def body(self, request: str | None = None) -> ErrorBody:
        """The JSON of the answer; `request` is the number that the log has for it."""
        error: ErrorInfo = {"message": self.message, "kind": self.kind}
        if self.hint is not None:
            error["hint"] = self.hint
        if self.limit is not None:
            error["limit"] = self.limit
        if request is not None:
            error["request"] = request
        return {"error": error}


def not_found(what: str) -> ApiError:
    """The error 404: there is no `what` of that name."""
    return ApiError(404, "not_found", f"There is no such {what}.")


def over_limit(status: int, limit: str, value: int, message: str) -> ApiError:
    """An error that names the setting which caused it, and its value."""
    hint = f"The setting {limit} is {value:,}; /-/settings lists all of them."
    return ApiError(status, "limit", message, limit=limit, hint=hint)


def internal() -> ApiError:
    """A mistake of ours; what it was is in the log only."""
    return ApiError(500, "internal", "hloscope made a mistake; its log says which.")
