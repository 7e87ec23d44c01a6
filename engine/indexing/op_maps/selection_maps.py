"""Index maps of ops that choose elements at run time, in both directions: select and sort.

The auxiliary values of a sort are the source position of each result element; in the other direction, the target
position of each operand element (docs/index-maps.md, "Sort, top-k and scan").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ..core.expressions import Dim, Expression, Runtime
from ..core.index_map import IndexMap, OperandMap, RuntimeVariable
from ..core.interval import Interval
from ..transforms.composition import compose
from .data_movement_maps import Shape
from .shared_dimension_maps import shared_dimensions_map


def selection_maps(
    maps: Iterable[OperandMap], inverse: Iterable[OperandMap] | None = None, *, last_on_true: int = 1
) -> Iterator[OperandMap]:
    """The maps of a select, restricted to the elements that the predicate, operand 0, chooses.

    `maps` go from results to all operands; if `inverse` is given, those maps are restricted instead. Operands
    1 to `last_on_true` are chosen where the predicate is true, those after them where it is false.
    """
    forward = list(maps)
    predicates = {item.result: item.map for item in forward if item.operand == 0}
    for item in forward if inverse is None else inverse:
        if item.operand == 0 or item.map.is_known_empty:
            yield item
            continue
        read = predicates[item.result]
        read = read if inverse is None else compose(item.map, read)
        yield replace(item, map=_where(item.map, read, is_true=item.operand <= last_on_true))


def _where(index_map: IndexMap, read: IndexMap, *, is_true: bool) -> IndexMap:
    chosen = RuntimeVariable(Interval(int(is_true), int(is_true)), 0, read, clamped=False)
    return replace(index_map, runtimes=(*index_map.runtimes, chosen))


def permutation_map(shape: Shape, dimension: int, places: int) -> IndexMap:
    """(d0, d1){rt0} -> (d0, rt0): operand number `places` holds the position along `dimension`."""
    index: list[Expression] = [Runtime(0) if k == dimension else Dim(k) for k in range(len(shape))]
    place = RuntimeVariable(Interval(0, shape[dimension] - 1), places, IndexMap.identity(shape))
    return IndexMap.of(index, shape, runtimes=[place])


def line_map(shape: Shape, dimension: int) -> IndexMap:
    """(d0, d1)[s0] -> (d0, s0): all elements along `dimension`; its own inverse."""
    return shared_dimensions_map(shape, shape, {k: k for k in range(len(shape)) if k != dimension})
