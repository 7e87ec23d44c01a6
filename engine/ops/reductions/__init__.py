"""Ops that combine elements by a function: along dimensions, in windows, one slice after another."""

from __future__ import annotations

from ..core.registry import Family
from . import map_op, reduce, reduce_window, scan, select_and_scatter

FAMILIES = (
    Family(
        "Reductions, windows and sorting",
        "reduction",
        (
            *reduce.OPS,
            *reduce_window.OPS,
            *select_and_scatter.OPS,
            *scan.OPS,
            *map_op.OPS,
        ),
    ),
)
