"""The ops of the CHLO dialect, which frameworks write beside those of StableHLO."""

from ..core.registry import Family, ops_in
from . import chlo_broadcasting, chlo_constants, chlo_functions, chlo_top_k

FAMILIES = (
    Family("CHLO: special functions", "elementwise", ops_in(chlo_functions, chlo_constants, chlo_top_k)),
    Family("CHLO: with broadcasting", "elementwise", chlo_broadcasting.BROADCASTING),
)
