"""How the elements of a value and those of one that was made from it belong together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Protocol

import numpy as np

from ...indexing import BoundMap, IndexMap
from ...indexing.elements.boxes import Shape
from ...indexing.elements.element_sets import ElementSet, union_of
from ...indexing.elements.images import Work, image, plan_of
from ...indexing.evaluation.array_values import BoolArray, Int64Array
from ...indexing.evaluation.bound_map import IntArray

Operands = tuple[IntArray | None, ...]


class Kind(StrEnum):
    """How the source of a link took part in making its target."""

    DATA = "data"
    INDEX = "index"
    """It says which elements are read."""
    CHOSEN = "chosen"
    """It says which side, which branch, or how often."""
    FORWARDED = "forwarded"
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
        """The maps from the value that was made to the one that was read."""

    @property
    def inverse(self) -> Sequence[IndexMap]:
        """The maps from the value that was read to the one that was made."""


class Relation(Protocol):
    """Between a value that was read and one that was made."""

    def back(self, made: ElementSet, work: Work) -> ElementSet:
        """The elements of the source that were read for the elements `made` of the target."""

    def onward(self, read: ElementSet, work: Work) -> ElementSet:
        """The elements of the target that were made from the elements `read` of the source."""


@dataclass(frozen=True)
class Same:
    """Each element is the one of the same index."""

    def back(self, made: ElementSet, work: Work) -> ElementSet:
        """The elements of the same indices."""
        return made

    onward = back


SAME = Same()


@dataclass(frozen=True)
class Whole:
    """Every element of the target may depend on every element of the source."""

    read: Shape
    made: Shape

    def back(self, made: ElementSet, work: Work) -> ElementSet:
        """All elements of the source, if there is any element of the target."""
        return ElementSet.full(self.read) if made else ElementSet.empty(self.read)

    def onward(self, read: ElementSet, work: Work) -> ElementSet:
        """All elements of the target, if there is any element of the source."""
        return ElementSet.full(self.made) if read else ElementSet.empty(self.made)


@dataclass(frozen=True)
class Mapped:
    """The relation that index maps state. `operands` gives the values of their runtime variables."""

    read: Shape
    made: Shape
    ways: Ways
    operands: Callable[[], Operands]

    def back(self, made: ElementSet, work: Work) -> ElementSet:
        """The image of `made` under the maps from result to operand."""
        return self._image(self.ways.maps, made, self.read, work)

    def onward(self, read: ElementSet, work: Work) -> ElementSet:
        """The image of `read` under the maps from operand to result."""
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
        """The elements of the same indices at which the mask is true."""
        return made.intersection(self._chosen)

    onward = back

    @cached_property
    def _chosen(self) -> ElementSet:
        return ElementSet.of_mask(self.shape, np.broadcast_to(self.mask(), self.shape))


@dataclass(frozen=True, eq=False)
class Table:
    """Elements of the target that are copies of single elements of the source: row-major positions of both."""

    read: Shape
    made: Shape
    sources: Int64Array
    targets: Int64Array
    """Ascending."""

    def back(self, made: ElementSet, work: Work) -> ElementSet:
        """The source positions that the table has for the elements `made`."""
        return ElementSet.of_positions(self.read, self.sources[_among(self.targets, made)])

    def onward(self, read: ElementSet, work: Work) -> ElementSet:
        """The target positions that the table has for the elements `read`."""
        return ElementSet.of_positions(self.made, self.targets[_among(self.sources, read)])


def _among(positions: Int64Array, elements: ElementSet) -> BoolArray:
    """Which of the row-major `positions` are those of `elements`, as booleans."""
    if len(positions) * _FEW < elements.size and elements.count * _FEW < elements.size:
        return np.isin(positions, elements.to_positions())
    return elements.to_mask()[positions]


_FEW = 16
"""A mask of the whole tensor is made unless it has so many times more elements."""


@dataclass(frozen=True, eq=False)
class Through:
    """Two values for which the same elements of a third tensor were read."""

    first: Relation
    """Between it and what was read."""
    second: Relation
    """Between it and what was made."""

    def back(self, made: ElementSet, work: Work) -> ElementSet:
        """The elements of the source for which the same elements of the third tensor were read."""
        return self.first.onward(self.second.back(made, work), work)

    def onward(self, read: ElementSet, work: Work) -> ElementSet:
        """The elements of the target for which the same elements of the third tensor were read."""
        return self.second.onward(self.first.back(read, work), work)


@dataclass(frozen=True, eq=False)
class Chained:
    """The source goes into a third tensor, and the target takes its elements from that."""

    first: Relation
    """Between what was read and it."""
    second: Relation
    """Between it and what was made."""

    def back(self, made: ElementSet, work: Work) -> ElementSet:
        """The elements of the source, by way of the third tensor."""
        return self.first.back(self.second.back(made, work), work)

    def onward(self, read: ElementSet, work: Work) -> ElementSet:
        """The elements of the target, by way of the third tensor."""
        return self.second.onward(self.first.onward(read, work), work)


class LastImage:
    """The image that was computed last, so that asking for it again costs nothing."""

    def __init__(self) -> None:
        self._known: tuple[object, ElementSet, ElementSet] | None = None

    def get(self, key: object, elements: ElementSet, make: Callable[[], ElementSet]) -> ElementSet:
        """The image of `elements`: the last one if it was theirs, else what `make` computes."""
        if self._known is None or self._known[0] != key or self._known[1] is not elements:
            self._known = key, elements, make()
        return self._known[2]


@dataclass(frozen=True)
class Placed:
    """As index maps whose last result is the place of a process: only elements with the place `place` belong
    together.
    """

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
        """The elements of the source that are read in this process."""
        return self._image(0, self.ways.maps, made, self.read, work)

    def onward(self, read: ElementSet, work: Work) -> ElementSet:
        """The elements of the target that are made in this process."""
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
    """The elements whose last coordinate is `place`, with that coordinate dropped."""
    shape = elements.shape[:-1]
    if elements.boxes is not None:
        return ElementSet(shape, tuple(box[:-1] for box in elements.boxes if place in box[-1]))
    positions = elements.to_positions()
    count = elements.shape[-1]
    return ElementSet.of_positions(shape, positions[positions % count == place] // count)
