"""Propagate tiles through maps: offset, size and stride of the elements that a tile needs.

A tile of the result is a box with strides; its offsets may be expressions of tile numbers. If the map takes
it to such a box of the operand, that box is the result, else a sentence states why not (docs/index-maps.md,
"Tiles"). An exact tile has exactly the elements that the map reads; an enclosing one contains them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import gcd, prod

import numpy as np

from ..core.expressions import Constant, Dim, Expression, Operand, Range, add, as_expression
from ..core.index_map import IndexMap
from ..core.interval import Interval, box
from ..core.linearization import Bounds, interval_of
from ..evaluation.array_values import Int64Array
from ..evaluation.bound_map import Operands
from ..evaluation.factors import bind_scalars, deciding_variables, factors_of
from ..transforms.composition import compose
from .tile_forms import NotTiled, Side, sides_of
from .tile_loops import normal_form


@dataclass(frozen=True)
class Tile:
    """A box with strides: `offset + stride * i` for i below `size`, in each dimension.

    Offsets are expressions of tile numbers (dimension variables, each within its interval of `numbers`) and
    of runtime variables of the map that produced the tile.
    """

    sides: tuple[Side, ...]
    numbers: tuple[Interval, ...] = ()

    @classmethod
    def at(cls, offsets: Sequence[Operand], sizes: Sequence[int], strides: Sequence[int] = ()) -> Tile:
        """The tile at `offsets`; contiguous without `strides`."""
        steps = strides or [1] * len(sizes)
        parts = zip(offsets, sizes, steps, strict=True)
        return cls(tuple(Side(as_expression(offset), size, step) for offset, size, step in parts))

    @classmethod
    def grid(cls, shape: Sequence[int], sizes: Sequence[int]) -> Tile:
        """Any tile of a grid that covers `shape`: tile number d_k starts at d_k times its size."""
        sides = (Side(Dim(k) * size, size, 1) for k, size in enumerate(sizes))
        counts = [-(-whole // size) for whole, size in zip(shape, sizes, strict=True)]
        return cls(tuple(sides), box(tuple(counts)))

    @property
    def count(self) -> int:
        """Number of elements in the tile."""
        return prod(side.size for side in self.sides)

    @property
    def map(self) -> IndexMap:
        """Map from the tile numbers to its elements, with one range variable per dimension."""
        index = (add(side.offset, Range(k) * side.stride) for k, side in enumerate(self.sides))
        return IndexMap(tuple(index), self.numbers, box(tuple(side.size for side in self.sides)))


@dataclass(frozen=True)
class Propagated:
    """Result of propagating a tile through a map."""

    tile: Tile | None
    """`None` if the tile does not propagate; of size 0 in each dimension if nothing is read."""
    exact: bool
    """Whether every element of the tile is read; otherwise it encloses those that are."""
    reason: str
    """The reason why the tile does not propagate, or is not exact; empty for an exact one."""
    nothing: bool = False
    """Whether nothing is read."""
    map: IndexMap | None = None
    """The map from tile numbers and loops to the elements read; offsets use its runtime variables."""


def propagate(index_map: IndexMap, tile: Tile, operands: Operands | None = None) -> Propagated:
    """The tile that a map reads for `tile`, a tile of the map's source.

    With the `operands` of a run, runtime variables are numbers; otherwise those that are constant over the
    tile stay in the offsets.
    """
    if index_map.is_undefined:
        return _failure("The op is opaque: the elements that it reads are unknown.")
    if len(tile.sides) != len(index_map.dimensions):
        return _failure(f"The tile has {len(tile.sides)} dimensions, not {len(index_map.dimensions)}.")
    if operands is not None:
        index_map = bind_scalars(index_map, operands)
    inside, cut = _cut(index_map, tile)
    if inside is None:
        return _nothing(index_map, tile)
    whole = _bind_runtimes(compose(inside.map, index_map), operands)
    if whole.is_known_empty:
        return _nothing(index_map, tile)
    try:
        found = _by_form(whole, tile, cut)
    except NotTiled as failure:
        return _by_counting(whole, tile, operands, str(failure))
    counted = found if found.exact else _by_counting(whole, tile, operands, found.reason)
    return counted if counted.tile is not None else found


def _by_form(whole: IndexMap, tile: Tile, cut: str) -> Propagated:
    """The tile from the formulas, for all tile numbers and runtime values."""
    _refuse_scattered(whole)
    form = normal_form(whole)
    if form.is_empty:
        return _nothing(whole, tile)
    sides, note = sides_of(form)
    reason = cut or note or _missing_value_note(whole)
    return Propagated(Tile(sides, tile.numbers), not reason, reason, map=whole)


def _missing_value_note(whole: IndexMap) -> str:
    """An unclamped runtime value outside its interval means that nothing is read."""
    outside = [f"rt{k} is outside {v.interval}" for k, v in enumerate(whole.runtimes) if not v.clamped]
    return f"Nothing is read where {' or '.join(outside)}." if outside else ""


def _by_counting(whole: IndexMap, tile: Tile, operands: Operands | None, reason: str) -> Propagated:
    """The tile from all elements that are read, if they can be enumerated."""
    if tile.numbers or (whole.runtimes and operands is None):
        return _failure(reason)
    counted = enumerate_tile(whole, operands or ())
    if counted is None:
        return _failure(reason)
    sides, read = counted
    if not read:
        return _nothing(whole, tile)
    around = prod(side.size for side in sides)
    if read == around:
        return Propagated(Tile(sides), True, "", map=whole)
    share = f"The map reads {read:,} of the {around:,} elements of this tile."
    return Propagated(Tile(sides), False, f"{reason} {share}", map=whole)


def _refuse_scattered(whole: IndexMap) -> None:
    for number, variable in enumerate(whole.runtimes):
        loops = {k for k, interval in enumerate(whole.ranges) if interval.size > 1}
        if any(isinstance(each, Range) and each.number in loops for each in deciding_variables(variable)):
            place = f"rt{number}, an element of operand {variable.operand}"
            raise NotTiled(f"The position read depends on {place}, which differs across the tile.")


def _cut(index_map: IndexMap, tile: Tile) -> tuple[Tile | None, str]:
    """The part of a tile in the map's domain, and a note if its size is unknown."""
    sides: list[Side] = []
    note = ""
    bounds: Bounds = {Dim(k): interval for k, interval in enumerate(tile.numbers)}
    for k, (side, domain) in enumerate(zip(tile.sides, index_map.dimensions, strict=True)):
        if isinstance(side.offset, Constant):
            within = side.within(domain)
            if within is None:
                return None, ""
            sides.append(within)
            continue
        sides.append(side)
        reach = interval_of(side.offset, bounds)
        if not domain.covers(Interval(reach.lower, reach.upper + side.stride * (side.size - 1))):
            note = f"Where the tile reaches beyond {domain} in dimension {k}, less is read."
    return Tile(tuple(sides), tile.numbers), note


