"""Ops of several processes, and the ops that return a process's ids."""

from ..core.registry import Family, ops_in
from . import collective_broadcast, collective_reductions, collectives, point_to_point, processes

FAMILIES = (
    Family(
        "Many processes",
        "collective",
        ops_in(processes, collectives, collective_broadcast, collective_reductions, point_to_point),
    ),
)
