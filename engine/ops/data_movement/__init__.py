"""Ops that make tensors, and that move elements by a rule which the program states."""

from ..core.registry import Family, ops_in
from . import creation, data_movement, dynamic_shapes, dynamic_slices, pad

FAMILIES = (
    Family("Constants and counting", "other", ops_in(creation)),
    Family("Shapes and slices", "movement", ops_in(data_movement, pad, dynamic_slices)),
    Family("Sizes that are values", "movement", ops_in(dynamic_shapes)),
)
