"""Ops that hand values on as they are, in and out of tuples."""

from __future__ import annotations

from ...ops.asynchronous import AsyncDone
from ...ops.hlo.asynchronous import AsyncDone as HloAsyncDone
from ...ops.hlo.copies import CopyStart
from ...ops.hlo.identities import Identity
from ...ops.hlo.starting import OUTPUT, Taking
from ...ops.hlo.transfers import CONTEXT, VALUE, RecvDone, Send, Transfer
from ...ops.interpreter_dialect import RunParallel
from ...ops.op import Op
from ...ops.tuples import GetTupleElement, OptimizationBarrier, Tuple
from ..address import Address
from .run import Leaf


def handed(op: Op, address: Address) -> Leaf | None:
    """What in the operands a result of `op` is, as it is; `None` if the op is of another kind."""
    path = address.path
    match op:
        case Tuple():
            return (path[0], path[1:]) if path else None
        case GetTupleElement():
            return 0, (op.index, *path)
        case OptimizationBarrier():
            return address.index, path
        case Send():
            return (0, path[1:]) if path and path[0] == VALUE else None
        case CopyStart():
            return (0, path[1:]) if path and path[0] < 2 else None
        case Identity():
            return 0, path
        case HloAsyncDone():
            return 0, (OUTPUT, *path)
        case Taking():
            return 0, (op.place, *path)
        case AsyncDone():
            return 0, (0, *path)
        case RecvDone():
            return (0, path) if path and path[0] == 0 else None
    return None


def is_context(op: Op, address: Address) -> bool:
    """Whether it is the number by which a transfer is known."""
    return isinstance(op, Transfer) and address.path[:1] == (CONTEXT,)


def is_team(op: Op) -> bool:
    """Whether it runs functions on a grid of their own."""
    return isinstance(op, RunParallel)
