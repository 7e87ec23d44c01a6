"""Which elements of recorded values are not finite: walks that follow these alone."""

from __future__ import annotations

from ...indexing.elements.element_sets import ElementSet
from ...ops.core.ranks import INFINITE, is_inexact, ranks_of
from ..address import Address
from .run import RecordedRun

_MOST = 4096
"""Values of which it is remembered."""


class BadElements:
    """The elements of a rank or more, of each value, found when they are first asked for: 1 NaN and infinities, 2 NaN."""

    def __init__(self, run: RecordedRun, rank: int = INFINITE) -> None:
        self.run, self.rank = run, rank
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
        value = self.run.recording.value(address)
        if not is_inexact(value.dtype):
            return None
        ranks = ranks_of(value)
        return (
            ElementSet.empty(value.shape)
            if ranks is None
            else ElementSet.of_mask(value.shape, ranks >= self.rank)
        )
