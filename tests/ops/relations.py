"""Which elements of whose operands belong to which elements of whose results: by maps, by pieces, and by values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import product
from math import prod

import numpy as np

from hloscope.engine.debugger.map_operands import map_operands
from hloscope.engine.indexing import OperandMap
from hloscope.engine.indexing.evaluation.bound_map import BoundMap
from hloscope.engine.ops.collectives.collective_rules import CollectiveOp
from hloscope.engine.ops.core.exchanges import Array, Box, GridPosition
from hloscope.engine.ops.core.op import Op
from hloscope.engine.ops.core.process_groups import Grid, ProcessId
from hloscope.engine.ops.core.values import leaves

from ..indexing.proofs import assert_simplifies_equal
from .playing import Brought, gathered, play, processes

Element = tuple[ProcessId, int, tuple[int, ...]]
"""A process, the number of one of its values, and an index."""
Relation = set[tuple[Element, Element]]
"""Pairs of an element of an operand and one of a result."""


def by_maps(op: Op, grid: Grid, given: Brought, *, inverse: bool) -> Relation:
    """What the maps of one direction say, in every process."""
    found: Relation = set()
    mets = gathered(op, grid, given) if isinstance(op, CollectiveOp) else {}
    for process in processes(grid):
        place = GridPosition(process, grid)
        operands = map_operands(op, given[process], place, partial(mets.get, process))
        peers = op.peers(place) if isinstance(op, CollectiveOp) else None
        awaited = peers.awaited if peers else ()
        for item in op.inverse_index_maps() if inverse else op.index_maps():
            assert_simplifies_equal(item)
            found |= _pairs(item, operands, process, awaited, inverse=inverse)
    return found


def _pairs(
    item: OperandMap,
    operands: Sequence[Array | None],
    process: ProcessId,
    awaited: Sequence[ProcessId],
    *,
    inverse: bool,
) -> Relation:
    found: Relation = set()
    for index, place, element in mapped(item, operands):
        other = process if place is None else awaited[place]
        if inverse:
            found.add(((process, item.operand, index), (other, item.result, element)))
        else:
            found.add(((other, item.operand, element), (process, item.result, index)))
    return found


def mapped(
    item: OperandMap, operands: Sequence[Array | None]
) -> list[tuple[tuple[int, ...], int | None, tuple[int, ...]]]:
    """All that a map relates: an index, the place if there is one, an element."""
    placed = item.placed
    variables = (*placed.dimensions, *placed.ranges)
    if placed.is_known_empty or any(interval.is_empty for interval in variables):
        return []
    sizes = [interval.size for interval in variables]
    rows = np.indices(sizes).reshape(len(sizes), prod(sizes)).T + [interval.lower for interval in variables]
    rank = len(placed.dimensions)
    results, mask = BoundMap(placed, tuple(operands)).evaluate(rows[:, :rank], rows[:, rank:])
    pairs = zip(rows[mask][:, :rank].tolist(), results[mask].tolist(), strict=True)
    if item.place is None:
        return [(tuple(index), None, tuple(element)) for index, element in pairs]
    return [(tuple(index), element[-1], tuple(element[:-1])) for index, element in pairs]


def by_pieces(op: CollectiveOp, grid: Grid, given: Brought) -> Relation:
    """What the pieces of all collective executions say, of which a later one lies over earlier ones unless it is combined."""
    found: Relation = set()
    for process, met in gathered(op, grid, given).items():
        if met is None:
            continue
        peers = op.peers(GridPosition(process, grid))
        assert peers is not None
        held: dict[Element, set[Element]] = {}
        for piece in op.pieces(met):
            source = peers.awaited[piece.source]
            for read, written in zip(indices_in(piece.read), indices_in(piece.written), strict=True):
                target = (process, piece.result, written)
                origin = (source, piece.operand, read)
                held[target] = held.get(target, set()) | {origin} if piece.combined else {origin}
        found |= {(origin, target) for target, origins in held.items() for origin in origins}
    return found


def indices_in(box: Box) -> Iterable[tuple[int, ...]]:
    """All indices in a box, in order."""
    return product(*(range(start, start + size) for start, size in zip(box.start, box.sizes, strict=True)))


def numbered(grid: Grid, *shapes: tuple[int, ...]) -> Brought:
    """For each process arrays whose elements are all different, and not 0."""
    found, first = {}, 1
    for process in processes(grid):
        arrays = []
        for shape in shapes:
            arrays.append(np.arange(first, first + prod(shape), dtype=np.int64).reshape(shape))
            first += prod(shape)
        found[process] = tuple(arrays)
    return found


def by_values(op: CollectiveOp, grid: Grid, given: Brought, data: Sequence[int] | None = None) -> Relation:
    """Where each element of the results was, of an op that moves `numbered` ones; `data` are the operands with such."""
    origins: dict[int, Element] = {}
    for process, values in given.items():
        flat = [leaf for value in values for leaf in leaves(value)]
        for number in range(len(flat)) if data is None else data:
            origins |= {int(flat[number][i]): (process, number, i) for i in np.ndindex(flat[number].shape)}
    found: Relation = set()
    for process, results in play(op, grid, given).items():
        for number, result in enumerate(leaf for value in results for leaf in leaves(value)):
            for index in np.ndindex(result.shape):
                if int(result[index]):
                    found.add((origins[int(result[index])], (process, number, index)))
    return found
