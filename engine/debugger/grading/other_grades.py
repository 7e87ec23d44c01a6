"""Whether faults other than values that are not finite do harm."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...findings import Found, Grade, Occurrence
from ...indexing.elements.element_sets import ElementSet
from ...ops.core.quiet import quiet
from ...ops.elementwise.underflows import product_underflows, underflows
from ..address import Address
from ..provenance import Links
from .clock import Clock, Graded
from .harm import Harm, HarmSearch
from .meant_indices import cuts_list, stands_for_nothing
from .places import fault_address
from .traces import MisplacedSearch, UnderflowSearch

SECONDS = 3.0
"""So long the values of one run are looked at, all together, before anybody asks for more."""
_MOST_READERS = 256


class OtherGrader:
    """Grades findings one after the other, within one limit of time."""

    def __init__(self, links: Links) -> None:
        self.links, self.run, self.recording = links, links.run, links.run.recording
        self._misplaced, self._underflows = MisplacedSearch(links), UnderflowSearch(links)
        self.clock = Clock(SECONDS)

    def grade(self, found: Found) -> Graded:
        """The grade of what an op did, by some of the steps in which it did it."""
        steps = {each.step: each for each in (found.first, found.worst, found.occurrences[-1])}
        if found.kind == "dropped_update" and cuts_list(self.recording.program, found.op):
            return Graded("neutral", stays=True)
        if all(occurrence.fault.deliberate for occurrence in found.occurrences) and all(
            stands_for_nothing(self.links, found.op, occurrence) for occurrence in steps.values()
        ):
            return Graded("neutral", stays=False)
        harms = {self._harm(found.op, occurrence) for occurrence in steps.values()}
        # What is so small is mostly lost in a sum.
        assumed: Grade = "masked" if found.kind == "denormal" else "harmful"
        return Graded.of(harms, "neutral" if found.kind == "swallowed_nan" else "masked", assumed)

    def _harm(self, op: int, occurrence: Occurrence) -> Harm | None:
        match occurrence.fault.kind:
            case "wrap":
                return "index" if op in self.recording.decisive_ops else None
            case "swallowed_nan":
                return None if self._is_known(op) else "integer"
            case "denormal":
                return self._underflow_harm(op, occurrence)
            case "zero_division":
                return self._harm_of_quotient(op, occurrence)
            case "out_of_bounds" | "clamped_start":
                return self._harm_of_read(op, occurrence)
        return "result"

    def _is_known(self, op: int) -> bool:
        """Whether the program asks whether what was lost here is finite, and what becomes of it depends on the answer."""
        ops = self.recording.program.ops
        asking = {
            reader
            for value in ops[op].operands
            for reader in self.run.uses.get(value, ())
            if ops[reader].op.asks_for_badness
        }
        return bool(asking) and not self._readers_on(asking).isdisjoint(self._readers_on({op}))

    def _readers_on(self, start: Iterable[int]) -> set[int]:
        """The ops that read what some ops make, or what is made of it, up to the ends of their blocks."""
        ops = self.recording.program.ops
        waiting, found = list(start), set[int]()
        while waiting and len(found) < _MOST_READERS:
            for value in ops[waiting.pop()].results:
                for reader in self.run.uses.get(value, ()):
                    if reader not in found and not ops[reader].op.traits.is_terminator:
                        found.add(reader)
                        waiting.append(reader)
        return found

    def _underflow_harm(self, op: int, occurrence: Occurrence) -> Harm | None:
        """What is not known yet is none: most of what is so small is lost in a sum."""
        address = fault_address(self.recording, op, occurrence)
        operands = self.run.operands(occurrence.process, occurrence.step)
        values = tuple(map(self.recording.value, operands))
        with quiet():
            made = self.recording.value(address)
            asked = self.recording.program.ops[op].op.unpacked
            lost = (underflows if asked.traits.is_elementwise else product_underflows)(values, made)
            harm = self._search(self._underflows, address, ElementSet.of_mask(lost.shape, lost))
        return None if harm == "pending" else harm

    def _harm_of_quotient(self, op: int, occurrence: Occurrence) -> Harm | None:
        """What comes of integers that were divided by 0."""
        address = fault_address(self.recording, op, occurrence)
        divisor = self.recording.value(self.run.operands(occurrence.process, occurrence.step)[1])
        shape = self.run.shape(address)
        elements = ElementSet.of_mask(shape, np.broadcast_to(divisor == 0, shape))
        return self._search(self._misplaced, address, elements)

    def _harm_of_read(self, op: int, occurrence: Occurrence) -> Harm | None:
        """What comes of elements that were read from another place than the index said."""
        index = fault_address(self.recording, op, occurrence)
        shape = self.run.shape(index)
        elements = ElementSet.of_index(shape, occurrence.fault.index)
        for link in self._misplaced.onward.links(index):
            target = link.target
            if (target.process, target.kind, target.number) == (occurrence.process, "s", occurrence.step):
                return self._search(self._misplaced, target, self._misplaced.reach(link, elements))
        return "result"

    def _search(self, search: HarmSearch, address: Address, elements: ElementSet) -> Harm | None:
        try:
            return search.search(address, elements, self.clock.seconds)
        except TimeoutError:
            return "unknown"
