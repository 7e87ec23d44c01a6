"""Ops of several processes, and the ops that return a process's ids."""

from __future__ import annotations

from ..core.registry import Family
from . import collective_broadcast, collective_reductions, collectives, point_to_point, processes

FAMILIES = (
    Family(
        "Many processes",
        "collective",
        (
            *processes.OPS,
            *collectives.OPS,
            *collective_broadcast.OPS,
            *collective_reductions.OPS,
            *point_to_point.OPS,
        ),
    ),
)
