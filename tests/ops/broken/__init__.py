"""For each op, operations that break each of its labels."""

from __future__ import annotations

from hloscope.engine.ir.module import Operation

from . import (
    contractions,
    control_flow,
    convolutions,
    creation,
    dynamic,
    elementwise,
    indexing,
    linear_algebra,
    movement,
    processes,
    reductions,
    sorting,
    windowed,
)
from .stating import Broken

BROKEN: list[tuple[str, Broken]] = [
    *elementwise.broken(),
    *creation.broken(),
    *contractions.broken(),
    *control_flow.broken(),
    *convolutions.broken(),
    *dynamic.broken(),
    *indexing.broken(),
    *linear_algebra.broken(),
    *movement.broken(),
    *processes.broken(),
    *reductions.broken(),
    *sorting.broken(),
    *windowed.broken(),
]
"""The mnemonic of an op; the label that is broken, and the operation that breaks it."""

UNBREAKABLE: dict[tuple[str, str], str] = {
    **control_flow.UNBREAKABLE,
    **dynamic.UNBREAKABLE,
    **indexing.UNBREAKABLE,
    **linear_algebra.UNBREAKABLE,
    **processes.UNBREAKABLE,
    **reductions.UNBREAKABLE,
    **sorting.UNBREAKABLE,
    **windowed.UNBREAKABLE,
}
"""Labels of ops that no operation of a text can break, and why."""

UNBROKEN: list[Operation] = [
    *contractions.unbroken(),
    *convolutions.unbroken(),
    *indexing.unbroken(),
    *movement.unbroken(),
    *reductions.unbroken(),
]
"""Operations that break no rule, from which broken ones differ in one place."""

__all__ = ["BROKEN", "UNBREAKABLE", "UNBROKEN", "Broken"]
