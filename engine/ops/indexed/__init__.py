"""Ops that read and write slices at places that a tensor of indices holds."""

from __future__ import annotations

from ..core.registry import Family
from . import dynamic_indexing, gather, scatter

FAMILIES = (
    Family(
        "Gathering and scattering",
        "movement",
        (
            *gather.OPS,
            *scatter.OPS,
        ),
    ),
    Family("Sizes that are values", "movement", (*dynamic_indexing.OPS,)),
)
