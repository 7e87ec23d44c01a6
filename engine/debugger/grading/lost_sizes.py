"""Infinities of which nothing is left because something was divided by them: harm, where they are sums too large for their type.

A norm of large numbers is infinite, and what is divided by it 0: no result says so. `1 / (1 + exp(x))` is 0 as well, and
right.
"""

from __future__ import annotations

from time import perf_counter

from ...indexing.elements.element_sets import ElementSet
from ...ops.core.op import Op
from ...ops.core.quiet import quiet
from ..address import Address
from ..provenance import BadElements, Link, Links
from .harm import Harm, HarmSearch
from .traces import MisplacedSearch


class LostSizeSearch(HarmSearch):
    """Follows infinities that do no harm themselves to the quotients and roots in which they are lost, and these to a result."""

    def __init__(self, links: Links, bad: BadElements) -> None:
        super().__init__(links, bad)
        self._wrong = _WrongSearch(links)
        self._flattened: set[Address] = set()
        """Values that are made of roots or logarithms of the infinities."""
        self._deadline = 0.0

    def search(self, address: Address, elements: ElementSet, seconds: float) -> Harm | None:
        self._deadline = perf_counter() + seconds
        return super().search(address, elements, seconds)

    def _follow(self, link: Link, elements: ElementSet) -> Harm | ElementSet | None:
        found, op = super()._follow(link, elements), self._op(link.target)
        if op is None or self._holds(link.source) != "float":
            return found
        if op.flattens or link.source in self._flattened:
            self._flattened.add(link.target)
        lost = self._lost(link, elements, op)
        if not lost:
            return found
        harm = self._wrong.search(link.target, lost, max(0.0, self._deadline - perf_counter()))
        return found if harm in (None, "pending") else harm

    def _lost(self, link: Link, elements: ElementSet, op: Op) -> ElementSet | None:
        """The elements of a target in which the infinities were lost, and should not have been."""
        target = link.target
        if not op.elementwise or link.operand is None or self._holds(target) != "float":
            return None
        value = self.run.recording.value
        operands = tuple(map(value, self.run.operands(target.process, target.number)))
        with quiet():
            lost = op.loses_sizes(
                link.operand, operands, value(target), flattened=link.source in self._flattened
            )
        return (
            None
            if lost is None
            else self.reach(link, elements).intersection(ElementSet.of_mask(lost.shape, lost))
        )


class _WrongSearch(MisplacedSearch):
    """Follows numbers that are 0 and should not be: another factor that is 0 leaves them out, they themselves do not."""

    def _left_out(self, link: Link) -> ElementSet | None:
        operands = self.run.operands(link.target.process, link.target.number)
        if link.operand is None or len(operands) != 2:
            return None
        other = self.run.recording.value(operands[1 - link.operand])
        return ElementSet.of_mask(other.shape, other == 0)
