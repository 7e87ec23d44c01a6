"""Delta debugging: a minimal sublist for which a test holds.

Source: Zeller and Hildebrandt, *Simplifying and Isolating Failure-Inducing Input*, 2002, algorithm ddmin.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypeVar

Item = TypeVar("Item")


def ddmin(items: Sequence[Item], holds: Callable[[list[Item]], bool]) -> list[Item]:
    """A sublist for which the test holds, but not without any one of its items.

    The test must hold for all items. ddmin tests single pieces first, then everything but one piece, with ever
    smaller pieces.
    """
    kept, pieces = list(items), 2
    while len(kept) > 1:
        parts = _split(kept, min(pieces, len(kept)))
        alone = next((part for part in parts if holds(part)), None) if pieces <= len(kept) else None
        if alone is not None:
            kept, pieces = alone, 2
            continue
        without = _without_a_part(parts, holds)
        if without is not None:
            kept, pieces = without, max(len(parts) - 1, 2)
        elif len(parts) == len(kept):
            break
        else:
            pieces = 2 * len(parts)
    return kept


def _without_a_part(parts: list[list[Item]], holds: Callable[[list[Item]], bool]) -> list[Item] | None:
    """Try to drop one part, last first, because later ops depend on earlier ones."""
    if len(parts) == 2:
        return None  # the other part alone was tried
    for number in reversed(range(len(parts))):
        rest = [item for other, part in enumerate(parts) if other != number for item in part]
        if holds(rest):
            return rest
    return None


def _split(items: list[Item], count: int) -> list[list[Item]]:
    ends = [len(items) * number // count for number in range(count + 1)]
    return [items[begin:end] for begin, end in pairwise(ends)]
