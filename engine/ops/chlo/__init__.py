"""The ops of the CHLO dialect, which frameworks write beside those of StableHLO."""

from __future__ import annotations

from ..core.registry import Family
from . import chlo_broadcasting, chlo_constants, chlo_functions, chlo_top_k

FAMILIES = (
    Family(
        "CHLO: special functions",
        "elementwise",
        (
            *chlo_functions.OPS,
            *chlo_constants.OPS,
            *chlo_top_k.OPS,
        ),
    ),
    Family("CHLO: with broadcasting", "elementwise", (*chlo_broadcasting.OPS,)),
)
