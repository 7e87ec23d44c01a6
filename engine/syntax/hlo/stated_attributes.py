"""The attributes of an instruction as a text states them; instructions with the same attributes share them."""

from collections.abc import Iterator, Mapping

from ...ir.attributes import Attribute, OpaqueAttribute
from ...source import Span

COMPUTATIONS = frozenset(
    (
        *("to_apply", "calls", "condition", "body", "select", "scatter", "called_computations"),
        *("true_computation", "false_computation", "branch_computations"),
    )
)
"""Attributes that name or contain computations."""

_NO_OTHERS: Mapping[str, Attribute] = {}


class StatedAttributes:
    """Names, texts and places of attributes, in the order of the text."""

    __slots__ = ("_meaning", "_others", "_places", "computations", "texts")

    def __init__(self, texts: dict[str, str], places: dict[str, Span] | None = None) -> None:
        self.texts = texts
        self.computations = [] if COMPUTATIONS.isdisjoint(texts) else [k for k in texts if k in COMPUTATIONS]
        """The attributes that name or contain computations."""
        self._places = places
        self._meaning: tuple[frozenset[str], tuple[tuple[str, str], ...]] | None = None
        self._others: tuple[set[str], Mapping[str, Attribute]] | None = None

    @property
    def places(self) -> dict[str, Span]:
        """The span of each value, counted from the origin; by default they follow each other as `, name=value`."""
        if self._places is None:
            self._places, end = {}, 0
            for key, text in self.texts.items():
                start = end + len(f", {key}=")
                end = start + len(text)
                self._places[key] = Span(start, end)
        return self._places

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

    def others(self, used: set[str]) -> Mapping[str, Attribute]:
        """The attributes that are not in `used`, as text."""
        if self._others is None or self._others[0] is not used:
            self._others = used, _NO_OTHERS if self.texts.keys() <= used else _Others(self.texts, used)
        return self._others[1]


class _Others(Mapping[str, Attribute]):
    """Attributes as text, made when they are read: a large program has more of them than of anything else."""

    __slots__ = ("_texts", "_used")

    def __init__(self, texts: Mapping[str, str], used: set[str]) -> None:
        self._texts, self._used = texts, used

    def __getitem__(self, key: str) -> Attribute:
        if key in self._used:
            raise KeyError(key)
        return OpaqueAttribute(self._texts[key])

    def __iter__(self) -> Iterator[str]:
        return (key for key in self._texts if key not in self._used)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return repr(dict(self))


def stated_in(text: str, spans: Mapping[str, Span], origin: int = 0) -> StatedAttributes:
    """The attributes whose values have these spans in a text."""
    texts = {key: text[span.start : span.end] for key, span in spans.items()}
    return StatedAttributes(
        texts, {key: Span(span.start - origin, span.end - origin) for key, span in spans.items()}
    )


NOTHING = StatedAttributes({})
