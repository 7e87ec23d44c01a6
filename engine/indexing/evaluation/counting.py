"""Exact or bounded counts, and the tally of a map."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Count:
    """A nonnegative count between `least` and `most`."""

    least: int
    most: int

    @classmethod
    def of(cls, value: int) -> Count:
        """Exactly `value`."""
        return cls(value, value)

    @property
    def exact(self) -> bool:
        """Whether the count is known exactly."""
        return self.least == self.most

    @property
    def value(self) -> int | None:
        """The exact count; `None` if it is not known."""
        return self.least if self.exact else None

    def __add__(self, other: Count) -> Count:
        return Count(self.least + other.least, self.most + other.most)

    def __mul__(self, other: Count) -> Count:
        return Count(self.least * other.least, self.most * other.most)

    def __str__(self) -> str:
        return f"{self.least:,}" if self.exact else f"{self.least:,} to {self.most:,}"

    def at_most(self, most: int) -> Count:
        """The count with an additional upper bound."""
        return Count(min(self.least, most), min(self.most, most))


NONE = Count(0, 0)
ONE = Count(1, 1)


def product(counts: Iterable[Count]) -> Count:
    """The product of counts; 1 for none."""
    found = ONE
    for count in counts:
        found = found * count
    return found


def all_of(answers: Iterable[bool | None]) -> bool | None:
    """Whether all are true; `None` if that depends on an unknown."""
    known = list(answers)
    if False in known:
        return False
    return None if None in known else True


@dataclass(frozen=True)
class Tally:
    """Counts of one map, or of a union of maps without common pairs."""

    reads: Count
    """Reads with repetitions: combinations of dimension and range variables in the domain."""
    pairs: Count
    """Distinct pairs (index, element)."""
    elements: Count
    """Distinct elements."""
    readers: Count
    """Indices that read any element."""
    fewest: Count
    """Reads of the least read element, among those read."""
    most: Count
    """Reads of the most read element."""
    single_valued: bool | None
    """Whether every index reads at most one element; `None` if unknown."""
    injective: bool | None
    """Whether every element is read by at most one index; `None` if unknown."""

    @classmethod
    def exactly(
        cls,
        numbers: tuple[int, int, int, int],
        per_element: tuple[int, int],
        single_valued: bool,
        injective: bool,
    ) -> Tally:
        """A tally of exact counts: reads, pairs, elements, readers; fewest and most reads of an element."""
        reads, pairs, elements, readers = map(Count.of, numbers)
        fewest, most = map(Count.of, per_element)
        return cls(reads, pairs, elements, readers, fewest, most, single_valued, injective)

    @property
    def inverse(self) -> Tally:
        """The tally of the inverse, as far as it is determined; each pair is read once."""
        once = ONE if self.single_valued else Count(min(1, self.pairs.least), self.pairs.most)
        return Tally(
            self.pairs,
            self.pairs,
            self.readers,
            self.elements,
            once,
            once,
            self.injective,
            self.single_valued,
        )

    @property
    def exact(self) -> bool:
        """Whether its main counts are exact."""
        return self.pairs.exact and self.elements.exact and self.readers.exact


NOTHING_READ = Tally(NONE, NONE, NONE, NONE, NONE, NONE, True, True)
