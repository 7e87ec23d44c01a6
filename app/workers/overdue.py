"""What a worker takes too long for."""

from __future__ import annotations

from ..errors import over_limit
from ..settings import Settings
from .seat import Seat


def overdue(seat: Seat, quiet: float, settings: Settings) -> bool:
    """Whether a worker that has been `quiet` for so many seconds is to be ended; the seat knows why, then."""
    stuck = seat.stuck or {}
    status = seat.runs.get(stuck.get("key", ""))
    if stuck.get("doing") == "slice" and status is not None:
        limit = settings.op_time_limit_ms
        if not limit or quiet <= limit / 1000:
            return False
        message = f"it took longer than {limit:,} ms"
        status.fault = {"op": stuck["op"], "message": message, "limit": "op_time_limit_ms"}
        status.steps = stuck["step"]
        return True
    limit = settings.check_time_limit_ms
    if quiet <= max(limit, settings.op_time_limit_ms) / 1000:
        return False
    message = f"This took longer than {limit:,} ms and was stopped."
    seat.killed = over_limit(503, "check_time_limit_ms", limit, message)
    return True
