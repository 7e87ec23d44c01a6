"""What decides which elements are read or written, beyond those that a run has really read or written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...indexing import IndexMap, shared_dimensions_map
from ...ops.op import Op
from ...ops.scatter import Scatter
from .relations import Mapped


@dataclass(frozen=True)
class Fixed:
    """Maps of both ways that are there."""

    maps: Sequence[IndexMap]
    inverse: Sequence[IndexMap]


def rows_that_could_reach(op: Op, operand: int) -> Mapped | None:
    """Of scatter's indices: an element hangs on every row that could have sent an update to it, or away from it.

    The maps tell the rows that did. `None` for any other operand and op.
    """
    if not isinstance(op, Scatter) or operand != len(op.inputs):
        return None
    n = op.scatter_dimension_numbers
    shared = dict(zip(n.scatter_indices_batching_dims, n.input_batching_dims, strict=True))
    read, made = op.scatter_indices.sizes, op.inputs[0].sizes
    back = shared_dimensions_map(made, read, shared)
    onward = shared_dimensions_map(read, made, {there: here for here, there in shared.items()})
    return Mapped(read, made, Fixed((back,), (onward,)), tuple)
