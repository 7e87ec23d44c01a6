"""What decides which elements are read or written, beyond those that a run has really read or written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from ...indexing import IndexMap
from ...indexing.elements.boxes import Shape
from ...indexing.evaluation.array_values import BoolArray, Int64Array
from ...ops.core.op import Op
from ...ops.core.selecting import Selecting
from ...ops.core.traced_bodies import Decision, Placing
from .relations import Chained, Mapped, Operands, Relation, Table, Through, Where


@dataclass(frozen=True)
class Fixed:
    """Maps in both directions that are given as they are."""

    maps: Sequence[IndexMap]
    inverse: Sequence[IndexMap]


def placement(placing: Placing) -> Mapped:
    """Elements of the operand that says where values go, and the elements that may get one for it, or lose one."""
    return Mapped(placing.read, placing.shape, Fixed(placing.back, placing.onward), tuple)


def separate_placement(op: Op, operand: int) -> Mapped | None:
    """The placement by an operand that an op's own maps leave out; `None` for any other operand and op."""
    placing = op.placement() if op.places_apart else None
    return placement(placing) if placing is not None and placing.operand == operand else None


def choice_relation(
    op: Op, operand: int, made: Shape, operands: Callable[[], Operands], relation: Relation
) -> Relation:
    """The relation to an operand that a select chooses between: `relation`, where the predicate takes it."""
    if not isinstance(op, Selecting) or operand == 0:
        return relation
    on_true = operand <= op.last_on_true

    def mask() -> BoolArray:
        predicate = operands()[0]
        assert predicate is not None
        taken: BoolArray = predicate == on_true
        return taken

    return Chained(relation, Where(made, mask))


def decision_relation(decision: Decision, read: Shape, made: Shape) -> Relation:
    """The relation of a body's answers, of shape `read`, to the elements, of shape `made`, that they decide about."""
    mapped = Mapped(decision.shape, made, Fixed(decision.back, decision.onward), tuple)
    if decision.positions is None:
        return mapped
    if not decision.back:
        return _from_lanes(decision.positions, read, made)
    return Through(_of_lanes(decision.positions, read, decision.shape), mapped)


def _from_lanes(positions: Int64Array, lanes: Shape, shape: Shape) -> Table:
    flat = positions.reshape(-1)
    return Table(lanes, shape, _lane_numbers(flat, lanes), flat)


def _of_lanes(positions: Int64Array, lanes: Shape, shape: Shape) -> Table:
    flat = positions.reshape(-1)
    return Table(shape, lanes, flat, _lane_numbers(flat, lanes))


def _lane_numbers(positions: Int64Array, lanes: Shape) -> Int64Array:
    """The lane in which each position was asked about; a body may have given all lanes one answer."""
    count = len(positions)
    return np.arange(count) if prod(lanes) == count else np.zeros(count, np.int64)
