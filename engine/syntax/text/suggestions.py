"""The nearest known name, for the hint of an error."""

from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches
from itertools import takewhile

MAX_NAMES = 5000


def nearest(name: str, known: Iterable[str], *, prefix: str = "", likeness: float = 0.6) -> str | None:
    """`did you mean 'x'?`, with `prefix` before the name, or `None` if no name is near."""
    # Comparing with very many or very long names would take longer than reading the program.
    candidates = [candidate for candidate, _ in zip(known, range(MAX_NAMES), strict=False)]
    found = get_close_matches(name[:100], [c for c in candidates if len(c) <= 100], n=5, cutoff=likeness)
    if not found and len(name) > 2:  # an abbreviation, such as neg of negate
        found = [candidate for candidate in candidates if candidate.startswith(name)]
    if not found:
        return None
    best = max(found, key=lambda candidate: (_ratio(name, candidate), _shared_start(name, candidate)))
    return f"did you mean '{prefix}{best}'?"


def _shared_start(one: str, other: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _ratio(name: str, candidate: str) -> float:
    return round(SequenceMatcher(None, candidate, name).ratio(), 3)
