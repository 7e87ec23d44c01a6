"""The tile of elements that can be listed: where formulas do not show one, all elements that are read do."""

from __future__ import annotations

from math import gcd

import numpy as np

from ..array_values import Int64Array
from ..evaluation import Operands
from ..expressions import Constant
from ..factors import factors_of
from ..index_map import IndexMap
from .tile_forms import Side

MOST_LISTED = 1 << 20
"""Elements that are listed of each independent part of a map."""


def enumerate_tile(whole: IndexMap, operands: Operands) -> tuple[tuple[Side, ...], int] | None:
    """The smallest box with strides around all results of a map without dimension variables, and how many
    elements of it are read; `None` where there are too many to list.
    """
    sides: dict[int, Side] = {}
    read = 1
    for factor in factors_of(whole):
        if factor.candidates > MOST_LISTED:
            return None
        _, results = factor.table(operands)
        elements = np.unique(results, axis=0)
        read *= len(elements) if factor.results else min(1, len(results))
        for column, number in zip(elements.T, factor.results, strict=True):
            sides[number] = _around(np.unique(column))
    if not read:
        return tuple(Side(Constant(0), 0) for _ in whole.results), 0
    return tuple(sides[number] for number in range(len(whole.results))), read


def _around(values: Int64Array) -> Side:
    """The smallest progression that holds sorted values."""
    if not len(values):
        return Side(Constant(0), 0)
    start, last = int(values[0]), int(values[-1])
    step = gcd(*np.diff(values).tolist()) if len(values) > 1 else 1
    return Side(Constant(start), (last - start) // step + 1, step)
