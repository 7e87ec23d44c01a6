"""CHLO ops that were exported as calls: `@mhlo.erf` is chlo.erf."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...ir.types import TensorType
from ..checking import first_broken
from ..elementwise import Unary
from ..op import Array, Op
from .target import Answer, Target, identity_maps, need

if TYPE_CHECKING:
    from .custom_call import CustomCall

PREFIX = "mhlo."


def exported(name: str) -> Target | None:
    """The op of one operand that the call was made from, if there is one."""
    found = _op_class(name.removeprefix(PREFIX)) if name.startswith(PREFIX) else None
    return None if found is None else Target(_elementwise, (0,), identity_maps)


def _op_class(mnemonic: str) -> type[Unary] | None:
    from .. import op_table  # which has this package in it

    for dialect in ("chlo", "stablehlo"):
        found: type[Op] | None = op_table().get(f"{dialect}.{mnemonic}")
        if found is not None and issubclass(found, Unary):
            return found
    return None


def _elementwise(call: CustomCall, operands: tuple[Array, ...]) -> Answer:
    op_class = _op_class(call.call_target_name.removeprefix(PREFIX))
    assert op_class
    (operand,), results = call.inputs, call.parts
    assert isinstance(operand, TensorType)
    fits = len(results) == 1 and isinstance(results[0], TensorType)
    need(fits, f"@{call.call_target_name} gives one tensor")
    op = op_class(operand, operand if operand.is_static else None)
    broken = first_broken(op, [found for found in results if isinstance(found, TensorType)])
    need(broken is None, f"@{call.call_target_name}: {broken[1] if broken else ''}")
    return (op.evaluate(*operands),)
