"""Points at which maps are evaluated: numbered combinations of values of their variables."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

import numpy as np

from ..core.expressions import Dim, Expression
from ..core.interval import Interval
from .array_values import Int64Array, Values

CHUNK = 1 << 16
"""Points evaluated together: enough to amortise Python's overhead, few enough for the CPU cache."""


@dataclass(frozen=True)
class Points:
    """All combinations of a value from each of `spans`, and of a row of `rows` if there are any.

    They are numbered in row-major order: rows first, the last of `spans` fastest.
    """

    spans: Mapping[Expression, range]
    fixed: Mapping[Expression, int] = field(default_factory=dict)
    """Variables with one value at all points."""
    rows: Int64Array | None = None
    """Values of the dimension variables, int64 [n, dimensions], in place of their spans."""

    @cached_property
    def _sides(self) -> list[range]:
        rows = [] if self.rows is None else [range(len(self.rows))]
        return [*rows, *self.spans.values()]

    @cached_property
    def count(self) -> int:
        """Number of points, which may exceed int64."""
        return prod(map(len, self._sides))

    def values(self, begin: int, end: int) -> Values:
        """Variables at the points `begin` to `end` (exclusive)."""
        coordinates = self._coordinates(begin, end)
        found: dict[Expression, Int64Array | int] = {**self.fixed}
        if self.rows is not None:
            row, *coordinates = coordinates
            found |= {Dim(number): column[row] for number, column in enumerate(self.rows.T)}
        found.update(zip(self.spans, coordinates, strict=True))
        return found

    def _coordinates(self, begin: int, end: int) -> list[Int64Array | int]:
        """Coordinates along each side; an integer where all points have the first one."""
        sides = self._sides
        varying, size = len(sides), 1
        while varying and size < end:
            varying -= 1
            size *= len(sides[varying])
        found: list[Int64Array | int] = [side.start for side in sides[:varying]]
        if varying == len(sides):
            return found
        numbers = np.unravel_index(np.arange(begin, end), tuple(map(len, sides[varying:])))
        found += map(_take, sides[varying:], numbers)
        return found

    def chunks(self, most: int | None = None, first: int = CHUNK) -> Iterator[tuple[Values, int]]:
        """Yield variables and sizes of chunks, for all points or the first `most`.

        The first chunk has `first` points, each further one up to 8 times as many, at most CHUNK.
        """
        total = self.count if most is None else min(self.count, most)
        begin, size = 0, first
        while begin < total:
            end = min(begin + size, total)
            yield self.values(begin, end), end - begin
            begin, size = end, min(8 * size, CHUNK)


def _take(side: range, numbers: Int64Array) -> Int64Array:
    """The values at the given positions of a range."""
    scaled = numbers if side.step == 1 else numbers * side.step
    return scaled + side.start if side.start else scaled


def span(interval: Interval) -> range:
    """The values of an interval."""
    return range(interval.lower, interval.upper + 1)
