"""Grades of values that are not finite: whether any of them does harm."""

from __future__ import annotations

from functools import cached_property

from ...findings import Cause, Found, Occurrence
from ...indexing.elements.element_sets import ElementSet
from ..address import Address
from ..provenance import BadElements, Links
from .births import born_elements
from .causes import find_cause
from .clock import Clock, Graded
from .harm import Harm, HarmSearch
from .lost_sizes import LostSizeSearch
from .orders import OrderSearch
from .places import fault_address
from .traces import StatedSearch

SECONDS = 4.0
"""So long the values of one run are looked at, all together, before anybody asks for more."""


class BirthGrader:
    """Grades findings one after the other, within one limit of time; what there was no time for counts as harmful."""

    def __init__(self, links: Links) -> None:
        self.links, self.run, self.bad = links, links.run, BadElements(links)
        self._search, self._stated = HarmSearch(links, self.bad), StatedSearch(links, self.bad)
        self._lost, self._orders = LostSizeSearch(links, self.bad), OrderSearch(links, self.bad)
        self.clock = Clock(SECONDS)

    def grade(self, found: Found) -> Graded:
        """The grade of a NaN or an infinity that an op has given birth to."""
        steps = {each.step: each for each in (found.first, found.worst, found.occurrences[-1])}
        search = self._stated if found.first.fault.stated else self._search
        harms = {self._harm(found.op, occurrence, search) for occurrence in steps.values()}
        if found.first.fault.stated:
            return Graded.of(harms, "neutral", assumed="neutral")
        constant = found.kind == "inf" and found.op in self._constant_ops
        return Graded.of(harms, "neutral" if constant else "masked")

    def grade_given(self, address: Address, elements: ElementSet) -> Graded:
        """The grade of elements of an input that are not finite."""
        return Graded.of({self._reached(address, elements)}, "masked")

    def cause(self, found: Found) -> Cause | None:
        """Where the infinity came from that became the NaN of the first step."""
        address = fault_address(self.run.recording, found.op, found.first)
        element = ElementSet.of_index(self.run.shape(address), found.first.fault.index)
        return find_cause(self.links, self.bad, address, element, self.clock.seconds)

    def _harm(self, op: int, occurrence: Occurrence, search: HarmSearch) -> Harm | None:
        address = fault_address(self.run.recording, op, occurrence)
        elements = born_elements(self.run, op, occurrence)
        harm = self._reached(address, elements, search)
        if harm is not None or occurrence.fault.stated:
            return harm
        if occurrence.fault.kind == "nan":
            return self._reached(address, elements, self._orders)
        return self._reached(address, elements, self._lost) if self._is_too_large(op) else None

    def _is_too_large(self, op: int) -> bool:
        """Whether the infinities of an op are sums, products or other types of numbers: no more than too large.

        The exponential of what is above its limit is beyond all that it is compared with.
        """
        asked = self.run.program.ops[op].op.unpacked
        return asked.multiplies or asked.outweighs or asked.converts

    def _reached(
        self, address: Address, elements: ElementSet, search: HarmSearch | None = None
    ) -> Harm | None:
        try:
            return (search or self._search).search(address, elements, self.clock.seconds)
        except TimeoutError:
            return "unknown"

    @cached_property
    def _constant_ops(self) -> frozenset[int]:
        """The ops whose results follow from constants of the program alone."""
        known: set[int] = set()
        found: set[int] = set()
        for bound in self.run.program.ops:
            if bound.regions or not bound.results:
                continue
            if bound.op.traits.is_constant or (
                bound.operands and all(value in known for value in bound.operands)
            ):
                found.add(bound.id)
                known.update(bound.results)
        return frozenset(found)
