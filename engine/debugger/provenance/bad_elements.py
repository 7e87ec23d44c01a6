"""Non-finite elements of recorded values, for walks that follow only these."""

from __future__ import annotations

from ...indexing.elements.element_sets import ElementSet
from ...ir.types import TensorType
from ...ops.core.ranks import INFINITE, NAN, is_inexact, ranks_of
from ..address import Address
from ..outcome_addresses import outcome_address
from .links import Links
from .relations import Kind

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
