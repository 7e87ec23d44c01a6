"""What decides which elements a body is handed: indices, what windows choose, and what it has said before.

A lane of a body stands for something that stays: an element of a scatter's input, or a window. What could have
brought another value there decides what the body is handed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...indexing.elements.element_sets import ElementSet, Shape
from ...indexing.elements.images import Work
from ...indexing.evaluation import BoolArray, Int64Array
from ...ops.op import Op
from ...ops.scatter import Scatter
from ...ops.scatter_rounds import Rounds
from ...ops.select_and_scatter import SelectAndScatter
from ..address import Address
from .deciding import Fixed, rows_that_could_reach
from .link import Link
from .relations import Chained, Kind, Mapped, Relation, Table, Whole


@dataclass(frozen=True, eq=False)
class Decider:
    """Something read, and how its elements belong to those of `shape` that choices are about."""

    source: Address
    read: Shape
    operand: int | None
    relation: Relation
    shape: Shape
    words: str

    @cached_property
    def _touched(self) -> BoolArray:
        """The elements about which it decides at all."""
        return self.relation.onward(ElementSet.full(self.read), Work()).to_mask().reshape(-1)

    def handed(self, argument: Address, made: Shape, about: Int64Array) -> Iterator[Link]:
        """To an argument whose lanes are about some elements; nothing if it decides about none of them."""
        if not self._touched[about].any():
            return
        relation: Relation = Whole((), ())
        if self.read or made:
            lanes = np.arange(len(about)) if made else np.zeros(len(about), np.int64)
            relation = Chained(self.relation, Table(self.shape, made, about, lanes))
        yield Link(self.source, argument, Kind.CHOSEN, relation, self.operand, self.words)


def placing_operand(op: Op, addresses: Sequence[Address]) -> Decider | None:
    """The operand that says, without the body, where values go."""
    words = "decides where values go"
    if isinstance(op, Scatter):
        number = len(op.inputs)
        could = rows_that_could_reach(op, number)
        assert could is not None
        return Decider(addresses[number], could.read, number, could, op.inputs[0].sizes, words)
    if isinstance(op, SelectAndScatter):
        shape = op.operand.sizes
        back, onward = (
            [item.map for item in maps if item.operand == 0]
            for maps in (op.index_maps(), op.inverse_index_maps())
        )
        return Decider(addresses[0], shape, 0, Mapped(shape, shape, Fixed(back, onward), tuple), shape, words)
    return None


def cells_of(state: object) -> Int64Array | None:
    """The elements that the lanes of a scatter's round are about."""
    return state.cells[: len(state.current[0])] if isinstance(state, Rounds) else None
