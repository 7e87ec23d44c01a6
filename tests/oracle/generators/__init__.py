"""A generator of random cases for each op that computes something."""

from __future__ import annotations

from hypothesis.strategies import SearchStrategy

from hloscope.engine.ops import (
    arith_dialect,
    checks,
    hlo,
    interpreter_dialect,
    manual_computation,
    shape_dialect,
    shape_witnesses,
    sharding,
    tensor_dialect,
)

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
    | {found.name for found in hlo.OPS}
    | {found.name for found in (*sharding.OPS, *manual_computation.OPS)}
    | {found.name for found in (*shape_dialect.OPS, *shape_witnesses.OPS)}
    | {found.name for found in (*tensor_dialect.OPS, *arith_dialect.OPS)}
    | {found.name for found in (*checks.OPS, *interpreter_dialect.OPS)}
)
"""Ops that neither has; test_folding.py asks MLIR itself for those of its own dialects, test_hlo_ops.py XLA for HLO's."""
