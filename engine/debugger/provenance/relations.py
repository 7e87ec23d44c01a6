"""Relations between the elements of a value and those of a value made from it."""

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
    """The role of a link's source."""

    DATA = "data"
    INDEX = "index"
    """The source determines which elements are read."""
    CHOSEN = "chosen"
    """The source determines a side, a branch, or a number of iterations."""
    FORWARDED = "forwarded"
    """The same value under another name, through a call, a region or a tuple."""
    MOVED = "moved"
    COMBINED = "combined"
    INSIDE = "inside"
    """A result of a body that the op ran."""
    OPAQUE = "opaque"


class Ways(Protocol):
    """Maps in both directions; several form a union."""

    @property
    def maps(self) -> Sequence[IndexMap]:
        """Maps from the value made to the value read."""

    @property
    def inverse(self) -> Sequence[IndexMap]:
        """Maps from the value read to the value made."""


class Relation(Protocol):
    """The relation between a value read and a value made."""

    def back(self, made: ElementSet, work: Work) -> ElementSet:
        """The source elements that were read for the target elements `made`."""

    def onward(self, read: ElementSet, work: Work) -> ElementSet:
        """The target elements that were made from the source elements `read`."""


@dataclass(frozen=True)
class Same:
    """Each element is that of the same index."""

    def back(self, made: ElementSet, work: Work) -> ElementSet:
        """The elements of the same indices."""
        return made

    onward = back


SAME = Same()


@dataclass(frozen=True)
class Whole:
    """Every target element may depend on every source element."""

    read: Shape
    made: Shape

    def back(self, made: ElementSet, work: Work) -> ElementSet:
        """All source elements, if there is any target element."""
        return ElementSet.full(self.read) if made else ElementSet.empty(self.read)

    def onward(self, read: ElementSet, work: Work) -> ElementSet:
        """All target elements, if there is any source element."""
        return ElementSet.full(self.made) if read else ElementSet.empty(self.made)


@dataclass(frozen=True)
class Mapped:
    """A relation by index maps; `operands` provide the values of their runtime variables."""

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
    """Each element is that of the same index where `mask`, broadcast to the shape, is true."""

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
    """Target elements that copy single source elements: flat positions of both."""

    read: Shape
    made: Shape
    sources: Int64Array
    targets: Int64Array
    """Ascending."""

    def back(self, made: ElementSet, work: Work) -> ElementSet:
        """The source positions of the target elements `made`."""
        return ElementSet.of_positions(self.read, self.sources[_among(self.targets, made)])

    def onward(self, read: ElementSet, work: Work) -> ElementSet:
        """The target positions of the source elements `read`."""
        return ElementSet.of_positions(self.made, self.targets[_among(self.sources, read)])


def _among(positions: Int64Array, elements: ElementSet) -> BoolArray:
    """Whether each flat position belongs to `elements`."""
    if len(positions) * _FEW < elements.size and elements.count * _FEW < elements.size:
        return np.isin(positions, elements.to_positions())
    return elements.to_mask()[positions]


_FEW = 16
"""Ratio of sizes above which a mask of the whole tensor is avoided."""


@dataclass(frozen=True, eq=False)
class Through:
    """Two values related by reading the same elements of a third tensor."""

    first: Relation
    """Relation of the third tensor to the source."""
    second: Relation
    """Relation of the third tensor to the target."""

    def back(self, made: ElementSet, work: Work) -> ElementSet:
        """The source elements for which the same elements of the third tensor were read."""
        return self.first.onward(self.second.back(made, work), work)

    def onward(self, read: ElementSet, work: Work) -> ElementSet:
        """The target elements for which the same elements of the third tensor were read."""
        return self.second.onward(self.first.back(read, work), work)


@dataclass(frozen=True, eq=False)
class Chained:
    """The source goes into a third tensor, from which the target takes its elements."""

    first: Relation
    """Relation of the source to the third tensor."""
    second: Relation
    """Relation of the third tensor to the target."""

    def back(self, made: ElementSet, work: Work) -> ElementSet:
        """The source elements, through the third tensor."""
        return self.first.back(self.second.back(made, work), work)

    def onward(self, read: ElementSet, work: Work) -> ElementSet:
        """The target elements, through the third tensor."""
        return self.second.onward(self.first.onward(read, work), work)


class LastImage:
    """Cache of the latest image."""

    def __init__(self) -> None:
        self._known: tuple[object, ElementSet, ElementSet] | None = None

    def get(self, key: object, elements: ElementSet, make: Callable[[], ElementSet]) -> ElementSet:
        """The image of `elements`: the cached one if it matches, else computed by `make`."""
        if self._known is None or self._known[0] != key or self._known[1] is not elements:
            self._known = key, elements, make()
        return self._known[2]


@dataclass(frozen=True)
class Placed:
    """A relation by maps whose last result is a process position: only that of `place` counts."""

    read: Shape
    made: Shape
    ways: Ways
    operands: tuple[Callable[[], Operands], Callable[[], Operands]]
    """Operands of the making process for the maps, and of the other for the inverse maps."""
    who: tuple[tuple[int, int], tuple[int, int]]
    """Both processes and their steps."""
    places: tuple[int, int]
    """Positions of each process among the participants of the other."""
    counts: tuple[int, int]
    last: LastImage
    """The cached image over all processes, which all these relations share."""

    def back(self, made: ElementSet, work: Work) -> ElementSet:
        """The source elements that this process provides."""
        return self._image(0, self.ways.maps, made, self.read, work)

    def onward(self, read: ElementSet, work: Work) -> ElementSet:
        """The target elements that this process makes."""
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
    """Elements whose last coordinate is `place`, without that coordinate."""
    shape = elements.shape[:-1]
    if elements.boxes is not None:
        return ElementSet(shape, tuple(box[:-1] for box in elements.boxes if place in box[-1]))
    positions = elements.to_positions()
    count = elements.shape[-1]
    return ElementSet.of_positions(shape, positions[positions % count == place] // count)
