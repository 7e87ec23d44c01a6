"""Arithmetic progressions of integers as Python `range`s: strided boxes in one dimension.

All steps are at least 1; progressions of fewer than two numbers have step 1, so that equal ones compare
equal.
"""

from collections.abc import Iterator, Sequence
from math import gcd

from ..core.interval import Interval

MAX_PARTS = 8
"""Maximum number of pieces of a difference; beyond it, enumeration is better."""


class TooManyParts(Exception):
    """A difference has too many pieces for boxes."""


def progression(first: int, count: int, step: int = 1) -> range:
    """`count` numbers from `first` on; a negative `step` gives the same numbers in ascending order."""
    if count <= 1 or step == 0:
        return range(first, first + min(count, 1))
    if step < 0:
        return range(first + (count - 1) * step, first + 1, -step)
    return range(first, first + (count - 1) * step + 1, step)


def intersect(left: range, right: range) -> range:
    """The numbers in both progressions."""
    if left.step == right.step == 1:
        first = max(left.start, right.start)
        return range(first, max(first, min(left.stop, right.stop)))
    shared = gcd(left.step, right.step)
    if not left or not right or (right.start - left.start) % shared:
        return range(0)
    step = left.step // shared * right.step
    # The least common number if both were infinite (Chinese remainder theorem).
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
    """The numbers outside `removed`, a subset of them; `TooManyParts` if they are too scattered."""
    step, first, last = numbers.step, removed[0], removed[-1]
    if before := progression(numbers.start, (first - numbers.start) // step, step):
        yield before
    factor = removed.step // step if len(removed) > 1 else 1
    if factor > MAX_PARTS:
        raise TooManyParts
    for residue in range(1, factor):
        yield progression(first + residue * step, len(removed) - 1, removed.step)
    if after := progression(last + step, (numbers[-1] - last) // step, step):
        yield after


def join(left: range, right: range) -> range | None:
    """The union of two disjoint progressions, if it is a progression; otherwise `None`."""
    if right.start < left.start:
        left, right = right, left
    gap = right.start - left[-1]
    steps = {numbers.step for numbers in (left, right) if len(numbers) > 1}
    if len(steps) > 1 or gap != (steps.pop() if steps else 1):
        return None
    return progression(left.start, len(left) + len(right), gap)


def combine(terms: Sequence[tuple[range, int]], constant: int) -> range | None:
    """All sums `constant` + factor * x, with each x in its range; `None` if they form no progression."""
    total = progression(constant, 1)
    for numbers, factor in sorted(terms, key=lambda term: abs(term[1] * term[0].step)):
        found = _sum(total, progression(numbers[0] * factor, len(numbers), numbers.step * factor))
        if found is None:
            return None
        total = found
    return total


def _sum(left: range, right: range) -> range | None:
    """All sums of a number of each; `None` if they form no progression."""
    if len(left) == 1 or len(right) == 1:
        moved, by = (left, right[0]) if len(right) == 1 else (right, left[0])
        return range(moved.start + by, moved.stop + by, moved.step)
    # There are no gaps only if the coarser step is a multiple that the finer progression spans.
    if right.step % left.step or right.step > left.step * len(left):
        return None
    first, last = left.start + right.start, left[-1] + right[-1]
    return progression(first, (last - first) // left.step + 1, left.step)
