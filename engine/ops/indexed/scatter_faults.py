"""Updates of a scatter that are lost: they fall outside of the input, or others go to the same element."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ...ir.element_types import F64
from ..core.bodies import Combiner
from ..core.faults import Fault
from ..core.index_faults import misfit_words
from ..core.numeric import widen
from ..core.op import Array
from .outside_starts import OutsideStarts, find_outside_starts
from .scatter_passes import combine_updates
from .update_windows import UpdateWindows

Arrays = tuple[Array, ...]
Sizes = tuple[int, ...]
Places = tuple[Array, Array | None]
"""The flat positions that updates go to, and which updates are not dropped; `None` if none is."""


def dropped_updates(
    windows: UpdateWindows,
    indices: Array,
    shape: Sizes,
    updates: Arrays,
    combiners: Sequence[Combiner] | None,
    operand: int,
) -> Iterator[Fault]:
    """The windows that are dropped, in whole or in part; the indices are operand number `operand`."""
    sizes = windows.sizes(len(shape), updates[0].shape)
    found = find_outside_starts(windows.vectors, indices, shape, sizes, moved=False)
    if found is None or 0 in updates[0].shape:
        return
    if not (found.is_deliberate and _drops_nothing(windows, indices, shape, updates, combiners)):
        cause = _dropped_words(found, windows.drops_whole_windows)
        yield found.fault("dropped_update", cause, windows.vectors, indices.ndim, operand)


def _drops_nothing(
    windows: UpdateWindows,
    indices: Array,
    shape: Sizes,
    updates: Arrays,
    combiners: Sequence[Combiner] | None,
) -> bool:
    """Whether all that is dropped is 0, and would have been added: so sparse matrices are filled up."""
    if set(combiners or ()) != {Combiner.ADD}:
        return False
    _, kept = windows.cells(indices, shape, updates[0].shape)
    return kept is not None and not any(update.reshape(-1)[~kept].any() for update in updates)


def _dropped_words(found: OutsideStarts, drops_whole_windows: bool) -> str:
    start = int(found.starts[found.first])
    is_whole = drops_whole_windows or not -found.window < start < found.size
    what = "is dropped" if is_whole else "is dropped in part"
    return f"the update at {start} {what}: {misfit_words(found.window, found.dimension, found.size)}"


def colliding_updates(
    places: Places, updates: Arrays, results: Arrays, combiners: Sequence[Combiner] | None, unique: bool
) -> Iterator[Fault]:
    """Elements that several updates go to, where the order decides which of them stays, or none may.

    `unique`: whether the program says that no two are equal. Otherwise the order decides where bodies return the update.
    """
    cells, kept = places
    if not unique and Combiner.REPLACE not in (combiners or ()):
        return
    met = _repeated(cells, results[0].size) if unique else _replaced(cells, kept, updates, results)
    if not met.size:
        return
    index = tuple(map(int, np.unravel_index(int(met[0]), results[0].shape)))
    count = int(np.count_nonzero(cells == met[0]))
    why = "unique_indices says that there is one" if unique else "the order decides which one stays"
    cause = f"{count:,} updates go to element {list(index)}: {why}"
    yield Fault("collision", int(met.size), results[0].size, index, cause)


def _repeated(cells: Array, size: int) -> Array:
    """The cells that are there more than once."""
    seen = np.zeros(size, np.bool_)
    seen[cells] = True
    if int(np.count_nonzero(seen)) == cells.size:
        return cells[:0]
    return np.flatnonzero(np.bincount(cells, minlength=size) > 1)


def _replaced(cells: Array, kept: Array | None, updates: Arrays, results: Arrays) -> Array:
    """The cells that hold another value than one of the updates that went there."""
    lost = np.zeros(cells.shape, np.bool_)
    for update, result in zip(updates, results, strict=True):
        sent = update.reshape(-1) if kept is None else update.reshape(-1)[kept]
        lost |= _differ(result.reshape(-1)[cells], sent)
    return np.unique(cells[lost])


def _differ(first: Array, second: Array) -> Array:
    """Where two arrays differ; a NaN is equal to itself."""
    is_number = np.equal(first, first) | np.equal(second, second)
    return np.asarray((first != second) & is_number)


def fold_exactly(inputs: Arrays, updates: Arrays, places: Places, number: int, combiner: Combiner) -> Array:
    """Result `number` in f64."""
    cells, kept = places
    sent = updates[number].reshape(-1) if kept is None else updates[number].reshape(-1)[kept]
    operand, added = (widen(value).astype(np.float64) for value in (inputs[number], sent))
    return combine_updates(combiner, operand, cells, added, F64)
