"""sort, and the orders that NumPy knows."""

from ..core.registry import Family, ops_in
from . import sort

FAMILIES = (Family("Reductions, windows and sorting", "control", ops_in(sort)),)
