"""sort, and the orders that NumPy knows."""

from __future__ import annotations

from ..core.registry import Family
from . import sort

FAMILIES = (Family("Reductions, windows and sorting", "control", (*sort.OPS,)),)
