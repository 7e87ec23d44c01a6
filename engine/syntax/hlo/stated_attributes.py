"""The attributes of an instruction as a text states them; instructions with the same attributes share them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from ...ir.attributes import Attribute, OpaqueAttribute
from ...source import Span

COMPUTATIONS = frozenset(
    (
        *("to_apply", "calls", "condition", "body", "select", "scatter", "called_computations"),
        *("true_computation", "false_computation", "branch_computations"),
    )
)
"""Attributes that name or contain computations."""

KnownAttributes: TypeAlias = dict[tuple[tuple[str, str], ...], dict[str, Attribute]]
"""Attributes that are kept as text, by their names and texts."""


class StatedAttributes:
    """Names, places and texts of attributes, in the order of the text."""

    __slots__ = ("_meaning", "_others", "computations", "places", "texts")

    def __init__(self, text: str = "", spans: Mapping[str, Span] | None = None, origin: int = 0) -> None:
        spans = spans or {}
        self.places = {key: Span(span.start - origin, span.end - origin) for key, span in spans.items()}
        """The span of each value, counted from the origin."""
        self.texts = {key: text[span.start : span.end] for key, span in spans.items()}
        self.computations = [key for key in spans if key in COMPUTATIONS]
        """The attributes that name or contain computations."""
        self._meaning: tuple[frozenset[str], tuple[tuple[str, str], ...]] | None = None
        self._others: tuple[set[str], dict[str, Attribute]] | None = None

    def spans(self, origin: int) -> dict[str, Span]:
        """The span of each value in a text."""
        return {key: self.span(key, origin) for key in self.places}

    def span(self, key: str, origin: int) -> Span:
        """The span of one value in a text."""
        place = self.places[key]
        return Span(origin + place.start, origin + place.end)

    def meaning(self, ignored: frozenset[str]) -> tuple[tuple[str, str], ...]:
        """Names and texts except for `ignored`; of computations only names."""
        if self._meaning is None or self._meaning[0] is not ignored:
            found = [
                (key, "" if key in COMPUTATIONS else value)
                for key, value in self.texts.items()
                if key not in ignored
            ]
            self._meaning = ignored, tuple(found)
        return self._meaning[1]

    def others(self, used: set[str], known: KnownAttributes) -> dict[str, Attribute]:
        """The attributes that are not in `used`, as text: the same object for the same names and texts."""
        if self._others is None or self._others[0] is not used:
            key = tuple([item for item in self.texts.items() if item[0] not in used])
            found = known.get(key)
            if found is None:
                found = known[key] = {name: OpaqueAttribute(text) for name, text in key}
            self._others = used, found
        return self._others[1]


NOTHING = StatedAttributes()
