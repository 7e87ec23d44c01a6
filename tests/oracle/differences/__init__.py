"""Where an oracle and the specification part, element by element, and why ours is right or both are.

Each entry says for which ops and which oracle it holds, and marks the elements that it explains. Nothing is
skipped as a whole: what an entry does not mark must agree.
"""

from __future__ import annotations

import numpy as np

from ..cases import Case
from ..values import Array
from . import chlo, complex_functions, general, linear_algebra, processes, windowed
from .known import INTERPRETER, XLA, Known, Mask

KNOWN_DIFFERENCES: tuple[Known, ...] = (
    *general.KNOWN_DIFFERENCES,
    *chlo.KNOWN_DIFFERENCES,
    *complex_functions.KNOWN_DIFFERENCES,
    *linear_algebra.KNOWN_DIFFERENCES,
    *processes.KNOWN_DIFFERENCES,
    *windowed.KNOWN_DIFFERENCES,
)
"""All entries, family by family."""


def ignored(oracle: str, op: str, case: Case, ours: Array, theirs: Array) -> Mask:
    """The elements that the known differences explain."""
    mask = np.zeros(ours.shape, np.bool_)
    mnemonic = op.partition(".")[2]
    for known in KNOWN_DIFFERENCES:
        if oracle in known.oracles:
            found = known.explains(mnemonic, case, ours, theirs)
            if found is not None:
                mask |= found
    return mask


__all__ = ["INTERPRETER", "KNOWN_DIFFERENCES", "XLA", "ignored"]
