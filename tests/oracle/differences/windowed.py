"""Differences of reduce_window and select_and_scatter."""

from __future__ import annotations

import re
from math import prod

import numpy as np

from .. import ours as engine
from ..cases import Case
from ..compare import distance
from ..values import Array
from .known import XLA, Known, Mask


def _without_padding(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    """Where theirs is what ours is if padding and holes count for nothing."""
    if op != "reduce_window":
        return None
    program = case.program.replace("<{", "<{skips_padding = true, ", 1)
    found = [value for value in engine.run(program, case.operands) if value.dtype == theirs.dtype]
    masks = [distance(value, theirs) == 0 for value in found if value.shape == theirs.shape]
    return np.asarray(np.any(masks, axis=0))


def _one_element(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    if op != "reduce_window" or prod(_dimensions(case)) > 1:
        return None
    return np.ones(ours.shape, np.bool_)


def _dimensions(case: Case) -> tuple[int, ...]:
    found = re.search(r"window_dimensions = array<i64:?([^>]*)>", case.statement)
    assert found is not None
    return tuple(int(size) for size in found[1].split(",") if size.strip())


KNOWN_DIFFERENCES: tuple[Known, ...] = (
    Known(
        "XLA leaves out what is padding or hole, which in the specification holds init_values.",
        (XLA,),
        _without_padding,
        stablehlo_only=True,
    ),
    Known("XLA drops init_values where windows have one element.", (XLA,), _one_element, stablehlo_only=True),
)
