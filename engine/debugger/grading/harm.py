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
from ..provenance import BadElements, Kind, Link, Links, Onward

Harm = Literal["result", "predicate", "index", "integer", "process", "outside", "pending"]
"""What it reaches: a result of the program, what decides about a branch or a loop, an index, an integer that it is converted
to, another process, or somebody outside of the run. `pending`: an op that has yet to run reads it.
"""
Reached = tuple[int, Address, ElementSet]


class HarmSearch:
    """Follows elements that are not finite to what is made of them, what was made last first: so ends are soon reached.

    Of floats only elements that are not finite go on. What they are compared with goes on as long as it may decide which
    way the program takes: a `select` that leaves them out is what they are compared for.
    """

    def __init__(self, links: Links, bad: BadElements) -> None:
        self.links, self.run, self.bad = links, links.run, bad
        self.onward = Onward(links)

    def search(self, address: Address, elements: ElementSet, seconds: float) -> Harm | None:
        """The first harm that is found; `None` if there is none. `TimeoutError` if there was no time to look at all."""
        deadline, pending = perf_counter() + seconds, False
        waiting: list[tuple[int, Address]] = []
        reached = {address: elements}
        fresh: dict[Address, ElementSet] = {}
        self._wait(waiting, fresh, address, elements)
        while waiting:
            _, here = heappop(waiting)
            found = fresh.pop(here, None)
            if found is None:
                continue
            if harm := self._harm_at(here, found):
                return harm
            pending = pending or self._is_pending(here)
            for link in self.onward.links(here):
                step = self._follow(link, found)
                if isinstance(step, str):
                    return step
                known = reached.get(link.target)
                more = step if known is None or step is None else step.difference(known)
                if more:
                    reached[link.target] = more if known is None else known.union(more)
                    self._wait(waiting, fresh, link.target, more)
            if perf_counter() > deadline:
                raise TimeoutError
        return "pending" if pending else None

    def _wait(
        self,
        waiting: list[tuple[int, Address]],
        fresh: dict[Address, ElementSet],
        address: Address,
        elements: ElementSet,
    ) -> None:
        if address in fresh:
            fresh[address] = fresh[address].union(elements)
            return
        fresh[address] = elements
        heappush(waiting, (-self.run.steps(address.process).creation_time(address), address))

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
            return "integer" if op is not None and op.elementwise and self.reach(link, elements) else None
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
            return "predicate" if link.target.kind == "f" or (op is not None and op.passes_values) else None
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
