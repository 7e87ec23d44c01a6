"""Differences of collective ops."""

from __future__ import annotations

import numpy as np

from ..cases import Case
from ..values import Array
from .known import XLA, Known, Mask


def _signs_of_zero(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    if op not in ("all_reduce", "reduce_scatter", "cross-replica-sum") or not np.iscomplexobj(ours):
        return None
    # Equal numbers of different bits differ in the sign of a part that is 0.
    return np.asarray(ours == theirs)


KNOWN_DIFFERENCES: tuple[Known, ...] = (
    Known(
        "Of complex numbers that one process combines with nobody's, XLA on CPU loses the sign of a part that is "
        "-0. The computation is not run, so here the operand comes back as it is.",
        (XLA,),
        _signs_of_zero,
    ),
)
