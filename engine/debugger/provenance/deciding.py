"""Decisions about which elements are read or written, beyond those actually read or written.

A lane of a body represents a fixed object: an element of a scatter's input, or a window. Whatever could have
brought another value there decides what the body receives: indices, window choices, earlier answers of the body.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from ...indexing import IndexMap
from ...indexing.elements.boxes import Shape
from ...indexing.elements.element_sets import ElementSet
from ...indexing.elements.images import Work
from ...indexing.evaluation.array_values import BoolArray, Int64Array
from ...ops.core.bases import Selecting
from ...ops.core.facets import Decision, Placing
from ...ops.core.op import Op
from ..address import Address
from .link import Link
from .relations import Chained, Kind, Mapped, Operands, Relation, Table, Through, Where, Whole


@dataclass(frozen=True)
class Fixed:
    """Fixed maps in both directions."""

    maps: Sequence[IndexMap]
    inverse: Sequence[IndexMap]


def placement(placing: Placing) -> Mapped:
    """Relation of an index operand to the elements that may gain or lose a value by it."""
    return Mapped(placing.read, placing.shape, Fixed(placing.back, placing.onward), tuple)


def separate_placement(op: Op, operand: int) -> Mapped | None:
    """The relation of an index operand that an op's own maps omit; `None` for all others."""
    placing = op.tracing.placement(op) if op.tracing.places_apart else None
    return placement(placing) if placing is not None and placing.operand == operand else None


def choice_relation(
    op: Op, operand: int, made: Shape, operands: Callable[[], Operands], relation: Relation
) -> Relation:
    """The relation to a selectable operand: `relation` where the predicate selects it."""
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
    """The relation of a body's answers, of shape `read`, to the elements that they decide about."""
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
    """The lane of each position; a body may have one answer for all lanes."""
    count = len(positions)
    return np.arange(count) if prod(lanes) == count else np.zeros(count, np.int64)


@dataclass(frozen=True, eq=False)
class Decider:
    """A value that decides which elements are chosen, and the relation of its elements to these."""

    source: Address
    read: Shape
    operand: int | None
    relation: Relation
    shape: Shape
    words: str

    @cached_property
    def _touched(self) -> BoolArray:
        """The elements that it decides about."""
        return self.relation.onward(ElementSet.full(self.read), Work()).to_mask().reshape(-1)

    def links(self, argument: Address, made: Shape, about: Int64Array) -> Iterator[Link]:
        """Links to an argument with lanes for `about`; empty if the value decides none of them."""
        if not self._touched[about].any():
            return
        relation: Relation = Whole((), ())
        if self.read or made:
            lanes = np.arange(len(about)) if made else np.zeros(len(about), np.int64)
            relation = Chained(self.relation, Table(self.shape, made, about, lanes))
        yield Link(self.source, argument, Kind.CHOSEN, relation, self.operand, self.words)


def placing_operand(op: Op, addresses: Sequence[Address]) -> Decider | None:
    """The operand that determines targets without the body."""
    found = op.tracing.placement(op)
    if found is None:
        return None
    source, words = addresses[found.operand], "decides where values go"
    return Decider(source, found.read, found.operand, placement(found), found.shape, words)
