"""Program text, positions in it, and the excerpts that error messages show."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Literal, TypeAlias

EXCERPT_WIDTH = 120
Phase: TypeAlias = Literal["reading", "building", "verifying", "preparing"]
"""What makes a program of a text, in this order; each of the first three comes to each op once."""
OnProgress: TypeAlias = Callable[[Phase, int], None]
"""Called periodically with the current phase and the offset that it has reached."""
OPS_BETWEEN_REPORTS = 256
"""Number of ops between two reports of progress, about a hundredth of a second."""


class Span(int):
    """The half-open range `start` to `end` of a source; offsets count Unicode code points.

    Both are packed into one integer: a program has several spans for each op.
    """

    __slots__ = ()

    def __new__(cls, start: int, end: int) -> Span:
        return int.__new__(cls, start << 32 | end)

    @property
    def start(self) -> int:
        """Offset of the first character."""
        return self >> 32

    @property
    def end(self) -> int:
        """Offset behind the last character."""
        return self & 0xFFFFFFFF

    def to(self, other: Span) -> Span:
        """The span from where this one starts to where `other` ends."""
        return Span(self.start, other.end)

    def __bool__(self) -> bool:
        return True

    def __getnewargs__(self) -> tuple[int, int]:  # type: ignore[override]
        return self.start, self.end

    def __repr__(self) -> str:
        return f"Span({self.start}, {self.end})"


packed_span = partial(int.__new__, Span)
"""A span from `start << 32 | end`, in a third of the time that a call of the class takes."""
NOWHERE = Span(0, 0)


@dataclass(frozen=True)
class Source:
    """One program's text and the name that its diagnostics carry."""

    text: str = field(repr=False)
    name: str = "<input>"
    first_line: int = 1
    """Line number of the first line; above 1 where the text is part of a file."""

    @cached_property
    def _line_starts(self) -> list[int]:
        starts = [0]
        position = self.text.find("\n")
        while position >= 0:
            starts.append(position + 1)
            position = self.text.find("\n", position + 1)
        return starts

    @property
    def line_count(self) -> int:
        """Number of lines; an empty text has one."""
        return len(self._line_starts)

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """Line and column of `offset`, both 1-based; lines count from `first_line`."""
        line = bisect_right(self._line_starts, offset)
        return line + self.first_line - 1, offset - self._line_starts[line - 1] + 1

    def line_span(self, line: int) -> Span:
        """The characters of `line`, numbered as in `line_and_column`, without the line break."""
        line -= self.first_line - 1
        start = self._line_starts[line - 1]
        end = self._line_starts[line] - 1 if line < self.line_count else len(self.text)
        return Span(start, end)

    def line_text(self, line: int) -> str:
        """The text of `line`."""
        span = self.line_span(line)
        return self.text[span.start : span.end]

    def excerpt(self, span: Span) -> str:
        """The first line of `span` with a caret under each of its characters, cut to a readable width."""
        line, column = self.line_and_column(span.start)
        text = self.line_text(line)
        length = max(1, min(span.end, self.line_span(line).end) - span.start)
        first = max(0, column - 1 - EXCERPT_WIDTH // 2) if len(text) > EXCERPT_WIDTH else 0
        shown = _replace_control_characters(text[first : first + EXCERPT_WIDTH])
        length = max(1, min(length, EXCERPT_WIDTH - (column - 1 - first)))
        margin = f"{line:>5} | "
        return f"{margin}{shown}\n{' ' * (len(margin) + column - 1 - first)}{'^' * length}"


def _replace_control_characters(text: str) -> str:
    # Replace each control character by one column, so that the caret stays aligned.
    return "".join(c if c.isprintable() else " " for c in text)
