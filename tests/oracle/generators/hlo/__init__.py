"""A generator of modules for each opcode that XLA runs on the CPU."""

from __future__ import annotations

from hypothesis.strategies import SearchStrategy

from . import (
    contractions,
    control_flow,
    data_movement,
    elementwise,
    indexing,
    linear_algebra,
    physical,
    processes,
    reductions,
    sorting,
)
from .cases import HloCase

GENERATORS: dict[str, SearchStrategy[HloCase]] = {
    **elementwise.GENERATORS,
    **data_movement.GENERATORS,
    **reductions.GENERATORS,
    **contractions.GENERATORS,
    **indexing.GENERATORS,
    **sorting.GENERATORS,
    **control_flow.GENERATORS,
    **linear_algebra.GENERATORS,
    **physical.GENERATORS,
    **processes.GENERATORS,
    "custom-call": sorting.top_k_call() | linear_algebra.lapack_cholesky(),
}
