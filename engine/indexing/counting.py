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
    """All of them multiplied; one for none."""
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
