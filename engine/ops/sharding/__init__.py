"""Shardy's ops, and how the parts of a tensor lie on the devices of a mesh."""

from __future__ import annotations

from ..core.registry import Family
from . import manual_computation, shardy_ops

FAMILIES = (
    Family(
        "Sharding over devices",
        "other",
        (
            *shardy_ops.OPS,
            *manual_computation.OPS,
        ),
    ),
)
