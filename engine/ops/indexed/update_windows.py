"""Windows of a scatter's updates: the element of the input to which each goes, and the error bounds there."""

from dataclasses import dataclass
from math import prod

import numpy as np

from ...ir.element_types import F64
from ..core.bodies import Combiner
from ..core.op import Array
from ..core.ranks import Arrays, is_inexact
from ..core.rounding import NO_ERROR, UNKNOWN, Error, Errors, is_exact, magnitude, product_error, sum_error
from .indexed_windows import IndexVectors
from .scatter_passes import combine_updates

Sizes = tuple[int, ...]


@dataclass(frozen=True)
class UpdateWindows:
    """The positions of windows in the updates and in the inputs."""

    vectors: IndexVectors
    update_window_dims: tuple[int, ...]
    dropped: tuple[int, ...]
    """The inputs' dimensions that the windows in the updates lack."""
    drops_whole_windows: bool

    def cells(self, scatter_indices: Array, shape: Sizes, update_shape: Sizes) -> tuple[Array, Array | None]:
        """The flat positions in an input of updates that are not dropped, in row-major order of the updates.

        Besides, where some are dropped, which are not.
        """
        windows = self.sizes(len(shape), update_shape)
        cells = np.zeros([1] * len(update_shape), np.int64)
        kept = np.ones([1] * len(update_shape), np.bool_)
        for dimension, start in enumerate(self.vectors.starts(scatter_indices, len(shape))):
            size, window = shape[dimension], windows[dimension]
            # Beyond this every element is outside anyway, and sums cannot overflow.
            base = self._spread(np.clip(start, -window, size), len(update_shape))
            position = base + self._offsets(dimension, window, len(shape), len(update_shape))
            if dimension in self.vectors.index_map:
                first, last = (base, base + window - 1) if self.drops_whole_windows else (position, position)
                kept = kept & (first >= 0) & (last < size)
            cells = cells + position * prod(shape[dimension + 1 :])
        everywhere = bool(kept.all())
        cells, kept = np.broadcast_to(cells, update_shape), np.broadcast_to(kept, update_shape)
        flat = cells.reshape(-1)
        return (flat, None) if everywhere else (flat[kept.reshape(-1)], kept.reshape(-1))

    def may_meet(self, scatter_indices: Array, shape: Sizes, update_shape: Sizes) -> bool:
        """Whether two windows may have an element in common; that none have is found out sooner than where all elements go."""
        batch = self.vectors.batch_shape(scatter_indices)
        if prod(batch) <= 1:
            return False
        windows = self.sizes(len(shape), update_shape)
        if any(windows[d] != 1 for d in self.vectors.index_map):
            return True
        # Of windows that are one element wide wherever they are placed, those meet that start at one place.
        starts = self.vectors.starts(scatter_indices, len(shape))
        placed = (*self.vectors.index_map, *self.vectors.operand_batching_dims)
        places = sum((starts[d] * prod(shape[d + 1 :]) for d in placed), start=np.zeros((), np.int64))
        ordered = np.sort(np.broadcast_to(places, batch), axis=None)
        return bool((ordered[1:] == ordered[:-1]).any())

    def sizes(self, rank: int, update_shape: Sizes) -> list[int]:
        """The window's size for each dimension of the inputs, which have that rank."""
        window = iter(update_shape[d] for d in self.update_window_dims)
        return [1 if d in self.dropped else next(window) for d in range(rank)]

    def _offsets(self, dimension: int, size: int, rank: int, update_rank: int) -> Array:
        """Coordinates within the window, laid along the updates' dimension for them."""
        shape = [1] * update_rank
        if dimension not in self.dropped:
            kept = [d for d in range(rank) if d not in self.dropped]
            shape[self.update_window_dims[kept.index(dimension)]] = size
        return np.arange(size).reshape(shape)

    def _spread(self, batch: Array, update_rank: int) -> Array:
        """An array over the batch as one over the updates: of size 1 along the windows' dimensions."""
        sizes = iter(batch.shape)
        shape = [1 if d in self.update_window_dims else next(sizes) for d in range(update_rank)]
        return batch.reshape(shape)


def last_updates(cells: Array, kept: Array | None, shape: Sizes, update_shape: Sizes) -> tuple[Array, Array]:
    """For each element of the inputs which update it keeps, or -1, and which updates stay; `cells` are the flat positions
    of those that are `kept`, or of all.
    """
    numbers = np.arange(prod(update_shape)) if kept is None else np.flatnonzero(kept)
    last = np.full(prod(shape), -1, np.int64)
    np.maximum.at(last, cells, numbers)
    stays = np.zeros(prod(update_shape), np.int64)
    stays[last[last >= 0]] = 1
    return last.reshape(shape), stays.reshape(update_shape)


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
    rounds = is_inexact(result.dtype)
    if combiner is not Combiner.ADD and not (rounds and combiner is Combiner.MULTIPLY):
        return NO_ERROR if is_exact(errors) and not rounds else UNKNOWN
    terms = int(np.bincount(cells).max(initial=0)) if cells.size else 0
    sizes = [magnitude(value) for value in pair]
    if combiner is Combiner.MULTIPLY:
        product = combine(Combiner.MULTIPLY, *sizes)
        carried = combine(Combiner.MULTIPLY, *map(np.add, sizes, errors)) - product
        return np.where(np.isfinite(magnitude(result)), carried + product_error(result, product, terms), 0.0)
    carried = combine(Combiner.ADD, *errors)
    if not rounds:
        return carried
    # Engines keep the cells in memory in their own type, where each of several updates is rounded.
    energy = np.sqrt(combine(Combiner.ADD, *(size**2 for size in sizes)))
    own = sum_error(result, energy, terms, terms)
    touched = combine(Combiner.ADD, np.zeros(()), np.ones(())) > 0
    return np.where(touched, carried + own, carried)
