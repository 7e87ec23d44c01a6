"""Walks from elements of a value: one step or all the way, backwards or forwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from time import perf_counter

from ...indexing.elements.element_sets import ElementSet, union_of
from ...indexing.elements.images import OutOfWork, Work
from ...ir.types import TensorType
from ...ops.core.ranks import INFINITE, NAN, is_inexact, ranks_of
from ..address import Address
from ..outcome_addresses import outcome_address
from .link import End, Link
from .links import Links
from .onward import Onward
from .relations import Kind

SECONDS = 2.0
"""Default time limit of a walk."""
NODES = 200_000


@dataclass(slots=True)
class Node:
    """Elements of a value that a walk visited, in order."""

    address: Address
    elements: ElementSet
    ends: list[tuple[End, str]] = field(default_factory=list)
    """Reasons why provenance ends or is not exact here, with a sentence."""
    outputs: list[int] = field(default_factory=list)
    """The function results that it is, in a forward walk."""


@dataclass(slots=True)
class Edge:
    """Elements of one value that were read for those of another."""

    read: Address
    made: Address
    kind: Kind
    operand: int | None
    words: str
    elements: ElementSet
    """Elements of the value read (backwards) or made (forwards)."""


EdgeKey = tuple[Address, Address, Kind, int | None, str]


@dataclass
class Walk:
    """The values that a walk reached, with their elements and links."""

    nodes: dict[Address, Node] = field(default_factory=dict)
    edges: dict[EdgeKey, Edge] = field(default_factory=dict)
    waiting: dict[Address, ElementSet] = field(default_factory=dict)
    """Known values that the walk has not visited because it stopped, next one first."""
    complete: bool = True
    reason: str = ""
    """A sentence if the walk is incomplete."""

    def elements(self, address: Address) -> ElementSet | None:
        """The reached elements of a value; `None` if there are none."""
        found = self.nodes.get(address)
        return found.elements if found else None

    def end_nodes(self, end: End) -> Iterator[Node]:
        """The nodes at which provenance ends for the reason `end`."""
        return (node for node in self.nodes.values() if any(kind is end for kind, _ in node.ends))

    def note_incomplete(self, reason: str) -> None:
        """Record why the walk is incomplete."""
        if reason not in self.reason:
            self.reason = f"{self.reason} {reason}".strip()
        self.complete = False


@dataclass(frozen=True)
class Budget:
    """Limits of a walk: seconds, nodes and distance."""

    seconds: float = SECONDS
    nodes: int = NODES
    steps: int | None = None
    """Maximum distance in links; `None` means no limit."""


Only = Callable[[Address], ElementSet]
"""The elements of a value that a walk may visit."""


def step_back(links: Links, address: Address, elements: ElementSet) -> Walk:
    """Walk one step back, to the values that elements were made from."""
    return walk_back(links, address, elements, Budget(steps=1))


def step_forward(links: Links, address: Address, elements: ElementSet) -> Walk:
    """Walk one step forward, to the values made from elements."""
    return walk_forward(links, address, elements, Budget(steps=1))


def walk_back(
    links: Links,
    address: Address,
    elements: ElementSet,
    budget: Budget = Budget(),
    only: Only | None = None,
) -> Walk:
    """Walk back to everything that elements were made from, latest values first."""
    return Walking(links, address, elements, budget, forward=False, only=only).on()


def walk_forward(links: Links, address: Address, elements: ElementSet, budget: Budget = Budget()) -> Walk:
    """Walk forward to everything made from elements, earliest values first."""
    return Walking(links, address, elements, budget, forward=True).on()


class Walking:
    """A walk that can be continued.

    It visits values in the order of their creation, so that each one is visited once, with all its elements.
    """

    def __init__(
        self,
        links: Links,
        address: Address,
        elements: ElementSet,
        budget: Budget,
        *,
        forward: bool,
        only: Only | None = None,
    ) -> None:
        """Set up a walk; `only` restricts the elements to visit, except those at the start."""
        self.links, self.run, self.budget, self.forward, self.only = links, links.run, budget, forward, only
        self.run.refresh()
        self.onward = Onward(links)
        self.found = Walk()
        self.gaps: dict[str, None] = {}
        """Sentences on permanent gaps."""
        self.waiting: dict[Address, list[ElementSet]] = {}
        self.queue: list[tuple[int, int, Address]] = []
        self.tickets = count()
        self.distance: dict[Address, int] = {}
        self._wait(address, elements, 0)

    def on(self) -> Walk:
        """Continue the walk with the same budget again, and return the whole walk."""
        found = self.found
        found.complete, found.reason = True, ""
        deadline = perf_counter() + self.budget.seconds
        while self.waiting:
            if len(found.nodes) >= self.budget.nodes:
                found.note_incomplete(f"There are more than {self.budget.nodes:,} values on the way.")
                break
            _, _, current = heappop(self.queue)
            if current in self.waiting:
                self._visit(current)
            if self.waiting and perf_counter() > deadline:
                found.note_incomplete(f"After {self.budget.seconds:g} s the search is not complete.")
                break
        for gap in self.gaps:
            found.note_incomplete(gap)
        order = [address for _, _, address in sorted(self.queue) if address in self.waiting]
        found.waiting = {address: union_of(self.waiting[address]) for address in order}
        return found

    def _wait(self, address: Address, elements: ElementSet, distance: int) -> None:
        if address not in self.waiting:
            self.waiting[address] = []
            key = self.run.steps(address.process).creation_time(address)
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
        """Mark a node at the limit as an end if nothing follows it anyway."""
        into = self.links.into(node.address)
        if into.end is not None:
            node.ends.append((into.end, into.reason))

    def _follow(self, elements: ElementSet, links: Iterable[Link]) -> None:
        for link in links:
            relation, there = link.relation, link.target if self.forward else link.source
            try:
                found = (relation.onward if self.forward else relation.back)(elements, Work())
            except OutOfWork:
                self.gaps[f"{self._name(link)} has too many elements to follow one by one."] = None
                continue
            if found and self.only is not None:
                found = found.intersection(self.only(there))
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
    """The search reached its time limit; the message is a sentence for the user."""


def path_between(
    links: Links,
    address: Address,
    elements: ElementSet,
    to: Address,
    wanted: ElementSet,
    seconds: float = SECONDS,
) -> list[tuple[Address, ElementSet]] | None:
    """Find a chain of single elements from one of `elements` back to one of `wanted`.

    Return `None` if there is none; raise `Unfinished` if none was found before the time limit.
    """
    walk = walk_back(links, address, elements, Budget(seconds))
    there = walk.elements(to) is not None
    found = _Chaining(links, walk, to, wanted).chain(address, elements) if there else None
    if found is None and not walk.complete:
        raise Unfinished(walk.reason)
    return found


class _Chaining:
    """Builds a chain forward from the wanted element along the backward walk."""

    def __init__(self, links: Links, walk: Walk, to: Address, wanted: ElementSet) -> None:
        self.links, self.walk, self.to, self.wanted = links, walk, to, wanted

    def chain(self, address: Address, elements: ElementSet) -> list[tuple[Address, ElementSet]] | None:
        """The chain, latest value first."""
        reached = self._reached_elements()
        start = reached.get(address)
        if start is None or not start.intersection(elements):
            return None
        found = [(address, _first(start.intersection(elements)))]
        while found[-1][0] != self.to:
            here, element = found[-1]
            following = self._previous_element(here, element, reached)
            if following is None:
                return None
            found.append(following)
        return found

    def _reached_elements(self) -> dict[Address, ElementSet]:
        """The walk's elements that the wanted ones went into, in the order of creation."""
        steps = self.links.run.steps
        reached = {self.to: self.wanted.intersection(self.walk.nodes[self.to].elements)}
        order = sorted(self.walk.nodes, key=lambda a: steps(a.process).creation_time(a))
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

    def _previous_element(
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
    """The first element, as a set."""
    if elements.boxes:
        return ElementSet.of_index(elements.shape, [numbers[0] for numbers in elements.boxes[0]])
    return ElementSet.of_positions(elements.shape, elements.to_positions()[:1])


# Non-finite elements of recorded values, for walks that follow only these.


_MOST = 4096
"""Maximum number of cached values."""


class BadElements:
    """The elements of at least a given badness, computed on demand: 1 infinities and NaN, 2 NaN.

    For a placeholder, these are the elements of the value that arrived.
    """

    def __init__(self, links: Links, rank: int = INFINITE) -> None:
        self.links, self.run, self.rank = links, links.run, rank
        self._known: dict[Address, ElementSet | None] = {}

    def __call__(self, address: Address) -> ElementSet | None:
        """The bad elements of a value; `None` if it has no floats."""
        if address not in self._known:
            if len(self._known) >= _MOST:
                self._known.clear()
            self._known[address] = self._find(address)
        return self._known[address]

    def of(self, address: Address) -> ElementSet:
        """The bad elements of a value; empty if it has no floats."""
        found = self(address)
        return ElementSet.empty(self.run.shape(address)) if found is None else found

    def _find(self, address: Address) -> ElementSet | None:
        here = self._meant(address)
        if self._is_finite(here):
            return ElementSet.empty(self.run.shape(here))
        value = self.run.recording.value(here)
        if not is_inexact(value.dtype):
            return None
        ranks = ranks_of(value)
        return (
            ElementSet.empty(value.shape)
            if ranks is None
            else ElementSet.of_mask(value.shape, ranks >= self.rank)
        )

    def _is_finite(self, address: Address) -> bool:
        """Whether the facts of a value with floats, which is not here, tell that none of its elements is bad."""
        facts, found = self.run.recording.facts(address), self.run.type_of(address)
        if facts is None or not isinstance(found, TensorType) or not is_inexact(found.element_type.dtype):
            return False
        return not (facts.range.nan if self.rank == NAN else facts.range.nonfinite)

    def _meant(self, address: Address) -> Address:
        """The address at which the value of a placeholder, perhaps forwarded, arrived; else itself."""
        recording, here = self.run.recording, address
        while recording.tracks[here.process].outcomes.came:
            came = outcome_address(recording, here)
            if came is not None:
                return came
            links = self.links.into(here).links
            if len(links) != 1 or links[0].kind is not Kind.FORWARDED:
                break
            here = links[0].source
        return address
