"""A generator of random cases for each op that computes something."""

from __future__ import annotations

from hypothesis.strategies import SearchStrategy

from hloscope.engine.ops import dialects, hlo, sharding
from hloscope.engine.ops.core.registry import ops_of

from ..cases import Case
from . import (
    chlo,
    contractions,
    control_flow,
    convolutions,
    custom_calls,
    data_movement,
    dynamic,
    dynamic_slices,
    elementwise,
    gather_scatter,
    linear_algebra,
    old_contractions,
    processes,
    reductions,
    sorting,
    windowed,
)

GENERATORS: dict[str, SearchStrategy[Case]] = {
    **elementwise.GENERATORS,
    **chlo.GENERATORS,
    **data_movement.GENERATORS,
    **dynamic.GENERATORS,
    **dynamic_slices.GENERATORS,
    **control_flow.GENERATORS,
    **contractions.GENERATORS,
    **convolutions.GENERATORS,
    **old_contractions.GENERATORS,
    **gather_scatter.GENERATORS,
    **reductions.GENERATORS,
    **windowed.GENERATORS,
    **sorting.GENERATORS,
    **linear_algebra.GENERATORS,
    **custom_calls.GENERATORS,
    **processes.GENERATORS,
}

UNSAFE: dict[str, SearchStrategy[Case]] = {
    **elementwise.UNSAFE,
    **contractions.UNSAFE,
    **convolutions.UNSAFE,
    **gather_scatter.UNSAFE,
    **dynamic_slices.UNSAFE,
    **linear_algebra.UNSAFE,
    **processes.UNSAFE,
    **windowed.UNSAFE,
    **sorting.UNSAFE,
}
"""Cases that the reference interpreter does not survive or gets wrong: XLA answers for them."""

REFUSED: frozenset[str] = frozenset(
    {
        *chlo.REFUSED,
        *dynamic.REFUSED,
        *linear_algebra.REFUSED,
        *old_contractions.REFUSED,
        *custom_calls.REFUSED,
        *processes.REFUSED,
    }
)
"""Ops that the reference interpreter does not have: XLA alone answers for them."""

WITHOUT_AN_ORACLE = (
    old_contractions.WITHOUT_AN_ORACLE
    | chlo.WITHOUT_AN_ORACLE
    | processes.WITHOUT_AN_ORACLE
    | {found.name for found in ops_of(hlo.FAMILIES)}
    | {found.name for found in ops_of(sharding.FAMILIES)}
    | {found.name for found in ops_of(dialects.FAMILIES)}
)
"""Ops that neither has; test_folding.py asks MLIR itself for those of its own dialects, test_hlo_ops.py XLA for HLO's."""
