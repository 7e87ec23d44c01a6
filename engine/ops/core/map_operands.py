"""The values of a run that the index maps of an op read, in the numbering of `facets/runtime_variables.py`."""

from __future__ import annotations

from collections.abc import Sequence

from .exchanges import FetchPeers, GridPosition, no_peers
from .op import Array, Op
from .process_groups import ALONE, ProcessId
from .values import leaves

HERE = GridPosition(ProcessId(0, 0), ALONE)
"""The position of the only process of a run."""


def map_operands(
    op: Op, operands: Sequence[Array], place: GridPosition = HERE, fetch_peers: FetchPeers = no_peers
) -> tuple[Array | None, ...]:
    """The values behind the runtime variables of an executed op's maps, in order; `None` for an unknown value.

    `place` is the position of the process, and `fetch_peers` returns the peers' values in the collective execution.
    """
    given = tuple(operands)
    auxiliary = op.runtime_variables.map_operands(op, given)[len(given) :]
    return (
        *(leaf for value in given for leaf in leaves(value)),
        *auxiliary,
        *op.runtime_variables.process_values(op, place, fetch_peers),
    )
