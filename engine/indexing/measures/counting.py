"""Numbers that are known exactly, or to lie between two others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Count:
    """At least `least` and at most `most`; never negative."""

    least: int
    most: int

    @classmethod
    def of(cls, value: int) -> Count:
        """Exactly `value`."""
        return cls(value, value)

    @property
    def exact(self) -> bool:
        """Whether it is known."""
        return self.least == self.most

    @property
    def value(self) -> int | None:
        """The number, where it is known."""
        return self.least if self.exact else None

    def __add__(self, other: Count) -> Count:
        return Count(self.least + other.least, self.most + other.most)

    def __mul__(self, other: Count) -> Count:
        return Count(self.least * other.least, self.most * other.most)

    def __str__(self) -> str:
        return f"{self.least:,}" if self.exact else f"{self.least:,} to {self.most:,}"

    def at_most(self, most: int) -> Count:
        """The same, knowing that there are no more than `most`."""
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
    """Whether all are true; `None` where that depends on one that is not known."""
    known = list(answers)
    if False in known:
        return False
    return None if None in known else True


@dataclass(frozen=True)
class Tally:
    """Numbers of one map, or of a union of maps that relate different pairs."""

    reads: Count
    """Elements as often as they are met: combinations of dimension and range variables in the domain."""
    pairs: Count
    """Different pairs (index, element)."""
    elements: Count
    """Different elements."""
    readers: Count
    """Indices that have any element."""
    fewest: Count
    """The reads of an element that is read the fewest times, of those that are read."""
    most: Count
    """The reads of an element that is read the most times."""
    single_valued: bool | None
    """Whether no index has two elements; `None` where that is not known."""
    injective: bool | None
    """Whether no element belongs to two indices."""

    @classmethod
    def exactly(
        cls,
        numbers: tuple[int, int, int, int],
        per_element: tuple[int, int],
        single_valued: bool,
        injective: bool,
    ) -> Tally:
        """All known: reads, pairs, elements and readers; the fewest and the most reads of an element."""
        reads, pairs, elements, readers = map(Count.of, numbers)
        fewest, most = map(Count.of, per_element)
        return cls(reads, pairs, elements, readers, fewest, most, single_valued, injective)

    @property
    def inverse(self) -> Tally:
        """The numbers of the inverse, as far as they follow: each pair is read once."""
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
        """Whether its numbers are known."""
        return self.pairs.exact and self.elements.exact and self.readers.exact


NOTHING_READ = Tally(NONE, NONE, NONE, NONE, NONE, NONE, True, True)
