"""What one iteration of a loop does, and what all of them reach."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..indexing import Interval
from .iterations import Iterations, ended
from .leaves import Leaf
from .unions import Link, Union

Links = Mapping[Leaf, tuple[Link, ...]]


@dataclass(frozen=True)
class Rounds:
    """What one iteration does: links between loop values, the predicate and outer values."""

    test: Links
    """Those of the condition."""
    once: Links
    """Those of the body."""
    constant: frozenset[Leaf]
    """The loop values that every iteration hands on as they are."""
    inverse: bool
    trips: int = 0
    """How many iterations there are, where that is known."""
    iterations: Iterations | None = None
    """All of them together; `None` where their number is not known, or not all is told by moments."""
    counts: bool = False
    """Whether their number is known."""

    @property
    def last(self) -> Interval:
        """The moment behind all iterations."""
        return Interval(self.trips, self.trips)


FIRST = Interval(0, 0)
"""The moment before all iterations."""
Start = tuple[Link, Interval]
"""A link to a value, and at which moments it is that."""


@dataclass(frozen=True)
class Reached:
    """What is reached in any number of iterations."""

    union: Union
    timed: frozenset[Leaf] = frozenset()
    """The loop values that are reached at certain moments."""

    def at(self, moments: Interval | None) -> Union:
        """What is reached at some moments, or at any; at any where moments are not told apart."""
        if not self.timed:
            return self.union
        found = Union()
        found.extend(ended(link, moments) if link.end in self.timed else link for link in self.union)
        return found
