"""Maps from GPU threads to their elements: (th_x, th_y, th_z, bl_x, bl_y, bl_z)[s…] -> index."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from ..core.expressions import Dim, Expression, Range
from ..core.index_map import IndexMap
from ..core.interval import Interval, box
from ..core.linearization import delinearize, linearize
from .tiled_layouts import Tile, cuts

WARP = 32
MAX_THREADS = 1024
"""Maximum number of threads of a block, on all NVIDIA GPUs."""
TH_X, TH_Y, TH_Z, BL_X, BL_Y, BL_Z = map(Dim, range(6))


@dataclass(frozen=True)
class Threads:
    """A thread map, and the range variable that is the vector which a thread reads at once."""

    map: IndexMap
    vector: int | None = None

    @property
    def block(self) -> tuple[int, int, int]:
        """Threads per block in x, y and z."""
        x, y, z = (max(1, interval.size) for interval in self.map.dimensions[:3])
        return x, y, z

    @property
    def blocks(self) -> tuple[int, int, int]:
        """Blocks in x, y and z."""
        x, y, z = (max(1, interval.size) for interval in self.map.dimensions[3:])
        return x, y, z

    @property
    def warps(self) -> int:
        """Warps per block; the last may have fewer threads."""
        return -(-prod(self.block) // WARP)


def linear_threads(
    shape: Sequence[int],
    threads: int = 128,
    vector: int = 1,
    minor_to_major: Sequence[int] | None = None,
    tiles: Sequence[Tile] = (),
) -> Threads:
    """Threads in memory order of the elements, with `vector` consecutive ones per thread.

    XLA does this for elementwise kernels. `threads` is the size of a block. Threads at padding that `tiles`
    leave in memory compute nothing.
    """
    order = _major_to_minor(shape, minor_to_major)
    levels = cuts([shape[k] for k in order], tiles)
    sizes = levels[-1].cut_sizes if levels else tuple(shape[k] for k in order)
    count = prod(sizes)
    blocks = max(1, -(-count // (threads * vector)))
    position: Expression = (BL_X * threads + TH_X) * vector + Range(0)
    dimensions = box((threads, 1, 1, blocks, 1, 1))
    ranges = box((vector,))
    bounds: dict[Expression, Interval] = {Range(0): ranges[0], TH_X: dimensions[0], BL_X: dimensions[3]}
    physical = delinearize(position, sizes, bounds)
    inside = [(position, Interval(0, count - 1))]
    for level in reversed(levels):
        physical, conditions = level.element(physical, bounds)
        inside += conditions
    index = dict(zip(order, physical, strict=True))
    results = tuple(index[k] for k in range(len(shape)))
    return Threads(IndexMap(results, dimensions, ranges, (), tuple(inside)), 0)


def tiled_threads(
    shape: Sequence[int], x: int, y: int, columns: int = 32, rows: int = 8, steps: int = 4
) -> Threads:
    """Blocks of `columns` x `rows` threads for tiles of dimensions `x` and `y`.

    Each thread computes `steps` rows, as in a transposing kernel. The other dimensions are blocks in z.
    """
    height = rows * steps
    others = [k for k in range(len(shape)) if k not in (x, y)]
    blocks = (-(-shape[x] // columns), -(-shape[y] // height), prod(shape[k] for k in others))
    dimensions = box((columns, rows, 1, *blocks))
    ranges = box((steps,))
    bounds: dict[Expression, Interval] = {BL_Z: dimensions[5]}
    index: dict[int, Expression] = dict(
        zip(others, delinearize(BL_Z, [shape[k] for k in others], bounds), strict=True)
    )
    index[x] = BL_X * columns + TH_X
    index[y] = BL_Y * height + Range(0) * rows + TH_Y
    inside = tuple((index[k], Interval(0, shape[k] - 1)) for k in (x, y))
    return Threads(IndexMap(tuple(index[k] for k in range(len(shape))), dimensions, ranges, (), inside))


def physical_map(
    shape: Sequence[int],
    minor_to_major: Sequence[int] | None = None,
    padding: int = 0,
    tiles: Sequence[Tile] = (),
) -> IndexMap:
    """Map from an index to its address in memory, in elements.

    `padding` elements follow each line of the minor dimension (of a tile's, if there are tiles), as shared
    memory uses against bank conflicts.
    """
    order = _major_to_minor(shape, minor_to_major)
    bounds: dict[Expression, Interval] = {Dim(k): each for k, each in enumerate(box(tuple(shape)))}
    index: tuple[Expression, ...] = tuple(Dim(k) for k in order)
    sizes = tuple(shape[k] for k in order)
    for level in cuts(sizes, tiles):
        index, sizes = level.place(index, bounds), level.cut_sizes
    padded = (*sizes[:-1], sizes[-1] + padding) if sizes else ()
    return IndexMap.of([linearize(index, padded)], tuple(shape))


def _major_to_minor(shape: Sequence[int], minor_to_major: Sequence[int] | None) -> list[int]:
    if minor_to_major is None:
        return list(range(len(shape)))
    if sorted(minor_to_major) != list(range(len(shape))):
        raise ValueError(f"{list(minor_to_major)} is not an order of {len(shape)} dimensions")
    return list(reversed(minor_to_major))
