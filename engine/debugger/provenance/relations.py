"""How the elements of a value and those of one that was made from it belong together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Protocol

import numpy as np

from ...indexing import BoundMap, IndexMap
from ...indexing.elements.element_sets import ElementSet, Shape, union_of
from ...indexing.elements.images import Work, image, plan_of
from ...indexing.evaluation import BoolArray, Int64Array, IntArray

Operands = tuple[IntArray | None, ...]


class Kind(StrEnum):
    """In which way something is read."""

    DATA = "data"
    INDEX = "index"
    """It says which elements are read."""
    CHOSEN = "chosen"
    """It says which side, which branch, or how often."""
    HANDED = "handed on"
    """The same value under another name: of a call, a region, a tuple."""
    MOVED = "moved"
    COMBINED = "combined"
    INSIDE = "inside"
    """A body that the op ran has given it."""
    OPAQUE = "opaque"


class Ways(Protocol):
    """Maps of both ways; several are a union."""

    @property
    def maps(self) -> Sequence[IndexMap]:
        """From what was made to what was read."""

    @property
    def inverse(self) -> Sequence[IndexMap]:
        """From what was read to what was made."""


class Relation(Protocol):
    """Between a value that was read and one that was made."""

    def back(self, made: ElementSet, work: Work) -> ElementSet:
        """What is read for some elements."""

    def onward(self, read: ElementSet, work: Work) -> ElementSet:
        """What is made of some elements."""


@dataclass(frozen=True)
class Same:
    """Each element is the one of the same index."""

    def back(self, made: ElementSet, work: Work) -> ElementSet:
        """The same."""
        return made

    onward = back


SAME = Same()


@dataclass(frozen=True)
class Whole:
    """Any element may belong to any."""

    read: Shape
    made: Shape

    def back(self, made: ElementSet, work: Work) -> ElementSet:
        """Everything."""
        return ElementSet.full(self.read) if made else ElementSet.empty(self.read)

    def onward(self, read: ElementSet, work: Work) -> ElementSet:
        """Everything."""
        return ElementSet.full(self.made) if read else ElementSet.empty(self.made)


@dataclass(frozen=True)
class Mapped:
    """As index maps say. `operands` gives what their runtime variables are read from."""

    read: Shape
    made: Shape
    ways: Ways
    operands: Callable[[], Operands]

    def back(self, made: ElementSet, work: Work) -> ElementSet:
        """By the maps from result to operand."""
        return self._image(self.ways.maps, made, self.read, work)

    def onward(self, read: ElementSet, work: Work) -> ElementSet:
        """By the maps from operand to result."""
        return self._image(self.ways.inverse, read, self.made, work)

    def _image(self, maps: Sequence[IndexMap], elements: ElementSet, shape: Shape, work: Work) -> ElementSet:
        found = [
            plan_of(each, shape).image(elements, self.operands() if each.runtimes else (), work)
            for each in maps
        ]
        return union_of(found) if found else ElementSet.empty(shape)


@dataclass(frozen=True, eq=False)
class Where:
    """Each element is the one of the same index, where `mask`, broadcast to the shape, is true."""

    shape: Shape
    mask: Callable[[], BoolArray]

    def back(self, made: ElementSet, work: Work) -> ElementSet:
        """The same, as far as the mask goes."""
        return made.intersection(self._chosen)

    onward = back

    @cached_property
    def _chosen(self) -> ElementSet:
        return ElementSet.of_mask(self.shape, np.broadcast_to(self.mask(), self.shape))


@dataclass(frozen=True, eq=False)
class Table:
    """Some elements that were made are single elements of what was read, as they are: row-major positions of both."""

    read: Shape
    made: Shape
    sources: Int64Array
    targets: Int64Array
    """Ascending."""

    def back(self, made: ElementSet, work: Work) -> ElementSet:
        """By the table."""
        return ElementSet.of_positions(self.read, self.sources[_among(self.targets, made)])

    def onward(self, read: ElementSet, work: Work) -> ElementSet:
        """By the table."""
        return ElementSet.of_positions(self.made, self.targets[_among(self.sources, read)])


def _among(positions: Int64Array, elements: ElementSet) -> BoolArray:
    """Which of some positions are those of elements."""
    if len(positions) * _FEW < elements.size and elements.count * _FEW < elements.size:
        return np.isin(positions, elements.to_positions())
    return elements.to_mask()[positions]


_FEW = 16
"""A mask of the whole tensor is made unless it has so many times more elements."""


@dataclass(frozen=True, eq=False)
class Through:
    """By way of a third tensor, of which elements were read for both."""

    first: Relation
    """Between it and what was read."""
    second: Relation
    """Between it and what was made."""

    def back(self, made: ElementSet, work: Work) -> ElementSet:
        """What was read of the same elements."""
        return self.first.onward(self.second.back(made, work), work)

    def onward(self, read: ElementSet, work: Work) -> ElementSet:
        """What was made of the same elements."""
        return self.second.onward(self.first.back(read, work), work)


@dataclass(frozen=True, eq=False)
class Chained:
    """What was read goes into a third tensor, of which what was made takes its elements."""

    first: Relation
    """Between what was read and it."""
    second: Relation
    """Between it and what was made."""

    def back(self, made: ElementSet, work: Work) -> ElementSet:
        """One after the other."""
        return self.first.back(self.second.back(made, work), work)

    def onward(self, read: ElementSet, work: Work) -> ElementSet:
        """One after the other."""
        return self.second.onward(self.first.onward(read, work), work)


class LastImage:
    """The last image that was asked for."""

    def __init__(self) -> None:
        self._known: tuple[object, ElementSet, ElementSet] | None = None

    def get(self, key: object, elements: ElementSet, make: Callable[[], ElementSet]) -> ElementSet:
        """That of `elements`, made if it was another."""
        if self._known is None or self._known[0] != key or self._known[1] is not elements:
            self._known = key, elements, make()
        return self._known[2]


@dataclass(frozen=True)
class Placed:
    """As maps say that tell the place of a process as their last result, which has to be a certain one."""

    read: Shape
    made: Shape
    ways: Ways
    operands: tuple[Callable[[], Operands], Callable[[], Operands]]
    """Of the process that makes, for the maps, and of the one whose value is read, for the inverse ones."""
    who: tuple[tuple[int, int], tuple[int, int]]
    """These two, and the steps at which they meet."""
    places: tuple[int, int]
    """The place of the process that is read among those that the other met, and the other way round."""
    counts: tuple[int, int]
    last: LastImage
    """Of all processes together, which the relations to the others have in common."""

    def back(self, made: ElementSet, work: Work) -> ElementSet:
        """What is read of this process."""
        return self._image(0, self.ways.maps, made, self.read, work)

    def onward(self, read: ElementSet, work: Work) -> ElementSet:
        """What is made in this process."""
        return self._image(1, self.ways.inverse, read, self.made, work)

    def _image(
        self, way: int, maps: Sequence[IndexMap], elements: ElementSet, shape: Shape, work: Work
    ) -> ElementSet:
        whole = (*shape, self.counts[way])

        def make() -> ElementSet:
            bound = [BoundMap(each, self.operands[way]()) for each in maps]
            found = [image(each, elements, whole, work) for each in bound]
            return union_of(found) if found else ElementSet.empty(whole)

        key = (self.who[way], maps, whole)
        return at_place(self.last.get(key, elements, make), self.places[way])


def at_place(elements: ElementSet, place: int) -> ElementSet:
    """Those whose last coordinate is `place`, without it."""
    shape = elements.shape[:-1]
    if elements.boxes is not None:
        return ElementSet(shape, tuple(box[:-1] for box in elements.boxes if place in box[-1]))
    positions = elements.to_positions()
    count = elements.shape[-1]
    return ElementSet.of_positions(shape, positions[positions % count == place] // count)
