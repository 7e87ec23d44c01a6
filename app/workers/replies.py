"""Why the server has no answer of a worker, as errors that a user reads."""

from __future__ import annotations

from ..base.errors import ApiError, over_limit
from .session_worker import SessionWorker
from .worker_slots import WorkerSlots

MOST_CLOSINGS = 4
"""Attempts to open a run for a question, each of which ends when the worker closes it again: other runs leave it no room."""


def crash_error(owner: SessionWorker | None) -> ApiError:
    where = f" {owner.activity()}." if owner and owner.stuck else ""
    return ApiError(
        503, "crashed", f"The worker process ended twice while it worked on this.{where}",
        hint="It may need more memory than this machine has.",
    )  # fmt: skip


def room_error(recording_bytes: int) -> ApiError:
    """Several runs of a session are asked about at once, and each was closed for the others."""
    message = (
        "There is not enough room to record again all the runs that are asked about at once; ask again later."
    )
    return over_limit(503, "recording_bytes", recording_bytes, message)


def timeout_error(owner: SessionWorker, slots: WorkerSlots, limit: int) -> ApiError:
    """Why a session has no answer after the `limit` in milliseconds."""
    before = slots.before(owner.session)
    if before is not None:
        return queue_error(slots.count, before)
    return over_limit(503, "request_time_limit_ms", limit, f"{owner.activity()}; ask again later.")


def queue_error(places: int, before: int) -> ApiError:
    """A session waits for a worker, with so many `before` it."""
    who = {0: "This session is the next one", 1: "One session is before this one"}
    start = who.get(before, f"{before:,} sessions are before this one")
    return over_limit(
        503, "max_active_sessions", places, f"{start} in the queue for a worker; it goes on by itself."
    )
