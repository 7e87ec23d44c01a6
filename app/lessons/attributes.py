"""Attributes of directives, `key="value"`, and the run positions that they state."""

import re
from collections.abc import Collection, Mapping
from difflib import get_close_matches

from .tree import At, LessonError

_ATTRIBUTE = re.compile(r"""([A-Za-z_]\w*)=(?:"([^"]*)"|'([^']*)'|([^\s"']+))(?=\s|$)""")
_VALUE = re.compile(r'%(?:[\w$.-]+|"[^"]+")(?:#\d+)?')
_LINE = re.compile(r"line\s+(\d{1,6})")
_INDEX = re.compile(r"\[?\s*(\d{1,9}(?:\s*,\s*\d{1,9})*)?\s*\]?")
LARGEST = 1 << 31
PLACE = ("at", "iteration", "occurrence", "process")
"""The attributes of a position."""


def read_attributes(text: str, line: int, directive: str, known: Collection[str]) -> dict[str, str]:
    """The attributes of a directive by name; `LessonError` for invalid or unknown ones."""
    found: dict[str, str] = {}
    at = 0
    while rest := text[at:].lstrip():
        at = len(text) - len(rest)
        match = _ATTRIBUTE.match(text, at)
        if match is None:
            word = rest.split()[0]
            raise LessonError(line, f"`{word:.60}` is not an attribute of {directive}", 'Write NAME="VALUE".')
        name = match[1]
        if name not in known:
            raise LessonError(line, f"{directive} has no attribute `{name}`", nearest(name, known))
        if name in found:
            raise LessonError(line, f"`{name}` appears twice in {directive}")
        found[name] = next(part for part in match.groups()[1:] if part is not None)
        at = match.end()
    return found


def nearest(word: str, known: Collection[str]) -> str:
    """A hint: the known words spelled like `word`, or else all."""
    near = get_close_matches(word, known, 1, 0.6)
    return f"Did you mean `{near[0]}`?" if near else f"Known are {', '.join(f'`{name}`' for name in known)}."


def whole(found: Mapping[str, str], name: str, line: int, least: int = 0) -> int | None:
    """An attribute that is a whole number; `None` if absent."""
    text = found.get(name)
    if text is None:
        return None
    if not text.isdecimal() or not least <= int(text) < LARGEST:
        raise LessonError(line, f"`{name}` is a whole number from {least} on, not `{text:.40}`")
    return int(text)


def read_place(found: Mapping[str, str], line: int) -> At | None:
    """The position in `at`, `iteration`, `occurrence` and `process`; `None` without `at`."""
    text = found.get("at")
    if text is None:
        for name in ("iteration", "occurrence"):
            if name in found:
                raise LessonError(line, f"`{name}` needs a place", 'Write at="%name" too.')
        return None
    process = whole(found, "process", line) or 0
    kind, value, number = _place(text.strip(), line)
    iteration, occurrence = whole(found, "iteration", line), whole(found, "occurrence", line, 1)
    if kind in ("start", "end") and (iteration is not None or occurrence is not None):
        raise LessonError(line, f'at="{kind}" is one place: it has no iteration and no occurrence')
    return At(kind, value, number, iteration, occurrence, process)


def _place(text: str, line: int) -> tuple[str, str, int]:
    if text in ("start", "end"):
        return text, "", 0
    if _VALUE.fullmatch(text):
        return "value", text, 0
    if text.startswith("before ") and _VALUE.fullmatch(text[7:].strip()):
        return "before", text[7:].strip(), 0
    if found := _LINE.fullmatch(text):
        return "line", "", int(found[1])
    hint = 'Write at="start", "end", "%2", "before %2" or "line 5".'
    if text.isdecimal():
        hint += " A number of a step would not survive a change of the program."
    raise LessonError(line, f'at="{text:.60}" is not a place in a run', hint)


def read_value(text: str, line: int, name: str) -> str:
    """An attribute that names a value."""
    if not _VALUE.fullmatch(text.strip()):
        raise LessonError(line, f"`{name}` names a value, not `{text:.60}`", f'Write {name}="%2".')
    return text.strip()


def read_index(text: str, line: int, name: str) -> tuple[int, ...]:
    """An attribute that is the index of an element: `1,0`; for a scalar `` or `[]`."""
    found = _INDEX.fullmatch(text.strip())
    if found is None:
        raise LessonError(
            line, f"`{name}` is the index of an element, not `{text:.60}`", f'Write {name}="1,0".'
        )
    return tuple(int(part) for part in found[1].split(",")) if found[1] else ()
