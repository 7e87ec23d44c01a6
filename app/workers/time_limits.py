"""Time limits of ops and of checks in a worker."""

from __future__ import annotations

from ..base.errors import over_limit
from ..base.settings import Settings
from .session_worker import SessionWorker


def exceeds_time_limit(owner: SessionWorker, quiet: float, settings: Settings) -> bool:
    """Whether to end a worker that was silent for `quiet` seconds.

    If so, sets the reason as the owner's `killed`, or as a fault of its run.
    """
    stuck = owner.stuck
    status = owner.runs.get(stuck.get("key", "")) if stuck else None
    if stuck and stuck["doing"] == "slice" and status is not None:
        limit = settings.op_time_limit_ms
        if not limit or quiet <= limit / 1000:
            return False
        message = f"it took longer than {limit:,} ms"
        status.fault = {"op": stuck.get("op"), "message": message, "limit": "op_time_limit_ms"}
        status.steps = stuck.get("step", status.steps)
        return True
    limit = settings.check_time_limit_ms
    if quiet <= max(limit, settings.op_time_limit_ms) / 1000:
        return False
    message = f"This took longer than {limit:,} ms and was stopped."
    owner.killed = over_limit(503, "check_time_limit_ms", limit, message)
    return True
