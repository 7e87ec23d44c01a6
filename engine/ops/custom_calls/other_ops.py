"""Calls that are ops under another name: the op takes the call's place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ...errors import ProgramError, RunError
from ...ir.attributes import Attribute
from ...ir.module import Operation, Value
from ..checking import first_broken_constraint
from ..core.binding import bind
from ..core.op import Array, Op
from .target import Answer, Target

if TYPE_CHECKING:
    from .custom_call import CustomCall

Make = Callable[["CustomCall"], Op]
"""The op that a call is; `ProgramError` where the call makes no sense as one."""


def other_op(make: Make) -> Target:
    """A target that is replaced by the op that `make` gives; a run stops at a call that breaks a constraint of the op."""

    def instead(call: CustomCall) -> Op | None:
        try:
            op = make(call)
        except ProgramError:
            return None
        return None if first_broken_constraint(op, call.parts) else op

    def run(call: CustomCall, operands: tuple[Array, ...]) -> Answer:
        try:
            broken = first_broken_constraint(make(call), call.parts)
        except ProgramError as error:
            broken = ("", error.message)
        raise RunError(f"@{call.call_target_name}: {broken[1] if broken else 'not known well enough'}")

    return Target(run, instead=instead)


def bind_op(call: CustomCall, op_class: type[Op], properties: Mapping[str, Attribute]) -> Op:
    """The op on the call's operands, with results of the call's types."""
    operands, results = (tuple(Value("", found) for found in side) for side in (call.inputs, call.parts))
    return bind(op_class, Operation(op_class.name, operands, results, properties))
