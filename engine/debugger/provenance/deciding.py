"""What decides which elements are read or written, beyond those that a run has really read or written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from ...indexing import IndexMap, inverse_reduce_maps, line_map, reduce_maps
from ...indexing.elements.element_sets import Shape
from ...indexing.evaluation import BoolArray, Int64Array
from ...ops.op import Op
from ...ops.reduce import Reduce
from ...ops.scatter import Scatter
from ...ops.select_and_scatter import SelectAndScatter
from ...ops.selecting import Selecting
from ...ops.sort import Sort
from .relations import Chained, Mapped, Operands, Relation, Table, Through, Where


@dataclass(frozen=True)
class Fixed:
    """Maps of both ways that are there."""

    maps: Sequence[IndexMap]
    inverse: Sequence[IndexMap]


def rows_that_could_reach(op: Op, operand: int) -> Mapped | None:
    """Of scatter's indices: an element hangs on every row that could have sent an update to it, or away from it.

    `value_maps` tell the rows that did. `None` for any other operand and op.
    """
    if not isinstance(op, Scatter) or operand != len(op.inputs):
        return None
    read, made = op.scatter_indices.sizes, op.inputs[0].sizes
    back, onward = op.indexing.choices(), op.indexing.choices(inverse=True)
    return Mapped(read, made, Fixed((back,), (onward,)), tuple)


def where_taken(
    op: Op, operand: int, made: Shape, operands: Callable[[], Operands], relation: Relation
) -> Relation:
    """Of a select, from the operands that it chooses between: `relation`, where the predicate chose this one."""
    if not isinstance(op, Selecting) or operand == 0:
        return relation
    on_true = operand <= op.last_on_true

    def mask() -> BoolArray:
        predicate = operands()[0]
        assert predicate is not None
        taken: BoolArray = predicate == on_true
        return taken

    return Chained(relation, Where(made, mask))


def combined_lanes(op: Reduce, read: Shape, made: Shape) -> Relation:
    """What a body gave for all elements at once, and what it was combined to."""
    back = next(reduce_maps([read], op.dimensions)).map
    return Mapped(read, made, Fixed((back,), (next(inverse_reduce_maps([read], op.dimensions)).map,)), tuple)


def compared_in_lines(op: Sort, compared: Int64Array, read: Shape, made: Shape) -> Relation:
    """Of what a comparator said about an element in each lane: all of the element's line may come elsewhere."""
    line = line_map(made, op.dimension % len(made))
    return Through(_of_lanes(compared, read, made), Mapped(made, made, Fixed((line,), (line,)), tuple))


def compared_in_windows(op: SelectAndScatter, windows: Int64Array, read: Shape, made: Shape) -> Relation:
    """Of what `select` said for a window in each lane: any element of the window may have been chosen."""
    shape = op.source.sizes
    elements = next(op.indexing.reduce_window_maps(1)).map
    found = next(op.indexing.inverse_reduce_window_maps(1)).map
    return Through(_of_lanes(windows, read, shape), Mapped(shape, made, Fixed((found,), (elements,)), tuple))


def compared_windows(windows: Int64Array, read: Shape, shape: Shape) -> Relation:
    """Of what `select` said for a window in each lane: what it says in later rounds is about the same windows."""
    flat = windows.reshape(-1)
    lanes = np.arange(len(flat)) if prod(read) == len(flat) else np.zeros(len(flat), np.int64)
    return Table(read, shape, lanes, flat)


def _of_lanes(positions: Int64Array, lanes: Shape, shape: Shape) -> Table:
    """Between lanes and the element that each is about; a body may have said the same of all, once."""
    flat = positions.reshape(-1)
    lane = np.arange(len(flat)) if prod(lanes) == len(flat) else np.zeros(len(flat), np.int64)
    return Table(shape, lanes, flat, lane)
