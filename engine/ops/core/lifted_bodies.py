"""Bodies evaluated outside a run, on whole arrays with one lane per element.

Index maps recompute facts of a run (a permutation, the choices of windows) from the operands. A body without a NumPy
routine is then evaluated op by op, if all of its ops work lane by lane.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...ir.module import Region
from .binding import bind
from .field_plans import field_plans
from .op import Array, AskingOp, Op
from .quiet import quiet
from .registry import op_table


@dataclass(frozen=True)
class LiftedBody:
    """The ops of a body with the names of their operands and results."""

    arguments: tuple[str, ...]
    ops: tuple[tuple[Op, tuple[str, ...], tuple[str, ...]], ...]
    returned: tuple[str, ...]

    def values(self, arguments: Sequence[Array]) -> tuple[Array, ...]:
        """The body's results for arrays of lanes of one shape."""
        known = dict(zip(self.arguments, arguments, strict=True))
        with quiet():
            for op, read, made in self.ops:
                found = op.evaluate(*(known[name] for name in read))
                results = found if isinstance(found, tuple) else (found,)
                known |= dict(zip(made, results, strict=True))
        shape = arguments[0].shape if arguments else ()
        return tuple(np.broadcast_to(known[name], shape) for name in self.returned)


def lifted_body(region: Region) -> LiftedBody | None:
    """The body, if each of its ops works lane by lane or reads nothing; otherwise `None`."""
    if len(region.blocks) != 1 or not region.block.operations:
        return None
    *operations, last = region.block.operations
    ops = []
    for operation in operations:
        kind = op_table().get(operation.name)
        if kind is None or operation.regions or issubclass(kind, AskingOp):
            return None
        op = bind(kind, operation)
        if not op.lanes.is_lane_by_lane(op) and _reads(op):
            return None
        read, made = (tuple(value.name for value in side) for side in (operation.operands, operation.results))
        ops.append((op, read, made))
    arguments = tuple(value.name for value in region.block.arguments)
    known = {*arguments, *(name for _, _, made in ops for name in made)}
    returned = tuple(value.name for value in last.operands)
    # A body may read values defined outside it, which are unknown here.
    if not known.issuperset({*returned, *(name for _, read, _ in ops for name in read)}):
        return None
    return LiftedBody(arguments, tuple(ops), returned)


def _reads(op: Op) -> bool:
    return any(plan.source in ("operand", "operands") for plan in field_plans(type(op)))
