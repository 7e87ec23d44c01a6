"""Numbers of index maps of large ops: counting, tiles, accesses of warps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from hloscope.engine.indexing import (
    GatherIndexing,
    IndexMap,
    OperandMap,
    WindowIndexing,
    dot_general_maps,
    dynamic_update_slice_maps,
    pad_maps,
    reshape_maps,
)
from hloscope.engine.indexing.measures.accesses import Memory
from hloscope.engine.indexing.measures.coalescing import coalescing
from hloscope.engine.indexing.measures.tallies import tally
from hloscope.engine.indexing.measures.thread_maps import linear_threads
from hloscope.engine.indexing.tiles.propagation import Tile, propagate

from .measure import seconds, table, typical

N = 4096
GATHER = GatherIndexing((50_000, 768), (8, 1024, 1), (2,), (0,), (), (), (0,), 2, (1, 768))
WINDOWS = WindowIndexing((N, N), (N, N), (3, 3), (1, 1), (1, 1), (1, 1), (1, 1))


def lines(repetitions: int) -> Iterator[str]:
    """What to print."""
    yield table(
        ["numbers", "median"],
        [[name, seconds(typical(work, repetitions))] for name, work in _works()],
    )


def _works() -> Iterator[tuple[str, Callable[[], object]]]:
    square = (N, N)
    lhs = _of(dot_general_maps(square, square, [], [], [1], [0]), 0)
    yield f"counts: dot, {N} x {N} x {N}", lambda: tally(lhs, square, square)
    split = _of(reshape_maps(square, (64, 64, N)), 0)
    yield "counts: reshape", lambda: tally(split, square, (64, 64, N))
    value = _of(pad_maps(square, (1, 2), (3, 4), (1, 0)), 1)
    yield "counts: where a padding value is read", lambda: tally(value, (), (2 * N + 3, N + 6))
    hole = _of(dynamic_update_slice_maps(square, (100, 200)), 0)
    yield "counts: what an update leaves, wherever it lies", lambda: tally(hole, square, square)
    window = _of(WINDOWS.reduce_window_maps(1), 0)
    yield "counts: windows of 3 x 3", lambda: tally(window, square, square)
    rows = np.random.default_rng(0).integers(0, 50_000, (8, 1024, 1))
    table_read = _of(GATHER.index_maps(), 0)
    yield (
        "counts: 8,192 rows of a gather",
        lambda: tally(table_read, (50_000, 768), GATHER.result_shape, (None, rows)),
    )
    yield "tile: of a reshape", lambda: propagate(split[0], Tile.grid((64, 64, N), (1, 16, 32)))
    yield "tile: of windows", lambda: propagate(window[0], Tile.grid(square, (64, 64)))
    memory = Memory(square, 32)
    yield "warps: all of a dot's left side", lambda: coalescing(linear_threads(square), lhs, memory)


def _of(maps: Iterator[OperandMap], operand: int) -> Sequence[IndexMap]:
    return [item.map for item in maps if item.operand == operand]
