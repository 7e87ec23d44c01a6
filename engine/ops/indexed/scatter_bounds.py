"""Error bounds of a scatter's elements, from those of the inputs and of their updates."""

from __future__ import annotations

import numpy as np

from ...ir.element_types import F64
from ..core.bodies import Combiner
from ..core.op import Array
from ..core.ranks import Arrays, is_inexact
from ..core.rounding import NO_ERROR, UNKNOWN, Error, Errors, is_exact, magnitude, sum_error
from .scatter_passes import combine_updates


def cell_bound(
    combiner: Combiner, pair: Arrays, errors: Errors, places: tuple[Array, Array | None], result: Array
) -> Error:
    """The bound of an input's element combined with its updates."""
    cells, kept = places

    def combine(what: Combiner, there: Array, given: Array) -> Array:
        flat = np.broadcast_to(given, pair[1].shape).reshape(-1)
        base = np.array(np.broadcast_to(there, pair[0].shape), np.float64)
        return combine_updates(what, base, cells, flat if kept is None else flat[kept], F64)

    if combiner is Combiner.REPLACE:
        return combine(Combiner.REPLACE, *errors)
    if combiner in (Combiner.MAXIMUM, Combiner.MINIMUM):
        return combine(Combiner.MAXIMUM, *errors)
    if combiner is not Combiner.ADD:
        return NO_ERROR if is_exact(errors) and not is_inexact(result.dtype) else UNKNOWN
    carried = combine(Combiner.ADD, *errors)
    if not is_inexact(result.dtype):
        return carried
    terms = int(np.bincount(cells).max(initial=0)) if cells.size else 0
    own = sum_error(result, np.sqrt(combine(Combiner.ADD, *(magnitude(value) ** 2 for value in pair))), terms)
    touched = combine(Combiner.ADD, np.zeros(()), np.ones(())) > 0
    return np.where(touched, carried + own, carried)
