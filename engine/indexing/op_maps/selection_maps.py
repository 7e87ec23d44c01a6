"""Index maps of ops that take each element from one of two operands, in both directions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ..composition import compose
from ..index_map import IndexMap, OperandMap, RuntimeVariable
from ..interval import Interval


def selection_maps(
    maps: Iterable[OperandMap], inverse: Iterable[OperandMap] | None = None, *, last_on_true: int = 1
) -> Iterator[OperandMap]:
    """The maps of a select, and of what it selects from only the elements that the predicate, operand 0, chooses.

    `maps` go from results to all operands; with `inverse`, the maps back, the answer goes back as well. The operands
    from 1 to `last_on_true` are chosen where the predicate is true, those after them where it is false.
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
