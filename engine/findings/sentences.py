"""Findings in words."""

from __future__ import annotations

from math import isnan
from types import MappingProxyType

from ..ops.core.faults import Fault, FaultKind
from ..program import BoundOperation, BoundProgram
from .finding import Cause, Occurrence

WORDS: MappingProxyType[FaultKind, str] = MappingProxyType(
    {
        "nan": "NaN",
        "inf": "Inf",
        "denormal": "denormal",
        "wrap": "integer overflow",
        "clamped_start": "clamped start index",
        "dropped_update": "dropped update",
        "out_of_bounds": "index out of bounds",
        "swallowed_nan": "swallowed NaN",
        "collision": "colliding updates",
        "divergence": "difference between processes",
    }
)


def fault_word(fault: Fault) -> str:
    """What came into being, in a word: `+Inf`."""
    if fault.kind == "inf" and fault.value is not None and not isnan(fault.value):
        return "+Inf" if fault.value > 0 else "-Inf"
    return WORDS[fault.kind]


def first_sentence(
    program: BoundProgram,
    bound: BoundOperation,
    first: Occurrence,
    process: str = "",
    cause: Cause | None = None,
) -> str:
    """`first +Inf: line 15, exponential, 12 of 80 elements, where %10 is above 88.72`; `process` is named if it is not
    empty, and of an infinity that became a NaN where it came from.
    """
    fault, operation = first.fault, bound.operation
    line, _ = program.module.source.line_and_column(operation.span.start)
    where = f" in process {process}" if process else ""
    name = operation.opcode or operation.name.rpartition(".")[2]
    parts = [f"first {fault_word(fault)}{where}: line {line}", name]
    if fault.size > 1 and fault.elements:
        parts.append(f"{fault.elements:,} of {fault.size:,} elements")
    if fault.cause:
        parts.append(name_operands(fault.cause, program, bound))
    sentence = ", ".join(parts)
    return f"{sentence}; the infinity {_cause_words(program, cause)}" if cause else sentence


def _cause_words(program: BoundProgram, cause: Cause) -> str:
    if cause.op is None:
        return f"is given in {cause.name}"
    line, _ = program.module.source.line_and_column(program.ops[cause.op].operation.span.start)
    return f"{'is given in' if cause.kind == 'given' else 'comes from'} {cause.name}, line {line}"


def name_operands(words: str, program: BoundProgram, bound: BoundOperation) -> str:
    """`words` with the names of the operands for `{0}`, `{1}`, …"""
    for number, value in enumerate(bound.operands):
        words = words.replace(f"{{{number}}}", value_name(program, value))
    for value in bound.operands:  # of an op on a value and itself
        name = value_name(program, value)
        words = words.replace(f"{name} and {name} are both", f"{name} is")
    return words


def value_name(program: BoundProgram, value: int) -> str:
    """The name of a value as the program's text has it."""
    name = program.values[value].name
    return name if name.startswith("%") else f"%{name}"
