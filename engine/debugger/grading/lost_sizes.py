"""Infinities of which nothing is left because something was divided by them: harm, where they are sums too large for their type.

A norm of large numbers is infinite, and what is divided by it 0: no result says so. `1 / (1 + exp(x))` is 0 as well, and
right.
"""

from __future__ import annotations

from ...indexing.elements.element_sets import ElementSet
from ...ops.core.op import Op
from ...ops.core.quiet import quiet
from ...ops.elementwise.lost_sizes import are_great
from ..address import Address
from ..provenance import BadElements, Kind, Link, Links
from .harm import Harm, HarmSearch
from .traces import MisplacedSearch

_FACTORS = 2


class LostSizeSearch(HarmSearch):
    """Follows infinities that do no harm themselves to the quotients and roots in which they are lost, and these to a result."""

    def __init__(self, links: Links, bad: BadElements) -> None:
        super().__init__(links, bad)
        self._wrong = _WrongSearch(links)
        self._reciprocals = _ReciprocalSearch(links, self._wrong)
        self._flattened: set[Address] = set()
        """Values that are made of roots or logarithms of the infinities."""

    def _follow(self, link: Link, elements: ElementSet) -> Harm | ElementSet | None:
        found, op = super()._follow(link, elements), self._op(link.target)
        if op is None or self._holds(link.source) != "float":
            return found
        if op.flattens or link.source in self._flattened:
            self._flattened.add(link.target)
        flattened = link.source in self._flattened
        if lost := self._lost(link, elements, op, flattened=flattened):
            harm = self._search_on(self._wrong, link.target, lost)
        elif small := self._lost(link, elements, op, flattened=True):
            harm = self._search_on(self._reciprocals, link.target, small)
        else:
            return found
        return harm or found

    def _lost(self, link: Link, elements: ElementSet, op: Op, *, flattened: bool) -> ElementSet | None:
        """The elements of a target in which the infinities were lost, and should not have been."""
        target = link.target
        if not op.traits.is_elementwise or link.operand is None or self._holds(target) != "float":
            return None
        value = self.run.recording.value
        operands = tuple(map(value, self.run.operands(target.process, target.number)))
        with quiet():
            lost = op.loses_sizes(link.operand, operands, value(target), flattened=flattened)
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


class _ReciprocalSearch(HarmSearch):
    """Follows numbers that are 0, as one over a sum that is too large, to products with what is great, which are 0 too."""

    def __init__(self, links: Links, wrong: HarmSearch) -> None:
        super().__init__(links, BadElements(links))
        self._wrong = wrong

    def _harm_at(self, address: Address, elements: ElementSet) -> Harm | None:
        return None

    def _is_pending(self, address: Address) -> bool:
        return False

    def _follow(self, link: Link, elements: ElementSet) -> Harm | ElementSet | None:
        op = self._op(link.target)
        if link.kind in (Kind.INDEX, Kind.CHOSEN) or self._holds(link.target) != "float":
            return None
        if op is None or op.moves_elements or op.explanation.passes_values:
            return self.reach(link, elements)
        operands = self.run.operands(link.target.process, link.target.number)
        if not op.multiplies or link.operand is None or len(operands) != _FACTORS:
            return None
        great = are_great(self.run.recording.value(operands[1 - link.operand]))
        zeros = self.reach(link, elements).intersection(ElementSet.of_mask(great.shape, great))
        return self._search_on(self._wrong, link.target, zeros) if zeros else None
