"""Errors in a worker's responses: those common to all workers."""

from __future__ import annotations

from hloscope.engine.errors import LimitError, ProgramError

from ..base.logs import describe_error
from ..wire.events import WorkerError


def error_answer(error: Exception) -> WorkerError:
    """An error as the server's response; `trace` is for the log, for our own mistakes."""
    match error:
        case LimitError():
            return {
                "status": 422,
                "kind": "limit",
                "message": error.message,
                "hint": error.hint,
                "limit": error.label,
            }
        case ProgramError():
            return {"status": 422, "kind": error.kind, "message": error.message, "hint": error.hint}
        case _:
            message = "hloscope made a mistake; its log says which."
            return {"status": 500, "kind": "internal", "message": message, "trace": describe_error(error)}
