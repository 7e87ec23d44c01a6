"""Differences of HLO text: where XLA's CPU backend parts from what its own documents say of an opcode.

Those of StableHLO that are differences of XLA's arithmetic hold too; where HLO text means what XLA does (the
padding of reduce-window, TOTALORDER, the windows that scatter drops) there is none.
"""

from __future__ import annotations

import re
from math import prod

import numpy as np

from ..cases import Case
from ..values import Array
from . import KNOWN_DIFFERENCES as ALL
from .known import XLA, Known, Mask

_TWINS = {"dot": "dot_general", "topk": "top_k", "conditional": "case", "opt-barrier": "optimization_barrier"}
"""Where the mnemonic of StableHLO is another word."""


def twin(opcode: str) -> str:
    """StableHLO's word for an opcode."""
    return _TWINS.get(opcode, opcode.replace("-", "_"))


def _boolean_add(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    if ours.dtype != np.bool_ or "= pred[] add(" not in case.statement:
        return None
    return np.ones(ours.shape, np.bool_)


def _one_element(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    if op != "reduce_window":
        return None
    found = re.search(r"window=\{size=([\dx]+)", case.statement)
    if found is not None and prod(map(int, found[1].split("x"))) > 1:
        return None
    return np.ones(ours.shape, np.bool_)


def _sums_of_one(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    return np.asarray((ours == 0) & (theirs == 0)) if op == "reduce_scatter" else None


def _complex_literal(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    return np.isnan(ours.real) & np.isnan(theirs) if op == "constant" and np.iscomplexobj(ours) else None


def _negative_zero(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    return np.asarray(ours == theirs) if op == "constant" else None


def _variance_of_one(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    if op != "batch_norm_training" or prod(case.types[0].sizes) != case.types[1].sizes[0]:
        return None
    return np.isnan(theirs.astype(np.float64))


KNOWN_DIFFERENCES: tuple[Known, ...] = (
    Known("XLA on CPU adds pred by XOR; its documents say OR.", (XLA,), _boolean_add),
    Known("XLA's reduce-scatter of one process adds to +0, which makes +0 of -0.", (XLA,), _sums_of_one),
    Known(
        "XLA's parser makes NaN of both parts of a complex number whose real part is.",
        (XLA,),
        _complex_literal,
    ),
    Known("XLA's parser reads -0, without a point, as the integer 0.", (XLA,), _negative_zero),
    Known(
        "XLA's variance of one element is a difference of rounded squares, which may be negative.",
        (XLA,),
        _variance_of_one,
    ),
    Known("XLA drops init values where windows have one element.", (XLA,), _one_element),
)


def ignored(opcode: str, case: Case, ours: Array, theirs: Array) -> Mask:
    """The elements that the known differences explain."""
    mask = np.zeros(ours.shape, np.bool_)
    for known in (*ALL, *KNOWN_DIFFERENCES):
        if XLA in known.oracles and not known.stablehlo_only:
            found = known.explains(twin(opcode), case, ours, theirs)
            if found is not None:
                mask |= found
    return mask
