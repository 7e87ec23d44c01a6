"""Substitute sizes known from a run where the program leaves them open."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..ir.module import Value
from ..ir.types import TensorType, Type
from ..program import BoundOperation, BoundProgram


def open_ops(program: BoundProgram) -> tuple[int, ...]:
    """The ops with sizes that are unknown before a run."""
    return tuple(bound.id for bound in program.ops if bound.dynamic)


def program_with_sizes(program: BoundProgram, ops: Iterable[BoundOperation]) -> BoundProgram:
    """The program with the value types of `ops`, which are in static form."""
    values = list(program.values)
    for bound in ops:
        inferred = bound.op.infer()
        results = inferred if isinstance(inferred, tuple) else () if inferred is None else (inferred,)
        for numbers, types in ((bound.operands, bound.op.operand_types), (bound.results, results)):
            for number, found in zip(numbers, types, strict=False):
                values[number] = _with_type(values[number], found)
    return replace(program, values=tuple(values))


def shown_sizes(bound: BoundOperation) -> object:
    """The types and numbers that a run determined for an op, only for comparison."""
    return bound.op.operand_types, bound.op.infer(), getattr(bound.op, "numbers", None)


def _with_type(value: Value, found: Type) -> Value:
    stated = value.type
    if not isinstance(stated, TensorType) or stated.is_static:
        return value
    return replace(value, type=found) if isinstance(found, TensorType) and found.is_static else value
