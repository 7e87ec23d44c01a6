"""Index maps of sort: along one dimension the elements of a result are those of an operand in another order.

The order is known in a run. Maps read it from two auxiliary values of the operand's shape that follow the
op's operands: the place that each element of a result comes from, and the place that each element goes to.
Formulas: docs/index-maps.md, "Sort, top-k and scan".
"""

from __future__ import annotations

from ..expressions import Dim, Expression, Runtime
from ..index_map import IndexMap, RuntimeVariable
from ..interval import Interval
from .data_movement_maps import Shape
from .shared_dimension_maps import shared_dimensions_map


def permutation_map(shape: Shape, dimension: int, places: int) -> IndexMap:
    """(d0, d1){rt0} -> (d0, rt0): the place along `dimension` is in operand number `places`."""
    index: list[Expression] = [Runtime(0) if k == dimension else Dim(k) for k in range(len(shape))]
    place = RuntimeVariable(Interval(0, shape[dimension] - 1), places, IndexMap.identity(shape))
    return IndexMap.of(index, shape, runtimes=[place])


def line_map(shape: Shape, dimension: int) -> IndexMap:
    """(d0, d1)[s0] -> (d0, s0): all that lies along `dimension`; its own inverse."""
    return shared_dimensions_map(shape, shape, {k: k for k in range(len(shape)) if k != dimension})
