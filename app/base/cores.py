"""The cores that this process may use."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_QUOTA = Path("/sys/fs/cgroup/cpu.max")


def cores() -> int:
    """The cores that this process may use: what the machine has, without those that others were given."""
    allowed = getattr(os, "sched_getaffinity", None)
    found = len(allowed(0)) if allowed else os.cpu_count() or 1
    return max(1, min(found, _quota()))


def _quota() -> int:
    """The whole cores that a container may use, by its share of the machine's time."""
    try:
        share, period = _QUOTA.read_text("ascii").split()
        return max(1, int(share) // int(period))
    except (OSError, ValueError):  # `max`, or no such file
        return sys.maxsize
