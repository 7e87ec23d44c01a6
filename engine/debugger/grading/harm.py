"""Whether a value that is not finite does harm: what it reaches, element by element, until nothing of it is left."""

from __future__ import annotations

from heapq import heappop, heappush
from time import perf_counter
from typing import Literal

from ...indexing.elements.element_sets import ElementSet
from ...indexing.elements.images import OutOfWork, Work
from ...ir.types import TensorType
from ...ops.collectives.collective_rules import Meeting
from ...ops.collectives.point_to_point import PointToPoint
from ...ops.core.op import Op
from ..address import Address
from ..provenance import BadElements, Kind, Link, Links, Onward, RecordedRun

Harm = Literal["result", "predicate", "index", "integer", "process", "outside", "pending", "unknown"]
"""What it reaches: a result of the program, what decides about a branch or a loop, an index, an integer that it is converted
to, another process, or somebody outside of the run. `pending`: an op that has yet to run reads it. `unknown`: there was no
time to find out.
"""


class _Walk:
    """How far a search has come: the elements that it has reached, and the values that it has yet to look at."""

    def __init__(self, run: RecordedRun, address: Address, elements: ElementSet) -> None:
        self._run, self.start = run, (address, elements)
        self._reached: dict[Address, ElementSet] = {}
        self._fresh: dict[Address, ElementSet] = {}
        self.waiting: list[tuple[int, Address]] = []
        self.pending = False
        """Whether an op reads any of them that has yet to run."""
        self.reach(address, elements)

    def take(self) -> tuple[Address, ElementSet]:
        """The value that was made last, and the elements of it that have not been looked at."""
        _, here = heappop(self.waiting)
        return here, self._fresh.pop(here)

    def reach(self, address: Address, elements: ElementSet) -> None:
        """Adds elements, as far as they are new."""
        known = self._reached.get(address)
        more = elements if known is None else elements.difference(known)
        if known is not None and not more:
            return
        self._reached[address] = more if known is None else known.union(more)
        if address in self._fresh:
            self._fresh[address] = self._fresh[address].union(more)
            return
        self._fresh[address] = more
        heappush(self.waiting, (-self._run.steps(address.process).creation_time(address), address))


class HarmSearch:
    """Follows elements that are not finite to what is made of them, what was made last first: so ends are soon reached.

    Of floats only elements that are not finite go on. What they are compared with goes on as long as it may decide which
    way the program takes: a `select` that leaves them out is what they are compared for.
    """

    def __init__(self, links: Links, bad: BadElements) -> None:
        self.links, self.run, self.bad = links, links.run, bad
        self.onward = Onward(links)
        self._stopped: list[_Walk] = []
        """Searches that there was no time for to the end."""
        self._deadline = 0.0

    def search(self, address: Address, elements: ElementSet, seconds: float) -> Harm | None:
        """The first harm that is found; `None` if there is none.

        `TimeoutError` if there was no time to look at all: the next search of the same goes on where this one stopped.
        """
        start = address, elements
        walk = next((each for each in self._stopped if each.start == start), None)
        walk = walk or _Walk(self.run, *start)
        self._deadline = perf_counter() + seconds
        while walk.waiting:
            if perf_counter() > self._deadline:
                self._keep(walk)
                raise TimeoutError
            if harm := self._go_on(walk):
                return harm
        return "pending" if walk.pending else None

    def _search_on(self, other: HarmSearch, address: Address, elements: ElementSet) -> Harm | None:
        """The harm that another search finds from here on, in the time that is left."""
        harm = other.search(address, elements, max(0.0, self._deadline - perf_counter()))
        return None if harm == "pending" else harm

    def _keep(self, walk: _Walk) -> None:
        if walk not in self._stopped:
            self._stopped.append(walk)

    def _go_on(self, walk: _Walk) -> Harm | None:
        """Looks at the value that was made last; the harm that its elements do."""
        here, found = walk.take()
        if harm := self._harm_at(here, found):
            return harm
        walk.pending = walk.pending or self._is_pending(here)
        for link in self.onward.links(here):
            step = self._follow(link, found)
            if isinstance(step, str):
                return step
            if step:
                walk.reach(link.target, step)
        return None

    def _harm_at(self, address: Address, elements: ElementSet) -> Harm | None:
        if self.onward.outputs(address):
            return "result"
        if any(bound.op.unpacked.hands_out for _, bound in self.onward.readers(address)):
            return "outside"
        return None

    def _is_pending(self, address: Address) -> bool:
        """Whether the run, or the process, has not come to all ops that read a value beside it."""
        if self.run.recording.state.kind == "done":
            return False
        steps, frame = self.run.steps(address.process), self.run.frame_of(address)
        value = self.run.value_number(address)
        block = self.run.program.makers[value].block
        readers = (self.run.program.ops[number] for number in self.run.uses.get(value, ()))
        return any(
            steps.at(frame, steps.program.positions[bound.id]) is None
            for bound in readers
            if bound.block == block
        )

    def _follow(self, link: Link, elements: ElementSet) -> Harm | ElementSet | None:
        """What elements reach over a link: the harm that they do there, or the elements of its target."""
        target = link.target
        op = self._op(target)
        if self._holds(link.source) != "float":
            return self._follow_decision(link, elements, op)
        if link.kind in (Kind.CHOSEN, Kind.INDEX):
            return None
        kind = self._holds(target)
        if kind == "integer":
            return (
                "integer"
                if op is not None and op.traits.is_elementwise and self.reach(link, elements)
                else None
            )
        if kind == "boolean":
            return None if op is not None and op.asks_for_badness else self.reach(link, elements)
        found = self.reach(link, elements).intersection(self.bad.of(target))
        if found and (target.process != link.source.process or isinstance(op, Meeting | PointToPoint)):
            return "process"
        return found

    def _follow_decision(self, link: Link, elements: ElementSet, op: Op | None) -> Harm | ElementSet | None:
        """The same of booleans that came of comparing."""
        if link.kind is Kind.INDEX:
            return "index"
        if link.kind is Kind.CHOSEN:
            return (
                "predicate"
                if link.target.kind == "f" or (op is not None and op.explanation.passes_values)
                else None
            )
        return self.reach(link, elements) if self._holds(link.target) == "boolean" else None

    def reach(self, link: Link, elements: ElementSet) -> ElementSet:
        """The elements of its target that a link leads to."""
        try:
            return link.relation.onward(elements, Work())
        except OutOfWork:
            return ElementSet.full(self.run.shape(link.target))

    def _op(self, address: Address) -> Op | None:
        """The op whose result a value is."""
        if address.kind == "f":
            return None
        return self.run.bound_operation(address.process, address.number).op.unpacked

    def _holds(self, address: Address) -> Literal["float", "boolean", "integer"]:
        found = self.run.type_of(address)
        assert isinstance(found, TensorType)
        element = found.element_type
        if element.kind == "boolean":
            return "boolean"
        return "float" if element.is_float or element.is_complex else "integer"
