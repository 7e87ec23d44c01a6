"""How what is not a number is spelled for people: NaN, +Inf and -Inf."""

from __future__ import annotations

import re

_WRONG = re.compile(r"(?<![\w.])(?:nan|[+-]?inf|(?<![+-])Inf|[+-]?Infinity|NAN|INF)(?!\w)")
"""Any other spelling, as a word."""


def misspelled(text: str) -> list[str]:
    """What is spelled otherwise in a text, with what is around it. `NaN and Inf`, of both signs, are not numbers but kinds."""
    kinds = re.sub(r"\b(NaN(?: and | or |/))Inf\b", r"\1infinity", text)
    return [kinds[max(0, found.start() - 30) : found.end() + 30] for found in _WRONG.finditer(kinds)]
