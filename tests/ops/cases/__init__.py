"""Random valid calls of ops, for what must hold of every op.

They are drawn by a function, taken from the oracles' generators, or else from the op's worked example.
"""

from __future__ import annotations

from hloscope.engine.ops import OPS
from tests.oracle.generators import GENERATORS

from . import (
    checks,
    contractions,
    convolutions,
    elementwise,
    hlo_numbers,
    hlo_structure,
    old_contractions,
    processes,
    shapes,
    sharding,
    sorting,
    windowed,
)
from .drawing import Case, Cases, elements
from .worked_examples import calls_in_example
from .written_calls import written_calls

DRAWN: dict[str, Cases] = {
    **elementwise.CASES,
    **contractions.CASES,
    **convolutions.CASES,
    **old_contractions.CASES,
    **processes.CASES,
    **shapes.CASES,
    **sharding.CASES,
    **windowed.CASES,
    **sorting.CASES,
    **hlo_numbers.CASES,
    **hlo_structure.CASES,
}
"""For each op whose calls a function draws, these calls."""

WITHOUT_CASES = {
    **hlo_numbers.WITHOUT_CASES,
    **hlo_structure.WITHOUT_CASES,
    **sharding.WITHOUT_CASES,
    **processes.WITHOUT_CASES,
    **shapes.WITHOUT_CASES,
    "stablehlo.while": "its regions need an interpreter",
    "stablehlo.if": "its regions need an interpreter",
    "stablehlo.case": "its regions need an interpreter",
    "func.call": "its function needs an interpreter",
    "func.return": "it ends a block",
    "stablehlo.return": "it ends a block",
    "stablehlo.rng": "its numbers are chosen by the op, not by its operands",
    "stablehlo.composite": "its function needs an interpreter",
    "stablehlo.custom_call": "what it does depends on its target; each has tests of its own",
    **checks.WITHOUT_CASES,
    **convolutions.WITHOUT_CASES,
}
"""Ops that cannot be called on their own, and why."""

_OTHERS = [op.name for op in OPS if op.name not in {*DRAWN, *WITHOUT_CASES}]
CASES: dict[str, Cases] = DRAWN | {
    name: written_calls(name) if name in GENERATORS else calls_in_example(name) for name in _OTHERS
}
"""The calls of each op."""

__all__ = ["CASES", "DRAWN", "WITHOUT_CASES", "Case", "Cases", "elements"]
