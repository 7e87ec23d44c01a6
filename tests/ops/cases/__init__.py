"""Random valid calls of ops, for what must hold of every op: drawn by a function, or else those of its worked example."""

from __future__ import annotations

from hloscope.engine.ops import OPS

from . import (
    checks,
    chlo,
    contractions,
    convolutions,
    dynamic,
    elementwise,
    hlo_numbers,
    hlo_structure,
    linear_algebra,
    movement,
    old_contractions,
    processes,
    shapes,
    sharding,
    sorting,
    windowed,
)
from .drawing import Case, Cases, elements
from .worked_examples import calls_in_example

DRAWN: dict[str, Cases] = {
    **elementwise.CASES,
    **chlo.CASES,
    **movement.CASES,
    **contractions.CASES,
    **convolutions.CASES,
    **dynamic.CASES,
    **old_contractions.CASES,
    **linear_algebra.CASES,
    **processes.CASES,
    **shapes.CASES,
    **sharding.CASES,
    **windowed.CASES,
    **sorting.CASES,
    **hlo_numbers.CASES,
    **hlo_structure.CASES,
}
"""For each op whose types and attributes are drawn too, how to make calls of it."""

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
    **checks.WITHOUT_CASES,
    **convolutions.WITHOUT_CASES,
    **linear_algebra.WITHOUT_CASES,
}
"""Ops that cannot be called on their own, and why."""

_IN_EXAMPLES = [op.name for op in OPS if op.name not in {*DRAWN, *WITHOUT_CASES}]
CASES: dict[str, Cases] = {**DRAWN, **{name: calls_in_example(name) for name in _IN_EXAMPLES}}
"""For each op, how to make calls of it."""

__all__ = ["CASES", "DRAWN", "WITHOUT_CASES", "Case", "Cases", "elements"]
