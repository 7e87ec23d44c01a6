"""Orders in which libraries combine terms: trees of combinations, each with its value.

No order is taken on trust: the microscope shows one only if it gives the recorded bits, or says that it does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate, permutations, product
from itertools import pairwise as pairs
from typing import Any

import numpy as np
from numpy.typing import NDArray

Join = Callable[[int, int], int]
Method = Callable[[Sequence[int], Join], int]


@dataclass
class Tree:
    """Terms, numbered from 0, and combinations of two nodes, numbered after them."""

    terms: Sequence[Any]
    combine: Callable[[Tree, int, int], Any]
    pairs: list[tuple[int, int]] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)

    def join(self, left: int, right: int) -> int:
        """The node that combines two nodes."""
        self.values.append(self.combine(self, left, right))
        self.pairs.append((left, right))
        return len(self.terms) + len(self.pairs) - 1

    def value(self, node: int) -> Any:
        """The value of a node."""
        count = len(self.terms)
        return self.terms[node] if node < count else self.values[node - count]


@dataclass(frozen=True)
class Order:
    """An order of combination, in words: `from left to right`."""

    words: str
    method: Method
    """Combines nodes; returns the root."""
    is_sequence: bool = False


def sequence(nodes: Sequence[int], join: Join) -> int:
    """From left to right."""
    total, *rest = nodes
    for node in rest:
        total = join(total, node)
    return total


_LANES = 8
_PAIRWISE_BLOCK = 128


def pairwise(nodes: Sequence[int], join: Join) -> int:
    """NumPy's pairwise sum: eight running sums for up to 128 terms, halves for more."""
    count = len(nodes)
    if count < _LANES:
        return sequence(nodes, join)
    if count <= _PAIRWISE_BLOCK:
        whole = count - count % _LANES
        return sequence([lanes(_LANES, nodes[:whole], join), *nodes[whole:]], join)
    half = count // 2
    half -= half % _LANES
    return join(pairwise(nodes[:half], join), pairwise(nodes[half:], join))


def lanes(count: int, nodes: Sequence[int], join: Join, combine: Method | None = None) -> int:
    """`count` running sums, combined as a tree of neighbours or by another method."""
    sums = [sequence(nodes[lane::count], join) for lane in range(min(count, len(nodes)))]
    return (combine or neighbours)(sums, join)


def halves(nodes: Sequence[int], join: Join) -> int:
    """A balanced tree that adds the second half of a vector to the first; for a power of two."""
    level = list(nodes)
    while len(level) > 1:
        half = len(level) // 2
        level = [join(level[k], level[k + half]) for k in range(half)]
    return level[0]


def neighbours(nodes: Sequence[int], join: Join) -> int:
    """A balanced tree of neighbours."""
    level = list(nodes)
    while len(level) > 1:
        pairs = [join(level[k], level[k + 1]) for k in range(0, len(level) - 1, 2)]
        level = pairs + level[len(level) - len(level) % 2 :]
    return level[0]


def runs(nodes: Sequence[int], join: Join) -> int:
    """Runs of 1, 2, 4, … terms, as windows share them."""
    parts, done, length = [], 0, 1
    while done < len(nodes):
        if len(nodes) & length:
            parts.append(neighbours(nodes[done : done + length], join))
            done += length
        length *= 2
    return sequence(parts, join)


def blocks(sizes: Sequence[int], nodes: Sequence[int], join: Join) -> int:
    """Blocks of these sizes, each from left to right, then their sums."""
    ends = [0, *accumulate(sizes)]
    return sequence([sequence(nodes[a:b], join) for a, b in pairs(ends)], join)


def block_sizes(count: int, most: int, unit: int) -> tuple[int, ...]:
    """OpenBLAS's blocks of a sum: of `most` products, the last two of about equal size in multiples of `unit`."""
    sizes: list[int] = []
    while count > most:
        size = most if count >= 2 * most else -(-(count // 2) // unit) * unit
        sizes.append(size)
        count -= size
    return (*sizes, count)


def fold_orders(sizes: Sequence[int]) -> Iterator[Order]:
    """Orders of a fold over terms on a grid of `sizes`, in row-major order."""
    yield Order("from left to right", sequence, True)
    words = "by NumPy's pairwise sum: eight running sums in blocks of up to 128 terms, then halves"
    yield Order(words, pairwise)
    yield Order("by runs of 1, 2, 4, … terms", runs)
    if sum(size > 1 for size in sizes) > 1:
        yield from _grid_orders(sizes)


_NAMED: tuple[tuple[str, Method], ...] = (
    ("from first to last", sequence),
    ("pairwise", pairwise),
    ("by runs", runs),
)


def _grid_orders(sizes: Sequence[int]) -> Iterator[Order]:
    rank = len(sizes)
    for name, axes in (("last", range(rank)[::-1]), ("first", range(rank))):
        for (inner, first), (outer, other) in product(_NAMED, repeat=2):
            words = (
                f"along one dimension after the other, the {name} one first: it {inner}, the others {outer}"
            )
            yield Order(words, partial(along_axes, tuple(sizes), axes, (first, *(other,) * (rank - 1))))


def along_axes(
    sizes: tuple[int, ...], axes: Sequence[int], methods: Sequence[Method], nodes: Sequence[int], join: Join
) -> int:
    """Combine nodes on a grid along one axis after the other, each with its method."""
    grid = np.asarray(nodes, np.int64).reshape(sizes)
    for axis, method in zip(axes, methods, strict=True):
        rows = np.moveaxis(grid, axis, -1)
        flat = [method(row.tolist(), join) for row in rows.reshape(-1, rows.shape[-1])]
        grid = np.moveaxis(np.asarray(flat, np.int64).reshape(*rows.shape[:-1], 1), -1, axis)
    return int(grid.reshape(-1)[0])


_BLAS_BLOCKS = (768, 640, 512, 448, 384, 352, 320, 256, 240, 192, 128)
_BLAS_UNITS = (16, 8, 4)
_BLAS_LANES = (4, 8, 16, 32, 64)


def product_orders(count: int) -> Iterator[Order]:
    """Orders in which BLAS adds `count` products: its blocks and lanes depend on the processor."""
    yield Order("from left to right", sequence, True)
    splits = [block_sizes(count, most, unit) for most in _BLAS_BLOCKS for unit in _BLAS_UNITS]
    for sizes in dict.fromkeys(split for split in splits if len(split) > 1):
        words = ", ".join(map(str, sizes[:-1]))
        yield Order(f"in blocks of {words} and {sizes[-1]} products, then the blocks", partial(blocks, sizes))
    for lane_count in _BLAS_LANES:
        if count > lane_count:
            words = f"as {lane_count} running sums, then these"
            yield Order(f"{words} as a tree of neighbours", partial(lanes, lane_count))
            yield Order(f"{words} by halves", partial(lanes, lane_count, combine=halves))


_MOST_AXES = 4


def axis_orders(coordinates: NDArray[np.int64]) -> Iterator[tuple[tuple[int, ...], NDArray[np.int64]]]:
    """Permutations of the axes along which terms lie, with the order of the terms in each; row-major first."""
    varied = [axis for axis, column in enumerate(coordinates.T) if (column != column[0]).any()]
    for axes in permutations(varied) if len(varied) <= _MOST_AXES else [tuple(varied)]:
        keys = [coordinates[:, axis] for axis in reversed(axes)]
        yield axes, np.lexsort(keys) if keys else np.arange(len(coordinates))
