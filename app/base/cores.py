"""The cores that this process may use."""

import os
import sys
from pathlib import Path

_QUOTA = Path("/sys/fs/cgroup/cpu.max")


def cores() -> int:
    """The number of cores that this process may use, by its affinity and the container's quota."""
    allowed = getattr(os, "sched_getaffinity", None)
    found = len(allowed(0)) if allowed else os.cpu_count() or 1
    return max(1, min(found, _quota()))


def _quota() -> int:
    """The container's CPU quota in whole cores."""
    try:
        share, period = _QUOTA.read_text("ascii").split()
        return max(1, int(share) // int(period))
    except (OSError, ValueError):  # `max`, or no such file
        return sys.maxsize
