"""The sentences of findings."""

from collections.abc import Mapping, Sequence
from math import isnan
from typing import Literal

from ..ir.hlo_wording import in_hlo_words
from ..program import BoundOperation, BoundProgram
from .finding import Cause, Fault, Occurrence
from .kinds import KINDS

_MOST_NAMES = 8
"""Maximum number of values that a sentence lists."""


def first_sentence(
    program: BoundProgram,
    bound: BoundOperation,
    first: Occurrence,
    process: str = "",
    cause: Cause | None = None,
) -> str:
    """`first +Inf: line 15, exponential, 12 of 80 elements, where %10 is above 88.72`.

    It names `process` if that is not empty, and the origin of an infinity that became a NaN.
    """
    fault, operation = first.fault, bound.operation
    where = f" in process {process}" if process else ""
    name = operation.opcode or operation.name.rpartition(".")[2]
    parts = [f"first {_short_title(fault)}{where}: line {program.line_of(bound.id)}", name]
    if fault.size > 1 and fault.elements:
        parts.append(f"{fault.elements:,} of {fault.size:,} {KINDS[fault.kind].counted}")
    if fault.cause:
        parts.append(_name_operands(fault.cause, program, bound))
    sentence = ", ".join(parts)
    if cause and cause.op is not None and fault.from_constant:
        failed = program.ops[cause.op]
        reason = _name_operands(failed.op.unpacked.findings.failure(failed.op.unpacked), program, failed)
        return f"{sentence}; {failed.operation.name.rpartition('.')[2]}, line {program.line_of(cause.op)}, failed: {reason}"
    return f"{sentence}; the infinity {_cause_words(program, cause)}" if cause else sentence


def fault_words(fault: Fault) -> str:
    """The fault of a value in one step: `12 of 80 elements became +Inf`; `is wrapped around` for a scalar."""
    kind = KINDS[fault.kind]
    what = _short_title(fault) if kind.is_born and fault.value is not None else kind.became
    verb = "became" if kind.is_born else "is" if fault.size <= 1 or fault.elements == 1 else "are"
    count = f"{fault.elements:,} of {fault.size:,} {kind.counted} " if fault.size > 1 else ""
    return f"{count}{verb} {what}"


def input_sentence(
    name: str, kind: Literal["nan", "inf"], value: float, elements: int, size: int, process: str = ""
) -> str:
    """`%x holds NaN in 3 of 12 elements`; `value` is one of them, and `process` is named if it is not empty."""
    count = f" in {elements:,} of {size:,} elements" if size > 1 else ""
    where = f" in process {process}" if process else ""
    return f"{name} holds {'NaN' if kind == 'nan' else _infinity(value)}{count}{where}"


def rest_sentence(findings: int, values: int) -> str:
    """The findings not followed to the end and the values not compared, for lack of time; empty if there are none."""
    parts = []
    if findings:
        subject, do = (
            (f"{findings:,} findings were", "they do") if findings > 1 else ("1 finding was", "it does")
        )
        parts.append(f"{subject} not followed to the end, so that it is not known whether {do} harm")
    if values:
        subject = f"{values:,} values were" if values > 1 else "1 value was"
        parts.append(f"{subject} not compared between processes")
    return "; ".join(parts)


def elsewhere_sentence(findings: int, values: Mapping[str, int], differing: Sequence[str]) -> str:
    """What is open because other hosts have `values`, by name with its host; `differing` values are stated to be the same."""
    parts = [
        f"{each} has other bits in another process, where it is stated to be the same" for each in differing
    ]
    if values:
        names = [*values]
        listed = ", ".join(names[:_MOST_NAMES])
        more = f" and of {len(names) - _MOST_NAMES:,} more values" if len(names) > _MOST_NAMES else ""
        hosts = sorted(set(values.values()))
        who = f"host {hosts[0]} has" if len(hosts) == 1 else f"hosts {', '.join(map(str, hosts))} have"
        subject = f"{findings:,} findings were" if findings > 1 else "1 finding was"
        cut = f"{subject} not followed to the end, because " if findings else ""
        parts.append(f"{cut}{who} the elements of {listed}{more}, which were not looked at")
    return f"{'; '.join(parts)}: `hloscope merge` joins the recordings of all hosts" if parts else ""


def value_name(program: BoundProgram, value: int) -> str:
    """The name of a value in the program's text."""
    name = program.values[value].name
    return name if name.startswith("%") else f"%{name}"


def _short_title(fault: Fault) -> str:
    """The title of a fault, with the sign of an infinity: `+Inf`."""
    if fault.kind == "inf" and fault.value is not None:
        return _infinity(fault.value)
    return KINDS[fault.kind].title


def _infinity(value: float) -> str:
    return KINDS["inf"].title if isnan(value) else "+Inf" if value > 0 else "-Inf"


def _cause_words(program: BoundProgram, cause: Cause) -> str:
    if cause.op is None:
        return f"is given in {cause.name}"
    verb = "is given in" if cause.kind == "given" else "comes from"
    return f"{verb} {cause.name}, line {program.line_of(cause.op)}"


def _name_operands(words: str, program: BoundProgram, bound: BoundOperation) -> str:
    """`words` with the names of the operands for `{0}`, `{1}`, …"""
    names = [value_name(program, value) for value in bound.operands]
    for number, name in enumerate(names):
        words = words.replace(f"{{{number}}}", name)
    for name in names:  # an op on a value and itself
        words = words.replace(f"{name} and {name} are both", f"{name} is")
    return in_hlo_words(words) if program.module.language == "hlo" else words
