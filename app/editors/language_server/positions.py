"""Convert offsets in code points to and from a client's lines and units (UTF-16)."""

from bisect import bisect_right
from functools import cached_property

from lsprotocol.types import Position, Range
from pygls.workspace import PositionCodec

from hloscope.engine.source import Span


class Positions:
    """Converter for the positions of one text."""

    def __init__(self, text: str, codec: PositionCodec) -> None:
        self._text, self._codec = text, codec

    @cached_property
    def _lines(self) -> list[str]:
        # Not `splitlines`: its line ends differ from the program's.
        return self._text.split("\n")

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        for line in self._lines:
            starts.append(starts[-1] + len(line) + 1)
        return starts

    def position(self, offset: int) -> Position:
        """The client's position of an offset."""
        line = min(bisect_right(self._starts, offset) - 1, len(self._lines) - 1)
        before = self._lines[line][: offset - self._starts[line]]
        return Position(line, self._codec.client_num_units(before))

    def range(self, span: Span) -> Range:
        """The client's range of a span."""
        return Range(self.position(span.start), self.position(span.end))

    def offset(self, position: Position) -> int:
        """The offset of a client's position, or the nearest valid one."""
        line = max(0, min(position.line, len(self._lines) - 1))
        found = self._codec.position_from_client_units(self._lines, Position(line, position.character))
        return self._starts[line] + min(found.character, len(self._lines[line]))

    def end_of_line(self, offset: int) -> Position:
        """The end of the line of an offset."""
        line = self.position(offset).line
        return Position(line, self._codec.client_num_units(self._lines[line].rstrip("\r")))

    @property
    def whole(self) -> Range:
        """The range of the whole text."""
        return self.range(Span(0, len(self._text)))
