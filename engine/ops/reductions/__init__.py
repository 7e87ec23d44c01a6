"""Ops that combine elements by a function: along dimensions, in windows, one slice after another."""

from ..core.registry import Family, ops_in
from . import map_op, reduce, reduce_window, scan, select_and_scatter

FAMILIES = (
    Family(
        "Reductions, windows and sorting",
        "reduction",
        ops_in(reduce, reduce_window, select_and_scatter, scan, map_op),
    ),
)
