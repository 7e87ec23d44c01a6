"""The text of an answer: JSON, one object per line, within limits that fit an agent's context window."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from ..answers.lines import first_of

MOST_LINES = 40
MOST_CHARACTERS = 6_000
LONGEST_STRING = 1_500
MOST_PARTS = 64

Item = Mapping[str, Any]


def text_of(items: Iterable[Item], more: str = "") -> str:
    """One line for each object, as far as they fit; `more` says how to get what follows them."""
    lines: list[str] = []
    left = MOST_CHARACTERS
    for item in items:
        line = json.dumps(_short(item), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        left -= len(line)
        if lines and (left < 0 or len(lines) == MOST_LINES):
            more = more or "The answer was cut here: ask for fewer lines, or a narrower part."
            break
        lines.append(line[:MOST_CHARACTERS])
    if more:
        lines.append(json.dumps({"more": more}, ensure_ascii=False, separators=(",", ":")))
    return "\n".join(lines)


def _short(value: Any) -> Any:
    """The value with long strings cut, and without fields that are null."""
    if isinstance(value, str):
        return (
            value
            if len(value) <= LONGEST_STRING
            else f"{value[:LONGEST_STRING]}… ({len(value):,} characters)"
        )
    if isinstance(value, Mapping):
        return {name: _short(part) for name, part in value.items() if part is not None}
    if isinstance(value, list | tuple):
        return [_short(part) for part in first_of(value, MOST_PARTS)]
    return value
