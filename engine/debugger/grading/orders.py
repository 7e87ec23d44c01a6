"""NaN of which nothing is left: what is sorted by them comes along in an order that means nothing, or another takes their place."""

from __future__ import annotations

from ...indexing.elements.element_sets import ElementSet
from ...ops.core.bases import Selecting
from ...ops.core.ranks import NAN
from ..address import Address
from ..provenance import BadElements, Link, Links
from .harm import Harm, HarmSearch
from .traces import MisplacedSearch


class OrderSearch(HarmSearch):
    """Follows NaN that do no harm themselves to what is put in order by them, and this to a result; and on where another NaN
    takes their place.

    Infinities have their place in an order. A NaN that a program states, to have it sorted to the end, is not followed.
    """

    def __init__(self, links: Links, bad: BadElements) -> None:
        super().__init__(links, bad)
        self._nan, self._moved = BadElements(links, NAN), MisplacedSearch(links)

    def _follow(self, link: Link, elements: ElementSet) -> Harm | ElementSet | None:
        found, op = super()._follow(link, elements), self._op(link.target)
        if op is None or self._holds(link.source) != "float" or isinstance(found, str):
            return found
        if isinstance(op, Selecting) and op.traits.is_elementwise and link.operand:
            replaced = self._replaced(link, elements)
            return replaced if found is None else found.union(replaced)
        if op.orders and self._place(link.target) != link.operand:
            return self._put_in_order(link, elements)
        return found

    def _replaced(self, link: Link, elements: ElementSet) -> ElementSet:
        """The elements in whose place a select has taken another NaN."""
        if self.run.shape(link.source) != self.run.shape(link.target):
            return ElementSet.empty(self.run.shape(link.target))
        return elements.intersection(self._nan.of(link.source)).intersection(self._nan.of(link.target))

    def _put_in_order(self, link: Link, elements: ElementSet) -> Harm | None:
        """The harm that is done by what comes along with the elements, or is the place of one."""
        keys = elements.intersection(self._nan.of(link.source))
        moved = self.reach(link, keys) if keys else None
        return self._search_on(self._moved, link.target, moved) if moved else None

    @staticmethod
    def _place(address: Address) -> int:
        """The number of a result; in HLO text they are in a tuple."""
        return address.path[0] if address.path else address.index
