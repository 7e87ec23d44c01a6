"""The nearest known name, for the hint under an error."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

MAX_NAMES = 5000


def nearest(name: str, known: Iterable[str], what: str = "did you mean") -> str | None:
    """`did you mean 'x'?`, or nothing where no name is near."""
    # Comparing with very many, very long names would take longer than reading the program.
    candidates = [candidate for candidate, _ in zip(known, range(MAX_NAMES), strict=False)]
    found = get_close_matches(name[:100], [c for c in candidates if len(c) <= 100], n=1, cutoff=0.6)
    return f"{what} '{found[0]}'?" if found else None
