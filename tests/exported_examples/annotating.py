"""Annotation of programs that JAX printed: names for values, and notes."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence

LINE_CHARACTERS = 57
"""Maximum characters of a note's line, so that it fits beside the pictures of results."""
_VALUE = re.compile(r"%(\w+)((?::\d+)?(?= = |:))?")
"""A value; the second group matches at its definition if it has several results."""


def annotate(text: str, names: Sequence[str], notes: Mapping[str, str]) -> str:
    """Rename the values of a text in the order of their definitions, and add notes above some.

    The note of `""` goes above the first line.
    """
    waiting = dict(notes)
    lines = [*_comment(waiting.pop("", ""), "")]
    for line in rename_values(text, names).split("\n"):
        defined = [found[1] for found in _VALUE.finditer(line) if found[2] is not None]
        note = next((waiting.pop(name) for name in defined if name in waiting), "")
        lines += [*_comment(note, line[: len(line) - len(line.lstrip())]), line]
    if waiting:
        raise ValueError(f"no value is called {', '.join(waiting)}")
    return "\n".join(lines)


def rename_values(text: str, names: Sequence[str]) -> str:
    """Rename values; MLIR reuses a name only where the old value is out of scope."""
    left = list(reversed(names))
    known: dict[str, str] = {}

    def name_of(found: re.Match[str]) -> str:
        if found[2] is not None:
            known[found[1]] = left.pop()
        return f"%{known[found[1]]}{found[2] or ''}"

    renamed = _VALUE.sub(name_of, text)
    if left:
        raise ValueError(f"the text has {len(left)} values less than there are names")
    return renamed


def _comment(note: str, indent: str) -> list[str]:
    return [f"{indent}// {line}" for line in textwrap.wrap(note, LINE_CHARACTERS - len(indent) - 3)]
