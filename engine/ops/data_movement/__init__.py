"""Ops that make tensors, and that move elements by a rule which the program states."""

from __future__ import annotations

from ..core.registry import Family
from . import creation, data_movement, dynamic_shapes, dynamic_slices, pad

FAMILIES = (
    Family("Constants and counting", "other", (*creation.OPS,)),
    Family(
        "Shapes and slices",
        "movement",
        (
            *data_movement.OPS,
            *pad.OPS,
            *dynamic_slices.OPS,
        ),
    ),
    Family("Sizes that are values", "movement", (*dynamic_shapes.OPS,)),
)
