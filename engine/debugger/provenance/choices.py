"""What decides which elements a body is given: indices, what windows choose, and what it has said before.

A lane of a body stands for something that stays: an element of a scatter's input, or a window. What could have
brought another value there decides what the body is given.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...indexing.elements.boxes import Shape
from ...indexing.elements.element_sets import ElementSet
from ...indexing.elements.images import Work
from ...indexing.evaluation.array_values import BoolArray, Int64Array
from ...ops.core.op import Op
from ..address import Address
from .deciding import placement
from .link import Link
from .relations import Chained, Kind, Relation, Table, Whole


@dataclass(frozen=True, eq=False)
class Decider:
    """A value that decides which elements are chosen: how its elements belong to those, of `shape`, that are
    chosen.
    """

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

    def links(self, argument: Address, made: Shape, about: Int64Array) -> Iterator[Link]:
        """Links to an argument whose lanes are about the elements `about`; none if the value decides about none
        of them.
        """
        if not self._touched[about].any():
            return
        relation: Relation = Whole((), ())
        if self.read or made:
            lanes = np.arange(len(about)) if made else np.zeros(len(about), np.int64)
            relation = Chained(self.relation, Table(self.shape, made, about, lanes))
        yield Link(self.source, argument, Kind.CHOSEN, relation, self.operand, self.words)


def placing_operand(op: Op, addresses: Sequence[Address]) -> Decider | None:
    """The operand that says, without the body, where values go."""
    found = op.placement()
    if found is None:
        return None
    source, words = addresses[found.operand], "decides where values go"
    return Decider(source, found.read, found.operand, placement(found), found.shape, words)
