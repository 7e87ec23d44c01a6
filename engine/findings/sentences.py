"""Findings in words."""

from __future__ import annotations

from math import isnan
from types import MappingProxyType
from typing import Literal

from ..ops.core.faults import Fault, FaultKind
from ..program import BoundOperation, BoundProgram
from .finding import Cause, Occurrence

WORDS: MappingProxyType[FaultKind, str] = MappingProxyType(
    {
        "nan": "NaN",
        "inf": "infinity",
        "denormal": "denormal",
        "wrap": "integer overflow",
        "zero_division": "integer division by 0",
        "clamped_start": "clamped start index",
        "dropped_update": "dropped update",
        "out_of_bounds": "index out of bounds",
        "swallowed_nan": "swallowed NaN",
        "collision": "colliding updates",
        "divergence": "difference between processes",
    }
)
"""What a kind of finding is called."""
_HAPPENED: MappingProxyType[FaultKind, str] = MappingProxyType(
    {
        "nan": "NaN",
        "inf": "infinite",
        "denormal": "denormal",
        "wrap": "wrapped around",
        "zero_division": "divided by 0",
        "clamped_start": "clamped",
        "dropped_update": "dropped",
        "out_of_bounds": "out of bounds",
        "swallowed_nan": "a NaN that was swallowed",
        "collision": "overwritten by another update",
        "divergence": "different between processes",
    }
)
"""What an element became, or is, to which it happened."""


def fault_word(fault: Fault) -> str:
    """What came into being, in a word: `+Inf`."""
    if fault.kind == "inf" and fault.value is not None and not isnan(fault.value):
        return "+Inf" if fault.value > 0 else "-Inf"
    return WORDS[fault.kind]


def fault_words(fault: Fault) -> str:
    """What happened to a value in one step: `12 of 80 elements became +Inf`, `is wrapped around` of a scalar."""
    what = _HAPPENED[fault.kind]
    born = fault.kind in ("nan", "inf")
    if born and fault.value is not None:
        what = fault_word(fault)
    verb = "became" if born else "is" if fault.size <= 1 or fault.elements == 1 else "are"
    count = f"{fault.elements:,} of {fault.size:,} elements " if fault.size > 1 else ""
    return f"{count}{verb} {what}"


def given_sentence(
    name: str, kind: Literal["nan", "inf"], value: float, elements: int, size: int, process: str = ""
) -> str:
    """`%x is given with NaN, 3 of 12 elements`; `value` is one of them, and `process` is named if it is not empty."""
    what = "NaN" if kind == "nan" else WORDS["inf"] if isnan(value) else "+Inf" if value > 0 else "-Inf"
    where = f" in process {process}" if process else ""
    count = f", {elements:,} of {size:,} elements" if size > 1 else ""
    return f"{name} is given with {what}{where}{count}"


def rest_words(findings: int, values: int) -> str:
    """What there was no time for: findings that were not followed, values that were not compared; empty if there is none."""
    parts = []
    if findings:
        many, do = (
            (f"{findings:,} findings were", "they do") if findings > 1 else ("1 finding was", "it does")
        )
        parts.append(f"{many} not followed to the end, so that it is not known whether {do} harm")
    if values:
        many = f"{values:,} values were" if values > 1 else "1 value was"
        parts.append(f"{many} not compared between processes")
    return "; ".join(parts)


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
    where = f" in process {process}" if process else ""
    name = operation.opcode or operation.name.rpartition(".")[2]
    parts = [f"first {fault_word(fault)}{where}: line {program.line_of(bound.id)}", name]
    if fault.size > 1 and fault.elements:
        parts.append(f"{fault.elements:,} of {fault.size:,} elements")
    if fault.cause:
        parts.append(name_operands(fault.cause, program, bound))
    sentence = ", ".join(parts)
    return f"{sentence}; the infinity {_cause_words(program, cause)}" if cause else sentence


def _cause_words(program: BoundProgram, cause: Cause) -> str:
    if cause.op is None:
        return f"is given in {cause.name}"
    came = "is given in" if cause.kind == "given" else "comes from"
    return f"{came} {cause.name}, line {program.line_of(cause.op)}"


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
