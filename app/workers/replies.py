"""User-facing errors for missing answers of a worker."""

from __future__ import annotations

from ..base.errors import ApiError, over_limit
from .session_worker import SessionWorker
from .worker_slots import WorkerSlots

MOST_CLOSINGS = 4
"""Maximum attempts to open a run for a question, while other runs displace it."""


def crash_error(owner: SessionWorker | None) -> ApiError:
    where = f" {owner.activity()}." if owner and owner.stuck else ""
    return ApiError(
        503, "crashed", f"The worker process ended twice while it worked on this.{where}",
        hint="It may need more memory than this machine has.",
    )  # fmt: skip


def memory_error(recording_bytes: int) -> ApiError:
    """The error if several runs of a session displace each other in memory."""
    message = "There is not enough memory to replay all the runs that are requested at the same time; try again later."
    return over_limit(503, "recording_bytes", recording_bytes, message)


def timeout_error(owner: SessionWorker, slots: WorkerSlots, limit: int) -> ApiError:
    """The error if a session has no answer after `limit` milliseconds."""
    before = slots.before(owner.session)
    if before is not None:
        return queue_error(slots, before)
    return over_limit(503, "request_time_limit_ms", limit, f"{owner.activity()}; try again later.")


def queue_error(slots: WorkerSlots, before: int) -> ApiError:
    """The error of a queued session that has `before` sessions before it."""
    who = {0: "This session is the next one", 1: "One session is before this one"}
    start = who.get(before, f"{before:,} sessions are before this one")
    message = f"{start} in the queue for a worker; it continues automatically."
    if slots.follows or slots.count < slots.most:
        room = "1 session" if slots.count == 1 else f"{slots.count:,} sessions"
        hint = f"{slots.follows or 'The Ray cluster'} has room for {room} of this server now."
        return ApiError(503, "limit", message, limit="max_active_sessions", hint=hint)
    return over_limit(503, "max_active_sessions", slots.most, message)
