"""A program with the sizes that a run has shown where the program leaves them open."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..ir.module import Value
from ..ir.types import TensorType, Type
from ..program import BoundOperation, BoundProgram


def open_ops(program: BoundProgram) -> tuple[int, ...]:
    """The ops with sizes that are not known before a run."""
    return tuple(bound.id for bound in program.ops if bound.dynamic)


def settled_program(program: BoundProgram, settled: Iterable[BoundOperation]) -> BoundProgram:
    """The program with values of the types that `settled` ops have found them to be."""
    values = list(program.values)
    for bound in settled:
        inferred = bound.op.infer()
        results = inferred if isinstance(inferred, tuple) else () if inferred is None else (inferred,)
        for numbers, types in ((bound.operands, bound.op.operand_types), (bound.results, results)):
            for number, found in zip(numbers, types, strict=False):
                values[number] = _typed(values[number], found)
    return replace(program, values=tuple(values))


def shown_by(bound: BoundOperation) -> object:
    """What an op says of the run: its types, and numbers that it takes from operands."""
    return bound.op.operand_types, bound.op.infer(), getattr(bound.op, "numbers", None)


def _typed(value: Value, found: Type) -> Value:
    stated = value.type
    if not isinstance(stated, TensorType) or stated.is_static:
        return value
    return replace(value, type=found) if isinstance(found, TensorType) and found.is_static else value
