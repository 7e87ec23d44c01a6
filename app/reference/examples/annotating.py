"""What is done to a program that JAX has printed, so that it can be read: its values get names, its lines notes."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence

LINE_CHARACTERS = 57
"""Of notes: they can be read beside the pictures of the results, on a screen of usual width."""
_VALUE = re.compile(r"%(\w+)((?::\d+)?(?= = |:))?")
"""A value; the group behind it is there where the text defines it, of several results with their number."""


def annotate(text: str, names: Sequence[str], notes: Mapping[str, str]) -> str:
    """The text with `names` for its values, in the order of their definitions, and notes above some of these.

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
    """The text with other names for values; MLIR reuses a name only where the old value can no longer be meant."""
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
