"""Lines that differ from an earlier one only in the names of values, as most lines of large programs do.

The reader builds their operations from what it has made of the earlier line, without parsing attributes and types.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...ir.attributes import Attribute
from ...ir.module import Region
from ...ir.types import Type
from ...source import Span
from ..forms.operation_draft import Draft
from ..forms.reduce_form import applied_region
from ..forms.scopes import Scope

MAX_LINE = 1_000
"""Maximum length of a line that is remembered; longer ones are literals, which rarely repeat."""
MAX_LINES = 20_000
"""Maximum number of lines that are remembered at a time."""
_NAME = re.compile(r"(%(?:[0-9]++|[A-Za-z_$.-][A-Za-z0-9_$.-]*+)(?:#[0-9]{1,6})?+)")


class Line:
    """The rest of a line up to its location: names of values, and the texts around them."""

    __slots__ = ("end", "names", "start", "texts")

    def __init__(self, text: str, start: int) -> None:
        end = text.find("\n", start)
        found = text[start : end if end >= 0 else len(text)]
        location = found.find(" loc(")
        found = (found[:location] if location >= 0 else found).rstrip()
        pieces = _NAME.split(found) if len(found) <= MAX_LINE else [found]
        self.start, self.end = start, start + len(found)
        self.names, self.texts = pieces[1::2], tuple(pieces[::2])

    def spans(self) -> list[Span]:
        """The span of each name."""
        found, start = [], self.start
        for name, text in zip(self.names, self.texts, strict=False):
            start += len(text)
            end = start + len(name)
            found.append(Span(start, end))
            start = end
        return found


@dataclass(frozen=True, slots=True)
class Template:
    """The operation of a line, without its values."""

    name: str
    name_place: tuple[int, int]
    """Distances from the end of the last result's name, or the line's start, to the op's name and its end."""
    counts: Sequence[int]
    """Number of results of each name before the `=`."""
    operands: Sequence[int]
    """Index of each operand among the line's names."""
    operand_types: Sequence[Type]
    result_types: list[Type]
    properties: dict[str, Attribute]
    attributes: Mapping[str, Attribute]
    applied: Region | None
    """The region of the op that the line applies."""
    applied_place: int
    """Distance from the start of that op's name to the end of the line."""
    follower: str
    """First character behind the operation: what comes next may decide where it ends."""

    def name_span(self, line: Line, spans: Sequence[Span]) -> Span:
        """The span of the op's name."""
        origin = _origin(line, spans, len(self.counts))
        return Span(origin + self.name_place[0], origin + self.name_place[1])

    def regions(self, line: Line, scope: Scope) -> tuple[Region, ...]:
        """The region of the op that the line applies, if it applies one."""
        if self.applied is None:
            return ()
        start, span, block = line.end - self.applied_place, self.applied.span, self.applied.block
        place = Span(start, start + span.end - span.start)
        return (applied_region(block.operations[0].name, block.arguments[0].type, place, scope),)


def template_of(line: Line, draft: Draft, counts: Sequence[int], end: int, follower: str) -> Template | None:
    """The template of an operation that ends at `end`; `None` if a line like it may mean something else."""
    spans = line.spans()
    places = {span: index for index, span in enumerate(spans)}
    named = len(counts) + len(draft.operands)
    operands = [places.get(span, -1) for span in draft.operand_spans]
    found = draft.result_types or []
    if line.end != end or named != len(spans) or not named or -1 in operands or sum(counts) != len(found):
        return None
    if draft.successors or (draft.regions and not draft.applies):
        return None
    applied = draft.regions[0] if draft.applies else None
    origin = _origin(line, spans, len(counts))
    return Template(
        draft.name,
        (draft.name_span.start - origin, draft.name_span.end - origin),
        tuple(counts),
        tuple(operands),
        tuple([value.type for value in draft.operands]),
        found,
        draft.properties,
        draft.attributes,
        applied,
        line.end - applied.span.start if applied else 0,
        follower,
    )


def _origin(line: Line, spans: Sequence[Span], results: int) -> int:
    return spans[results - 1].end if results else line.start
