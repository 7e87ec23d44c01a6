"""The search for harm: follows wrong elements of a recorded run to what is made of them, until nothing of them is left."""

from __future__ import annotations

from heapq import heappop, heappush
from time import perf_counter
from typing import Literal

from ...findings import Harm
from ...indexing.elements.element_sets import ElementSet
from ...indexing.elements.images import OutOfWork, Work
from ...ir.types import TensorType
from ...ops.collectives.collective_rules import CollectiveOp
from ...ops.collectives.point_to_point import PointToPoint
from ...ops.core.op import Op
from ...remote_values import OnOtherHost
from ..address import Address
from ..provenance import BadElements, Kind, Link, Links, Onward, RecordedRun


class _Walk:
    """The progress of one search: the elements reached, and the values whose elements it has yet to follow."""

    def __init__(self, run: RecordedRun, address: Address, elements: ElementSet) -> None:
        self._run, self.start = run, (address, elements)
        self._reached: dict[Address, ElementSet] = {}
        self._fresh: dict[Address, ElementSet] = {}
        self.waiting: list[tuple[int, Address]] = []
        self.pending = False
        """Whether an op that has yet to run reads any of the elements."""
        self.elsewhere: OnOtherHost | None = None
        """The first value that the elements may reach and that another host has."""
        self.reach(address, elements)

    def take(self) -> tuple[Address, ElementSet]:
        """The waiting value that was made last, and its elements that have not been followed."""
        _, here = heappop(self.waiting)
        return here, self._fresh.pop(here)

    def reach(self, address: Address, elements: ElementSet) -> None:
        """Add the elements that are new."""
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
    """Follows elements that are not finite; other searches change what goes on, and what does harm.

    Values made last are followed first, so that ends are soon reached. Of floats only elements that are not finite go on.
    Answers of comparisons go on as long as they may decide which way the program takes: to leave such elements out by a
    select is what programs compare them for.
    """

    def __init__(self, links: Links, bad: BadElements) -> None:
        self.links, self.run, self.bad = links, links.run, bad
        self.onward = Onward(links)
        self._stopped: list[_Walk] = []
        """Searches that the time limit ended."""
        self._deadline = 0.0

    def search(self, address: Address, elements: ElementSet, seconds: float) -> Harm | None:
        """The first harm; `None` if there is none.

        `TimeoutError` after `seconds`: the next search from the same elements continues where this one stopped.
        `OnOtherHost` if values of another host may be harmed, and none that is here.
        """
        start = address, elements
        walk = next((each for each in self._stopped if each.start == start), None)
        walk = walk or _Walk(self.run, *start)
        self._deadline = perf_counter() + seconds
        while walk.waiting:
            if perf_counter() > self._deadline:
                self._keep(walk)
                raise TimeoutError
            if harm := self._advance(walk):
                return harm
        if walk.elsewhere is not None:
            raise walk.elsewhere
        return "pending" if walk.pending else None

    def _search_on(self, other: HarmSearch, address: Address, elements: ElementSet) -> Harm | None:
        """The harm that another search finds from here on, in the time that is left."""
        harm = other.search(address, elements, max(0.0, self._deadline - perf_counter()))
        return None if harm == "pending" else harm

    def _keep(self, walk: _Walk) -> None:
        if walk not in self._stopped:
            self._stopped.append(walk)

    def _advance(self, walk: _Walk) -> Harm | None:
        """Follow the elements of one value; the harm that they do."""
        here, elements = walk.take()
        if harm := self._harm_at(here, elements):
            return harm
        walk.pending = walk.pending or self._is_pending(here)
        for link in self.onward.links(here):
            try:
                step = self._follow(link, elements)
            except OnOtherHost as other:
                walk.elsewhere = walk.elsewhere or other
                continue
            if isinstance(step, str):
                return step
            if step:
                walk.reach(link.target, step)
        return None

    def _harm_at(self, address: Address, elements: ElementSet) -> Harm | None:
        """The harm that elements do where they are: in a result, or in an operand of an op that sends them outside."""
        if self.onward.outputs(address):
            return "result"
        if any(bound.op.unpacked.findings.sends_outside for _, bound in self.onward.readers(address)):
            return "outside"
        return None

    def _is_pending(self, address: Address) -> bool:
        """Whether an op of the same block reads the value and has not run yet, or has failed."""
        recording = self.run.recording
        if recording.state.kind == "done":
            return False
        failed = (
            recording.tracks[address.process].step_count - 1 if recording.state.kind == "failed" else None
        )
        steps, frame, program = self.run.steps(address.process), self.run.frame_of(address), self.run.program
        value = self.run.value_number(address)
        block = program.makers[value].block
        readers = (program.ops[number] for number in program.readers.get(value, ()))
        return any(
            steps.at(frame, steps.program.positions[bound.id]) in (None, failed)
            for bound in readers
            if bound.block == block
        )

    def _follow(self, link: Link, elements: ElementSet) -> Harm | ElementSet | None:
        """The harm that elements do over a link, or the elements that they reach in its target."""
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
            return None if op is not None and op.findings.tests_finiteness(op) else self.reach(link, elements)
        reached = self.reach(link, elements).intersection(self.bad.of(target))
        if reached and (target.process != link.source.process or isinstance(op, CollectiveOp | PointToPoint)):
            return "process"
        return reached

    def _follow_decision(self, link: Link, elements: ElementSet, op: Op | None) -> Harm | ElementSet | None:
        """The harm that results of comparisons do over a link."""
        if link.kind is Kind.INDEX:
            return "index"
        if link.kind is Kind.CHOSEN:
            return "predicate" if self._decides(link, op) else None
        return self.reach(link, elements) if self._holds(link.target) == "boolean" else None

    @staticmethod
    def _decides(link: Link, op: Op | None) -> bool:
        """Whether a chosen link leads to what a branch or a loop runs; otherwise a select chooses by it."""
        return link.target.kind == "f" or (op is not None and op.explanation.passes_values)

    def reach(self, link: Link, elements: ElementSet) -> ElementSet:
        """The elements of a link's target that read `elements` of its source."""
        try:
            return link.relation.onward(elements, Work())
        except OutOfWork:
            return ElementSet.full(self.run.shape(link.target))

    def _op(self, address: Address) -> Op | None:
        """The op that made a value; `None` of an argument."""
        if address.kind == "f":
            return None
        return self.run.bound_operation(address.process, address.number).op.unpacked

    def _holds(self, address: Address) -> Literal["float", "boolean", "integer"]:
        tensor = self.run.type_of(address)
        assert isinstance(tensor, TensorType)
        element = tensor.element_type
        if element.kind == "boolean":
            return "boolean"
        return "float" if element.is_float or element.is_complex else "integer"
