"""Walks from some elements of a value: one step or all the way, back to inputs or on to results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from time import perf_counter

from ...indexing.elements.element_sets import ElementSet, union_of
from ...indexing.elements.images import OutOfWork, Work
from ..address import Address
from .link import End, Link
from .links import Links
from .onward import Onward
from .relations import Kind

SECONDS = 2.0
"""So long a walk goes on, unless it is told otherwise."""
NODES = 200_000


@dataclass(slots=True)
class Node:
    """Elements of a value that a walk came by, in the order in which it did."""

    address: Address
    elements: ElementSet
    ends: list[tuple[End, str]] = field(default_factory=list)
    """Why the way back ends here, or is not known exactly, with a sentence."""
    outputs: list[int] = field(default_factory=list)
    """The results of the process's function that it is, walking on."""


@dataclass(slots=True)
class Edge:
    """Elements of one value that were read for those of another."""

    read: Address
    made: Address
    kind: Kind
    operand: int | None
    words: str
    elements: ElementSet
    """Of the value that was read, walking back; of the one that was made, walking on."""


EdgeKey = tuple[Address, Address, Kind, int | None, str]


@dataclass
class Walk:
    """Where a walk came by."""

    nodes: dict[Address, Node] = field(default_factory=dict)
    edges: dict[EdgeKey, Edge] = field(default_factory=dict)
    waiting: dict[Address, ElementSet] = field(default_factory=dict)
    """What is known to be on the way and was not looked at, since the walk has stopped: what comes next, first."""
    complete: bool = True
    reason: str = ""
    """Why it is not complete, as a sentence."""

    def elements(self, address: Address) -> ElementSet | None:
        """Those of a value, if the walk came by."""
        found = self.nodes.get(address)
        return found.elements if found else None

    def ended(self, end: End) -> Iterator[Node]:
        """The nodes at which the way back ends in some way."""
        return (node for node in self.nodes.values() if any(kind is end for kind, _ in node.ends))

    def lacks(self, reason: str) -> None:
        """Say why it is not complete."""
        if reason not in self.reason:
            self.reason = f"{self.reason} {reason}".strip()
        self.complete = False


@dataclass(frozen=True)
class Budget:
    """How far a walk may go."""

    seconds: float = SECONDS
    nodes: int = NODES
    steps: int | None = None
    """How many links away; `None` for all the way."""


def step_back(links: Links, address: Address, elements: ElementSet) -> Walk:
    """What elements were made from, one step away."""
    return walk_back(links, address, elements, Budget(steps=1))


def step_forward(links: Links, address: Address, elements: ElementSet) -> Walk:
    """What was made of elements, one step away."""
    return walk_forward(links, address, elements, Budget(steps=1))


def walk_back(links: Links, address: Address, elements: ElementSet, budget: Budget = Budget()) -> Walk:
    """All that elements were made from; what was made last comes first."""
    return Walking(links, address, elements, budget, forward=False).on()


def walk_forward(links: Links, address: Address, elements: ElementSet, budget: Budget = Budget()) -> Walk:
    """All that was made of elements; what was made first comes first."""
    return Walking(links, address, elements, budget, forward=True).on()


