"""shape_assertion: what an exported program demands of the sizes that it is run with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...errors import RunError
from ...ir.attributes import Attribute, StringAttribute
from ..core.op import Array
from .target import Answer, Target, need

if TYPE_CHECKING:
    from .custom_call import CustomCall


@dataclass(frozen=True)
class ShapeAssertion:
    """What a call of shape_assertion states."""

    error_message: Attribute | None = None


def _assert(call: CustomCall, operands: tuple[Array, ...]) -> Answer:
    """Operand 0 must be true; the others stand in the message as {0}, {1}, …"""
    need(bool(operands) and operands[0].size == 1, "@shape_assertion takes a truth value first")
    if operands[0]:
        return ()
    stated = call.record(ShapeAssertion).error_message
    message = stated.value if isinstance(stated, StringAttribute) else "a shape is not as it must be"
    for number, value in enumerate(operands[1:]):
        message = message.replace(f"{{{number}}}", str(value))
    raise RunError(f"the program's assertion fails: {message}")


TARGETS: dict[str, Target] = {"shape_assertion": Target(_assert, record=ShapeAssertion)}
