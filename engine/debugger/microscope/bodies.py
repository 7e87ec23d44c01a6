"""Terms that a body of the program combines: the recorded frames of the op as a tree, read from its links."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...indexing.elements.element_sets import ElementSet
from ...indexing.elements.images import Work
from ..address import Address
from ..provenance import Kind, Links
from ..provenance.formulas import first_indices

MOST_NODES = 1 << 12
"""Maximum number of combinations that are listed."""

Element = tuple[Address, tuple[int, ...]]


@dataclass(frozen=True)
class Node:
    """One run of the body in one lane."""

    made: Element
    """Its result."""
    leaves: tuple[Element, ...]
    """The elements that it combines."""
    rows: tuple[int, ...]
    """The numbers of the nodes whose results it combines."""


class BodyTree:
    """The runs of a body that made elements of one result."""

    def __init__(self, links: Links, address: Address) -> None:
        self.links, self.run, self.address = links, links.run, address
        steps = links.run.steps(address.process)
        self.frames = frozenset(steps.opened_frames(address.number).tolist())
        self.number = address.path[0] if address.path else address.index

    def answers(self, index: tuple[int, ...], most: int) -> list[Element]:
        """The results of bodies that the element at `index` is made of."""
        return list(self._sources(self.address, index, Kind.INSIDE, most))

    def nodes(self, index: tuple[int, ...]) -> list[Node]:
        """The runs of the body behind the element, each after those that it needs; empty if not known."""
        roots = self.answers(index, 2)
        if len(roots) != 1:
            return []
        done: dict[Element, int] = {}
        found: list[Node] = []
        waiting = list(roots)
        while waiting:
            element = waiting[-1]
            if element in done:
                waiting.pop()
                continue
            sources = self._arguments(element)
            needed = [each for each in sources if self._is_inside(each) and each not in done]
            if not sources or len(found) + len(waiting) > MOST_NODES:
                return []
            if needed:
                waiting += needed
                continue
            done[element] = len(found)
            leaves = tuple(each for each in sources if not self._is_inside(each))
            found.append(
                Node(element, leaves, tuple(done[each] for each in sources if self._is_inside(each)))
            )
            waiting.pop()
        return found

    def _is_inside(self, element: Element) -> bool:
        return element[0].process == self.address.process and self.run.frame_of(element[0]) in self.frames

    def _arguments(self, element: Element) -> list[Element]:
        """The sources of both arguments of the run that made an element: the accumulator's, then the element's."""
        made, lane = element
        frame = self.run.frame_of(made)
        block = self.run.steps(made.process).block_of(frame)
        count = len(block.arguments) // 2
        found: list[Element] = []
        own = self.number % max(1, count)
        for number in (own, count + own):
            argument = Address(made.process, "f", frame, number)
            shape = self.run.shape(argument)
            sources = list(self._sources(argument, lane if shape else (), Kind.DATA, 2))
            if len(sources) != 1:
                return []
            found += sources
        return found

    def _sources(self, address: Address, index: tuple[int, ...], kind: Kind, most: int) -> Iterator[Element]:
        element, work = ElementSet.of_index(self.run.shape(address), index), Work()
        for link in self.links.into(address).links:
            if link.kind is kind:
                for at in first_indices(link.relation.back(element, work), most):
                    yield link.source, at
