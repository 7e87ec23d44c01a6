"""Rename a value or a function wherever a text mentions it."""

import re
from collections import Counter

from hloscope.engine.limits import Limits
from hloscope.engine.source import Span

from .analysis import Analysis

Edit = tuple[Span, str]
_SPELLED = re.compile(r"([%@]?).*?((?:#[0-9]+)?)", re.DOTALL)
"""A mention: its sigil, the name, and the number of a result."""


class NotRenamed(Exception):
    """The text is unchanged; the message has the reason."""


def renamed(analysis: Analysis, offset: int, name: str, limits: Limits) -> list[Edit]:
    """The edits that give what is mentioned at `offset` another name.

    Raises `NotRenamed` if the text would then be invalid, or a name would denote something else.
    """
    mention = analysis.mention_at(offset)
    if mention is None:
        raise NotRenamed("nothing is renamed: no value and no function is here")
    bare = name.strip().lstrip("%@")
    mentions = {each.span: each for each in analysis.by_key[mention.key]}
    edits = [(span, _respelled(analysis.text[span.start : span.end], bare)) for span in mentions]
    after = Analysis(_applied(analysis.text, edits), analysis.source.name, limits)
    known = Counter(found.kind for found in analysis.diagnostics)
    for found in after.diagnostics:
        known[found.kind] -= 1
        if known[found.kind] < 0:
            raise NotRenamed(f"nothing is renamed, for '{name:.60}' does not fit: {found.text}")
    if _uses(after) != _uses(analysis):
        raise NotRenamed(f"nothing is renamed: another value or function is called '{name:.60}'")
    return edits


def _respelled(mention: str, name: str) -> str:
    sigil, number = _SPELLED.fullmatch(mention).groups()  # type: ignore[union-attr]
    return f"{sigil}{name}{number}"


def _applied(text: str, edits: list[Edit]) -> str:
    for span, new in sorted(edits, key=lambda edit: -edit[0].start):
        text = f"{text[: span.start]}{new}{text[span.end :]}"
    return text


def _uses(analysis: Analysis) -> list[int]:
    """How often what the text defines is mentioned, in the order of first mentions."""
    return [len(found) for found in analysis.by_key.values()]
