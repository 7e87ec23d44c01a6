"""Names of dimensions, from the subscripts of `einsum`, which JAX keeps in its scopes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hloscope.engine.ir.types import TensorType
from hloscope.engine.program import BoundOperation, BoundProgram

from ...present.program import op_name

_SUBSCRIPTS = re.compile(r"[A-Za-z]*(?:,[A-Za-z]*)*->([A-Za-z]*)")


def scope_of(bound: BoundOperation) -> str:
    """The scopes of an op, outermost first: `jit(f)/head`; empty if the program records none."""
    return (op_name(bound.operation.location) or "").rpartition("/")[0]


def dims_of(program: BoundProgram, bound: BoundOperation, type: object) -> tuple[str, ...] | None:
    """The names of the dimensions of an op's result; `None` if unknown.

    An einsum may be several ops, of which the last has the result.
    """
    parts = scope_of(bound).split("/")
    found = _SUBSCRIPTS.fullmatch(parts[-1])
    if found is None or not isinstance(type, TensorType) or len(found[1]) != len(type.shape):
        return None
    return None if _goes_on(program, bound, parts) else tuple(found[1])


def _goes_on(program: BoundProgram, bound: BoundOperation, parts: Sequence[str]) -> bool:
    """Whether an op of the same scope reads the result."""
    results = set(bound.results)
    block = program.blocks[bound.block].operations
    return any(results & set(other.operands) and scope_of(other).split("/") == list(parts) for other in block)
