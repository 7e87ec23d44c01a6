"""The worker's side of its socket: perform requests, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, cast

from hloscope.engine.errors import LimitError, ProgramError

from ..base.logs import describe_error
from ..wire.events import WorkerError
from ..wire.questions import RequestMessage
from .framing import Buffer, Channel

Outcome: TypeAlias = tuple[Mapping[str, Any], Sequence[Buffer]]
"""The members of a reply besides its number, and its buffers."""


def perform_requests(
    channel: Channel,
    perform: Callable[[RequestMessage, Sequence[Buffer]], Outcome],
    error_of: Callable[[Exception], WorkerError],
) -> None:
    """Perform each request until the other end closes; any error becomes a reply."""
    while (frame := channel.receive()) is not None:
        message = cast(RequestMessage, frame.message)
        number = message["id"]
        try:
            content, buffers = perform(message, frame.buffers)
            channel.send({"id": number, **content}, buffers)
        except Exception as error:
            channel.send({"id": number, "error": error_of(error)})


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
