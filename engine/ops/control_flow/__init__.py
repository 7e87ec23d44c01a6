"""Ops that run functions and regions, and those that put values together and in order."""

from ..core.registry import Family, ops_in
from . import async_ops, control_flow, functions, tokens, tuples

FAMILIES = (
    Family("Control flow and functions", "control", ops_in(control_flow, functions)),
    Family("Tuples and tokens", "movement", ops_in(tuples)),
    Family("Tuples and tokens", "control", ops_in(tokens)),
    Family("Many processes", "control", ops_in(async_ops)),
)
