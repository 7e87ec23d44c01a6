"""Split the text of a map into tokens, and report unexpected ones."""

from __future__ import annotations

import re
from typing import NoReturn

from hloscope.engine.errors import ParseError
from hloscope.engine.indexing.core.interval import INT64_MAX, INT64_MIN
from hloscope.engine.source import Source, Span

LONGEST_SHOWN = 20
_BLANK = re.compile(r"\s*")
_PIECE = re.compile(r"\d+|[^\W\d]\w*|->|//|\S")
_LABEL = re.compile(r"[^\W\d]\w*( \w+)?\s*:")
_LINE = re.compile(r"[^\n]*")


class Scanner:
    """Peeks at and consumes the next token; blanks and line breaks only separate."""

    def __init__(self, text: str) -> None:
        self.source = Source(text, name="index map")
        self.text = text
        self.position = 0
        self._skip_blank()

    @property
    def piece(self) -> str:
        """The next number, word or punctuation; empty at the end."""
        found = _PIECE.match(self.text, self.position)
        return found.group() if found else ""

    @property
    def column(self) -> int:
        """Column of the next token, 1-based."""
        return self.source.line_and_column(self.position)[1]

    @property
    def is_number(self) -> bool:
        return self.piece[:1].isdecimal()

    @property
    def is_word(self) -> bool:
        return self.piece[:1].isidentifier()

    @property
    def is_label(self) -> bool:
        """Whether one or two words followed by a colon come next."""
        return _LABEL.match(self.text, self.position) is not None

    def take(self) -> str:
        """Consume and return the next token."""
        piece = self.piece
        self.position += len(piece)
        self._skip_blank()
        return piece

    def skip(self, *pieces: str) -> bool:
        """Consume these tokens if all of them come next."""
        start = self.position
        for piece in pieces:
            if self.piece != piece:
                self.position = start
                return False
            self.take()
        return True

    def expect(self, piece: str) -> None:
        """Consume `piece`; raises ParseError if another token comes next."""
        if not self.skip(piece):
            self.fail(f"'{piece}'")

    def number(self, what: str = "a number") -> int:
        """Consume a signed 64-bit number; raises ParseError."""
        start, negative = self.position, self.skip("-")
        if not self.is_number:
            self.fail(what)
        digits = self.take()
        value = int(digits) if len(digits) < LONGEST_SHOWN else INT64_MAX + 2
        value = -value if negative else value
        if not INT64_MIN <= value <= INT64_MAX:
            raise ParseError("the number does not fit 64 bits", Span(start, self.position))
        return value

    def rest_of_line(self) -> str:
        """Consume the rest of the line."""
        found = _LINE.match(self.text, self.position)
        assert found is not None
        self.position = found.end()
        self._skip_blank()
        return found.group().strip()

    def until(self, end: re.Pattern[str], what: str) -> str:
        """Consume the text before `end` on this line, and `end`; raises ParseError if it is missing."""
        line = _LINE.match(self.text, self.position)
        assert line is not None
        found = end.search(self.text, self.position, line.end())
        if found is None:
            self.fail(what)
        taken = self.text[self.position : found.start()]
        self.position = found.end()
        self._skip_blank()
        return taken.strip()

    def fail(self, expected: str) -> NoReturn:
        """Raise ParseError with the expected and the actual token."""
        found = self.piece
        shown = found if len(found) <= LONGEST_SHOWN else found[:LONGEST_SHOWN] + "…"
        there = f"'{shown}'" if found else "the end of the text"
        span = Span(self.position, self.position + max(1, len(found)))
        raise ParseError(f"expected {expected}, found {there}", span)

    def _skip_blank(self) -> None:
        found = _BLANK.match(self.text, self.position)
        assert found is not None
        self.position = found.end()
