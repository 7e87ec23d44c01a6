"""The ops of the CHLO dialect, which frameworks write beside those of StableHLO."""

from __future__ import annotations

from . import chlo_broadcasting, chlo_constants, chlo_functions, chlo_top_k
from .op import Op

OPS: tuple[type[Op], ...] = (
    *chlo_functions.OPS,
    *chlo_constants.OPS,
    *chlo_top_k.OPS,
    *chlo_broadcasting.OPS,
)
