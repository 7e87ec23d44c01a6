"""One op, checked by the rules of findings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hloscope.engine.findings import Fault
from hloscope.engine.findings.kind import Watch
from hloscope.engine.findings.kinds import check, rules_of
from hloscope.engine.ir.types import Type
from hloscope.engine.ops.core.op import Op
from hloscope.engine.ops.core.quiet import Signals


def watches(op: Op, results: Sequence[Type]) -> set[Watch]:
    """When an op with results of these types is checked."""
    return set(rules_of(op, results).values())


def faults(op: Op, operands: tuple[Any, ...], results: tuple[Any, ...], signals: Signals) -> list[Fault]:
    """What an op with results of the inferred types did wrong."""
    inferred = op.infer()
    types = () if inferred is None else inferred if isinstance(inferred, tuple) else (inferred,)
    return list(check(op, rules_of(op, types), operands, results, signals))
