"""Index maps between whole tensors and their parts, as tilings distribute them over processes.

The part of a process, and the holders of parts, depend on the process: the maps read them from process values
(`Op.process_values`), one for a value that is cut and three for one that is joined.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import prod

import numpy as np

from ...indexing import (
    Constant,
    Expression,
    IndexMap,
    Interval,
    OperandMap,
    Range,
    Runtime,
    RuntimeVariable,
    add,
    dims,
    floor_divide,
    linearize,
    modulo,
)
from ...indexing.core.index_map import Constraint
from ...sharding.notation.tilings import Tiling
from ..core.op import Array

Shape = Sequence[int]
CUT_NAMES = ("own part of {}",)
"""Names of process values of a cut value: the part's number per dimension, then its term."""
TABLE_NAME = "part of {} of each holder of {}"
JOINED_NAMES = ("holder of each part of {}", "who gets the own part of {}", "own part of {}")
"""Names of process values of a joined value."""


def cut_values(tiling: Tiling, device: int) -> tuple[Array, ...]:
    """The values that `cut_map` reads for the part of a device."""
    return (_start(tiling, device),)


def join_values(tiling: Tiling, at: int, members: int) -> tuple[Array, ...]:
    """The values that `join_map` reads for the parts of `members`, in the process at position `at`."""
    if tiling.is_whole:
        return np.full((1, 1), at), (np.arange(members) == at).astype(np.int64), _start(tiling, at)
    gets = [int(at in tiling.sources(other)) for other in range(members)]
    return np.array(tiling.sources(at)), np.array(gets), _start(tiling, at)


def start_table(cut: Tiling, join: Tiling, at: int) -> Array:
    """Starts of the parts of a cut value, for each holder of a part of a joined value."""
    holders = np.full((1, 1), at) if join.is_whole else np.array(join.sources(at))
    starts = [[_start(cut, int(holder)) for holder in row] for row in holders]
    return np.array(starts, np.int64).reshape(*holders.shape, -1)


def _start(tiling: Tiling, device: int) -> Array:
    """The index of a device's tile in each dimension, and the number of its term."""
    tile, term = tiling.place_of(device)
    return np.array([*tile, term], np.int64)


def cut_map(tiling: Tiling, whole: Shape, first: int, *, inverse: bool) -> IndexMap:
    """The map from an index of a part to that of the whole tensor, or inverse."""
    part = tiling.part_shape(whole)
    index, runtimes, constraints = _shift(tiling, whole, whole if inverse else part, first, inverse=inverse)
    if tiling.terms > 1:  # all terms but the first are zeros
        runtimes = (*runtimes, _read(whole if inverse else part, first, len(tiling.tiles), Interval(0, 0)))
    return IndexMap.of(index, whole if inverse else part, (), runtimes, constraints)


def _shift(
    tiling: Tiling, whole: Shape, domain: Shape, first: int, *, inverse: bool
) -> tuple[list[Expression], tuple[RuntimeVariable, ...], tuple[Constraint, ...]]:
    """Shift indices of a part to the whole tensor, or back, within bounds."""
    part = tiling.part_shape(whole)
    index: list[Expression] = list(dims(len(whole)))
    runtimes: list[RuntimeVariable] = []
    constraints: list[Constraint] = []
    for number, count in enumerate(tiling.tiles):
        if count == 1:
            continue
        start = Runtime(len(runtimes)) * part[number]
        index[number] = index[number] - start if inverse else add(start, index[number])
        runtimes.append(_read(domain, first, number, Interval(0, count - 1)))
        inside = part[number] if inverse else whole[number]
        if inverse or part[number] * count > whole[number]:
            constraints.append((index[number], Interval(0, inside - 1)))
    return index, tuple(runtimes), tuple(constraints)


def _read(domain: Shape, operand: int, number: int, interval: Interval) -> RuntimeVariable:
    """Element `number` of a process value that is a vector."""
    return RuntimeVariable(interval, operand, IndexMap.of([number], domain), clamped=False)


def compose_cut(tiling: Tiling, whole: Shape, index_map: IndexMap, place: Runtime, table: int) -> IndexMap:
    """Continue `index_map`, which leads to a part of the process at `place`, to the whole tensor.

    `place` is read from a table of processes; the starts of their parts are read at the same positions of
    operand `table`.
    """
    read, part = index_map.runtimes[place.number], tiling.part_shape(whole)
    index, runtimes, constraints = (
        list(index_map.results),
        list(index_map.runtimes),
        list(index_map.constraints),
    )

    def at(number: int, interval: Interval) -> Runtime:
        where = replace(read.map, results=(*read.map.results, Constant(number)))
        runtimes.append(RuntimeVariable(interval, table, where, clamped=False))
        return Runtime(len(runtimes) - 1)

    for number, count in enumerate(tiling.tiles):
        if count > 1:
            index[number] = at(number, Interval(0, count - 1)) * part[number] + index[number]
            constraints.append((index[number], Interval(0, whole[number] - 1)))
    if tiling.terms > 1:
        at(len(tiling.tiles), Interval(0, 0))
    return IndexMap(tuple(index), index_map.dimensions, index_map.ranges, tuple(runtimes), tuple(constraints))


def join_map(tiling: Tiling, whole: Shape, first: int, members: int) -> tuple[IndexMap, Expression | None]:
    """The map from an index of the whole tensor to that of a part, and the position of its holder."""
    if tiling.is_whole:
        return IndexMap.identity(whole), None
    part = tiling.part_shape(whole) if tiling.tiles else tuple(whole)
    index = [modulo(d, max(1, size)) for d, size in zip(dims(len(whole)), part, strict=True)]
    tile = [floor_divide(d, max(1, size)) for d, size in zip(dims(len(whole)), part, strict=True)]
    number = linearize(tile, tiling.tiles) if tiling.tiles else add(0)
    terms = [tiling.terms] if tiling.terms > 1 else []
    read = IndexMap.of([number, Range(0) if terms else 0], whole, terms)
    place = RuntimeVariable(Interval(0, members - 1), first, read, clamped=False)
    return IndexMap.of(index, whole, terms, [place]), Runtime(0)


def inverse_join_map(
    tiling: Tiling, whole: Shape, first: int, members: int
) -> tuple[IndexMap, Expression | None]:
    """The map from an index of the own part to that of the whole tensor, at each recipient's position."""
    if tiling.is_whole:
        return IndexMap.identity(whole), None
    part = tiling.part_shape(whole)
    index, runtimes, constraints = _shift(tiling, whole, part, first + 2, inverse=False)
    gets = RuntimeVariable(Interval(1, 1), first + 1, IndexMap.of([Range(0)], part, [members]), clamped=False)
    found = IndexMap.of(index, part, [members], (*runtimes, gets), constraints)
    return found, Range(0)


def join_maps(
    number: int, tiling: Tiling, whole: Shape, first: int, members: int, *, inverse: bool
) -> OperandMap:
    """The map between value `number`, a part in each process, and the whole that each gets."""
    make = inverse_join_map if inverse else join_map
    found, place = make(tiling, whole, first, members)
    return OperandMap(number, found, number, place)


def members_of(tiling: Tiling) -> int:
    """Number of processes that have the parts of one whole tensor."""
    return prod(tiling.tiles) * tiling.terms
