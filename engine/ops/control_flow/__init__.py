"""Ops that run functions and regions, and those that put values together and in order."""

from __future__ import annotations

from ..core.registry import Family
from . import async_ops, composite, control_flow, functions, tokens, tuples

FAMILIES = (
    Family(
        "Control flow and functions",
        "control",
        (
            *control_flow.OPS,
            *composite.OPS,
            *functions.OPS,
        ),
    ),
    Family("Tuples and tokens", "movement", (*tuples.OPS,)),
    Family("Tuples and tokens", "control", (*tokens.OPS,)),
    Family("Many processes", "control", (*async_ops.OPS,)),
)
