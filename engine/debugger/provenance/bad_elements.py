"""Which elements of recorded values are not finite: walks that follow these alone."""

from __future__ import annotations

from ...indexing.elements.element_sets import ElementSet
from ...ops.core.ranks import INFINITE, is_inexact, ranks_of
from ..address import Address
from ..outcome_addresses import outcome_address
from .links import Links
from .relations import Kind

_MOST = 4096
"""Values of which it is remembered."""


class BadElements:
    """The elements of a rank or more, of each value, found when they are first asked for: 1 NaN and infinities, 2 NaN.

    Those of a value that stands for what has only been started are the elements of what has come.
    """

    def __init__(self, links: Links, rank: int = INFINITE) -> None:
        self.links, self.run, self.rank = links, links.run, rank
        self._known: dict[Address, ElementSet | None] = {}

    def __call__(self, address: Address) -> ElementSet | None:
        """Those of a value; `None` if it holds no floats."""
        if address not in self._known:
            if len(self._known) >= _MOST:
                self._known.clear()
            self._known[address] = self._find(address)
        return self._known[address]

    def of(self, address: Address) -> ElementSet:
        """Those of a value; none of a value without floats."""
        found = self(address)
        return ElementSet.empty(self.run.shape(address)) if found is None else found

    def _find(self, address: Address) -> ElementSet | None:
        value = self.run.recording.value(self._meant(address))
        if not is_inexact(value.dtype):
            return None
        ranks = ranks_of(value)
        return (
            ElementSet.empty(value.shape)
            if ranks is None
            else ElementSet.of_mask(value.shape, ranks >= self.rank)
        )

    def _meant(self, address: Address) -> Address:
        """Where the value has come that the one at an address stands for, perhaps handed on; else the address."""
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
