"""The short notation of async pairs: `negate-start(x)` for `async-start(x), calls=c`.

XLA writes it if the computation `c` is a single instruction. The text does not contain `c`, so it is built
here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...errors import StructureError
from ...ir.module import Block, Function, Region, Value
from ...ir.types import TupleType
from .instruction_draft import Draft, root_operation
from .raw import RawInstruction

KEPT_BY_START = frozenset(
    ("metadata", "frontend_attributes", "control-predecessors", "async_execution_thread")
)
"""Attributes of async-start itself; all others belong to the wrapped instruction."""


def started_instruction(raw: RawInstruction, opcode: str) -> RawInstruction:
    """The instruction wrapped by `<opcode>-start`; its result is element 1 of the start's tuple."""
    types = raw.type.types if isinstance(raw.type, TupleType) else ()
    if len(types) < 2:
        message = "the result must be a tuple of the operands, in a tuple of their own, and the result"
        raise StructureError(message, raw.opcode_span, op=raw.opcode)
    attributes = {key: span for key, span in raw.attributes.items() if key not in KEPT_BY_START}
    return replace(raw, opcode=opcode, type=types[1], attributes=attributes)


def parameters_for(started: RawInstruction, operands: Sequence[Value]) -> tuple[Value, ...]:
    """The parameters of the computation, one per operand, each with the operand's span."""
    return tuple(
        Value(f"%param_{number}", value.type, operand.span)
        for number, (value, operand) in enumerate(zip(operands, started.operands, strict=True))
    )


def wrap(name: str, draft: Draft) -> Function:
    """Build the computation of one instruction."""
    place, arguments = draft.raw.opcode_span, tuple(draft.operands)
    result = Value(f"%{draft.raw.opcode}", draft.type(), draft.raw.name_span)
    end = root_operation(result, place, place)
    body = Block(arguments, (draft.operation((result,)), end), span=draft.raw.span)
    return Function(
        name,
        arguments,
        (result.type,),
        Region((body,), draft.raw.span),
        "private",
        ({},) * len(arguments),
        span=draft.raw.span,
        name_span=place,
    )
