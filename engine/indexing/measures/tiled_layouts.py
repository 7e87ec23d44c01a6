"""Tiled memory layouts, `{1,0:T(8,128)(2,1)}`: addresses of elements and elements at addresses.

The first tile cuts the innermost dimensions into blocks: each index is replaced by the number of its block,
and the indices within blocks follow. A further tile cuts the result of the previous one. Where a size is not
a multiple of the tile's, the last block is padded. `None` (`*` in HLO text) joins a dimension with the next
before both are cut; a tile of more dimensions than the tensor treats the missing ones as 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

from ..core.expressions import Constant, Expression
from ..core.index_map import Constraint
from ..core.interval import Interval
from ..core.linearization import Bounds, delinearize, divide, remainder

Tile = tuple[int | None, ...]
Index = tuple[Expression, ...]


@dataclass(frozen=True)
class Cut:
    """The effect of one tile on dimensions of given sizes, outermost first."""

    given: tuple[int, ...]
    tile: Tile

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The sizes, with 1 for each dimension that the tensor lacks."""
        return (*[1] * (len(self.tile) - len(self.given)), *self.given)

    @cached_property
    def outer(self) -> int:
        """Number of dimensions that are not cut."""
        return len(self.sizes) - len(self.tile)

    @cached_property
    def groups(self) -> tuple[tuple[tuple[int, ...], int], ...]:
        """The dimensions that are cut together, with the length of a block."""
        found: list[tuple[tuple[int, ...], int]] = []
        joined: tuple[int, ...] = ()
        for dimension, length in enumerate(self.tile, self.outer):
            joined = (*joined, dimension)
            if length is not None or dimension == len(self.sizes) - 1:
                whole = prod(self.sizes[k] for k in joined)
                found.append((joined, max(1, whole if length is None else length)))
                joined = ()
        return tuple(found)

    @cached_property
    def cut_sizes(self) -> tuple[int, ...]:
        """The resulting sizes: outer dimensions, blocks, lengths of blocks."""
        blocks = [-(-self._whole(group) // length) for group, length in self.groups]
        return (*self.sizes[: self.outer], *blocks, *(length for _, length in self.groups))

    def _whole(self, group: Sequence[int]) -> int:
        return prod(self.sizes[k] for k in group)

    def place(self, index: Index, bounds: Bounds) -> Index:
        """The tiled index of an element."""
        index = (*[Constant(0)] * (len(self.sizes) - len(self.given)), *index)
        blocks: list[Expression] = []
        within: list[Expression] = []
        for group, length in self.groups:
            joined: Expression = Constant(0)
            for k in group:
                joined = joined * self.sizes[k] + index[k]
            blocks.append(divide(joined, length, bounds))
            within.append(remainder(joined, length, bounds))
        return (*index[: self.outer], *blocks, *within)

    def element(self, place: Index, bounds: Bounds) -> tuple[Index, tuple[Constraint, ...]]:
        """The element at a tiled index, and the conditions for one to exist."""
        index = list(place[: self.outer])
        conditions: list[Constraint] = []
        for number, (group, length) in enumerate(self.groups, self.outer):
            joined = place[number] * length + place[number + len(self.groups)]
            whole = self._whole(group)
            if whole % length:
                conditions.append((joined, Interval(0, whole - 1)))
            sizes = [self.sizes[k] for k in group]
            index += [joined] if len(sizes) == 1 else delinearize(joined, sizes, bounds)
        return tuple(index[len(self.sizes) - len(self.given) :]), tuple(conditions)


def cuts(sizes: Sequence[int], tiles: Sequence[Tile]) -> tuple[Cut, ...]:
    """Apply tiles in order to dimensions of `sizes`, the outermost in memory first."""
    found: list[Cut] = []
    for tile in tiles:
        found.append(Cut(found[-1].cut_sizes if found else tuple(sizes), tile))
    return tuple(found)