def _nothing(index_map: IndexMap, tile: Tile) -> Propagated:
    sides = tuple(Side(Constant(0), 0, 1) for _ in index_map.results)
    return Propagated(Tile(sides, tile.numbers), True, "", nothing=True)


def _bind_runtimes(whole: IndexMap, operands: Operands | None) -> IndexMap:
    """Substitute loops of one step in the maps of runtime variables, and their values if known."""
    once: dict[Expression, Expression] = {
        Range(k): Constant(interval.lower) for k, interval in enumerate(whole.ranges) if interval.is_point
    }
    runtimes = []
    for variable in whole.runtimes:
        results, constraints = variable.map.substitute(once)
        place = replace(variable.map, results=results, constraints=constraints)
        runtimes.append(replace(variable, map=place))
    found = replace(whole, runtimes=tuple(runtimes))
    return found if operands is None else bind_scalars(found, operands)


def _failure(reason: str) -> Propagated:
    return Propagated(None, False, reason)


def propagate_all(
    maps: Sequence[IndexMap], tile: Tile, operands: Operands | None = None
) -> tuple[Propagated, ...]:
    """The result of each map of a union; maps that read nothing are dropped if another reads."""
    found = [propagate(each, tile, operands) for each in maps]
    reading = [each for each in found if not each.nothing]
    return tuple(reading or found[:1])


MAX_ENUMERATED = 1 << 20
"""Maximum number of elements enumerated per factor of a map."""


def enumerate_tile(whole: IndexMap, operands: Operands) -> tuple[tuple[Side, ...], int] | None:
    """The smallest box with strides around all results of a map without dimension variables.

    Also returns how many of its elements are read; `None` if there are too many to enumerate.
    """
    sides: dict[int, Side] = {}
    read = 1
    for factor in factors_of(whole):
        if factor.candidates > MAX_ENUMERATED:
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
    """The smallest progression that contains sorted values."""
    if not len(values):
        return Side(Constant(0), 0)
    start, last = int(values[0]), int(values[-1])
    step = gcd(*np.diff(values).tolist()) if len(values) > 1 else 1
    return Side(Constant(start), (last - start) // step + 1, step)