class Walking:
    """A walk that can be gone on with where it has stopped.

    It takes the values in the order in which they were made, so that each comes up once, with all its elements.
    """

    def __init__(
        self, links: Links, address: Address, elements: ElementSet, budget: Budget, *, forward: bool
    ) -> None:
        self.links, self.run, self.budget, self.forward = links, links.run, budget, forward
        self.run.refresh()
        self.onward = Onward(links)
        self.found = Walk()
        self.gaps: dict[str, None] = {}
        """Sentences on what is left out, and would be again."""
        self.waiting: dict[Address, list[ElementSet]] = {}
        self.queue: list[tuple[int, int, Address]] = []
        self.tickets = count()
        self.distance: dict[Address, int] = {}
        self._wait(address, elements, 0)

    def on(self) -> Walk:
        """From where it has stopped, for as long as the budget says once more."""
        found = self.found
        found.complete, found.reason = True, ""
        deadline = perf_counter() + self.budget.seconds
        while self.waiting:
            if len(found.nodes) >= self.budget.nodes:
                found.lacks(f"There are more than {self.budget.nodes:,} values on the way.")
                break
            _, _, current = heappop(self.queue)
            if current in self.waiting:
                self._visit(current)
            if self.waiting and perf_counter() > deadline:
                found.lacks(f"After {self.budget.seconds:g} s there is more to look at.")
                break
        for gap in self.gaps:
            found.lacks(gap)
        order = [address for _, _, address in sorted(self.queue) if address in self.waiting]
        found.waiting = {address: union_of(self.waiting[address]) for address in order}
        return found

    def _wait(self, address: Address, elements: ElementSet, distance: int) -> None:
        if address not in self.waiting:
            self.waiting[address] = []
            key = self.run.steps(address.process).made_at(address)
            heappush(self.queue, (key if self.forward else -key, next(self.tickets), address))
        self.waiting[address].append(elements)
        self.distance.setdefault(address, distance)

    def _visit(self, address: Address) -> None:
        elements = union_of(self.waiting.pop(address))
        known = self.found.nodes.get(address)
        if known is None:
            known = self.found.nodes[address] = Node(address, elements)
        else:
            elements = elements.difference(known.elements)
            known.elements = known.elements.union(elements)
        if not elements or self.distance[address] == self.budget.steps:
            if not self.forward and elements:
                self._end(known)
            return
        if self.forward:
            known.outputs = self.onward.outputs(address)
            self._follow(elements, self.onward.links(address))
            self.gaps.update(dict.fromkeys(self.onward.left_out))
            return
        into = self.links.into(address)
        if into.left_out:
            self.gaps[into.left_out] = None
        if into.end is not None and not known.ends:
            known.ends.append((into.end, into.reason))
        self._follow(elements, into.links)

    def _end(self, node: Node) -> None:
        """At the edge of what was asked for: whether the way would end here anyway."""
        into = self.links.into(node.address)
        if into.end is not None:
            node.ends.append((into.end, into.reason))

    def _follow(self, elements: ElementSet, links: Iterable[Link]) -> None:
        for link in links:
            relation, there = link.relation, link.target if self.forward else link.source
            try:
                found = (relation.onward if self.forward else relation.back)(elements, Work())
            except OutOfWork:
                self.gaps[
                    f"Of {self._name(link)} too many elements would have to be looked at one by one."
                ] = None
                continue
            if found:
                self._note(link, found)
                here = link.source if self.forward else link.target
                self._wait(there, found, self.distance[here] + 1)

    def _name(self, link: Link) -> str:
        address = link.target if self.forward else link.source
        return self.run.program.values[self.run.value_number(address)].name

    def _note(self, link: Link, elements: ElementSet) -> None:
        key = (link.source, link.target, link.kind, link.operand, link.words)
        known = self.found.edges.get(key)
        if known is None:
            self.found.edges[key] = Edge(*key, elements)
        else:
            known.elements = known.elements.union(elements)


class Unfinished(Exception):
    """It takes too long to say; the message is a sentence."""


def path_between(
    links: Links,
    address: Address,
    elements: ElementSet,
    to: Address,
    wanted: ElementSet,
    seconds: float = SECONDS,
) -> list[tuple[Address, ElementSet]] | None:
    """One chain of single elements from one of `elements` back to one of `wanted`; `None` if there is none.

    `Unfinished` if none was found, and not all was looked at.
    """
    walk = walk_back(links, address, elements, Budget(seconds))
    there = walk.elements(to) is not None
    found = _Chaining(links, walk, to, wanted).chain(address, elements) if there else None
    if found is None and not walk.complete:
        raise Unfinished(walk.reason)
    return found


class _Chaining:
    """Goes on from the wanted element, always to what is on the way that the walk back has found."""

    def __init__(self, links: Links, walk: Walk, to: Address, wanted: ElementSet) -> None:
        self.links, self.walk, self.to, self.wanted = links, walk, to, wanted

    def chain(self, address: Address, elements: ElementSet) -> list[tuple[Address, ElementSet]] | None:
        """The chain, what was made last first."""
        reached = self._reached()
        start = reached.get(address)
        if start is None or not start.intersection(elements):
            return None
        found = [(address, _first(start.intersection(elements)))]
        while found[-1][0] != self.to:
            here, element = found[-1]
            following = self._before(here, element, reached)
            if following is None:
                return None
            found.append(following)
        return found

    def _reached(self) -> dict[Address, ElementSet]:
        """What the wanted elements went into, of the values that the walk has come by, in the order of making."""
        steps = self.links.run.steps
        reached = {self.to: self.wanted.intersection(self.walk.nodes[self.to].elements)}
        order = sorted(self.walk.nodes, key=lambda a: steps(a.process).made_at(a))
        work = Work()
        for made in order:
            parts = [
                link.relation.onward(reached[link.source], work)
                for link in self.links.into(made).links
                if link.source in reached
            ]
            parts = [part for part in parts if part]
            if parts:
                found = union_of(parts).intersection(self.walk.nodes[made].elements)
                if found:
                    reached[made] = found.union(reached[made]) if made in reached else found
        return reached

    def _before(
        self, here: Address, element: ElementSet, reached: dict[Address, ElementSet]
    ) -> tuple[Address, ElementSet] | None:
        work = Work()
        for link in self.links.into(here).links:
            if link.source in reached:
                found = link.relation.back(element, work).intersection(reached[link.source])
                if found:
                    return link.source, _first(found)
        return None


def _first(elements: ElementSet) -> ElementSet:
    """One element of them."""
    if elements.boxes:
        return ElementSet.of_index(elements.shape, [numbers[0] for numbers in elements.boxes[0]])
    return ElementSet.of_positions(elements.shape, elements.to_positions()[:1])
