"""Arithmetic progressions of integers, as Python's `range`: what a strided box is along one dimension.

All have a step of at least 1; those of fewer than two numbers have step 1, so that equal ones are equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import gcd

from ..interval import Interval

MOST_PARTS = 8
"""A difference of more pieces is better enumerated."""


class TooManyParts(Exception):
    """A difference has more pieces than boxes are good for."""


def progression(first: int, count: int, step: int = 1) -> range:
    """`count` numbers from `first` on; a negative `step` gives the same numbers from the other end."""
    if count <= 1 or step == 0:
        return range(first, first + min(count, 1))
    if step < 0:
        return range(first + (count - 1) * step, first + 1, -step)
    return range(first, first + (count - 1) * step + 1, step)


def meet(left: range, right: range) -> range:
    """The numbers in both."""
    if left.step == right.step == 1:
        first = max(left.start, right.start)
        return range(first, max(first, min(left.stop, right.stop)))
    shared = gcd(left.step, right.step)
    if not left or not right or (right.start - left.start) % shared:
        return range(0)
    step = left.step // shared * right.step
    # The least number that is in both when they have no ends (Chinese remainders).
    inverse = pow(left.step // shared, -1, right.step // shared) if right.step != shared else 0
    turns = (right.start - left.start) // shared * inverse % (right.step // shared)
    first = left.start + turns * left.step
    lowest = max(left.start, right.start)
    first -= (first - lowest) // step * step
    last = min(left[-1], right[-1])
    return progression(first, (last - first) // step + 1 if last >= first else 0, step)


def clip(numbers: range, interval: Interval) -> range:
    """The numbers that lie in `interval`."""
    if not numbers or (interval.lower <= numbers[0] and numbers[-1] <= interval.upper):
        return numbers
    skipped = max(0, -((numbers.start - interval.lower) // numbers.step))
    kept = (min(interval.upper, numbers[-1]) - numbers.start) // numbers.step + 1
    return progression(numbers.start + skipped * numbers.step, max(0, kept - skipped), numbers.step)


def subtract(numbers: range, removed: range) -> Iterator[range]:
    """The numbers that are not in `removed`, all of which are in `numbers`; `TooManyParts` if they are too scattered."""
    step, first, last = numbers.step, removed[0], removed[-1]
    if before := progression(numbers.start, (first - numbers.start) // step, step):
        yield before
    factor = removed.step // step if len(removed) > 1 else 1
    if factor > MOST_PARTS:
        raise TooManyParts
    for residue in range(1, factor):
        yield progression(first + residue * step, len(removed) - 1, removed.step)
    if after := progression(last + step, (numbers[-1] - last) // step, step):
        yield after


def join(left: range, right: range) -> range | None:
    """The two, which have no number in common, as one progression; `None` where they make none."""
    if right.start < left.start:
        left, right = right, left
    gap = right.start - left[-1]
    steps = {numbers.step for numbers in (left, right) if len(numbers) > 1}
    if len(steps) > 1 or gap != (steps.pop() if steps else 1):
        return None
    return progression(left.start, len(left) + len(right), gap)


def combine(terms: Sequence[tuple[range, int]], constant: int) -> range | None:
    """The numbers `constant` + sum of factor * x, each x in its range; `None` if they make no progression."""
    total = progression(constant, 1)
    for numbers, factor in sorted(terms, key=lambda term: abs(term[1] * term[0].step)):
        found = _sum(total, progression(numbers[0] * factor, len(numbers), numbers.step * factor))
        if found is None:
            return None
        total = found
    return total


def _sum(left: range, right: range) -> range | None:
    """Every number of the one plus every number of the other."""
    if len(left) == 1 or len(right) == 1:
        moved, by = (left, right[0]) if len(right) == 1 else (right, left[0])
        return range(moved.start + by, moved.stop + by, moved.step)
    # Without holes only if a turn of the coarser one is a multiple that the finer one reaches across.
    if right.step % left.step or right.step > left.step * len(left):
        return None
    first, last = left.start + right.start, left[-1] + right[-1]
    return progression(first, (last - first) // left.step + 1, left.step)
