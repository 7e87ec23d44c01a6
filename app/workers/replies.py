"""What workers answer, as results and errors of the server."""

from __future__ import annotations

import logging
import secrets
from typing import Any

from ..errors import ApiError, over_limit
from .framing import Frame
from .seat import Seat

JSON = dict[str, Any]
log = logging.getLogger("hloscope")


def result_of(frame: Frame) -> JSON:
    """The result of a request, or its error, raised."""
    raise_error(frame)
    result = frame.message.get("result")
    if not isinstance(result, dict):
        raise ApiError(500, "internal", "The worker gave an answer that makes no sense.")
    return result


def raise_error(frame: Frame) -> None:
    """Raise the error that a worker answered with, if it did."""
    error = frame.message.get("error")
    if error is None:
        return
    if error.get("trace"):
        number = secrets.token_hex(4)
        log.error("request %s failed in a worker\n%s", number, error["trace"])
    raise ApiError(
        error["status"], error["kind"], error["message"], hint=error.get("hint"), limit=error.get("limit")
    )


def crashed(seat: Seat | None) -> ApiError:
    where = f" {seat.where()}." if seat and seat.stuck else ""
    return ApiError(
        503, "crashed", f"The worker process ended twice while it worked on this.{where}",
        hint="It may need more memory than this machine has.",
    )  # fmt: skip


def waiting_in_turn(places: int, before: int) -> ApiError:
    """A session waits for a worker, with so many `before` it."""
    who = {0: "This session is the next one", 1: "One session is before this one"}
    start = who.get(before, f"{before:,} sessions are before this one")
    return over_limit(
        503, "max_active_sessions", places, f"{start} in the queue for a worker; it goes on by itself."
    )
