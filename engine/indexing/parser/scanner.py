"""The text of a map, piece by piece, and what to say when a piece is not the one expected."""

from __future__ import annotations

import re
from typing import NoReturn

from ...errors import ParseError
from ...source import Source, Span
from ..interval import INT64_MAX, INT64_MIN

LONGEST_SHOWN = 20
_BLANK = re.compile(r"\s*")
_PIECE = re.compile(r"\d+|[^\W\d]\w*|->|//|\S")
_LABEL = re.compile(r"[^\W\d]\w*( \w+)?\s*:")
_LINE = re.compile(r"[^\n]*")


class Scanner:
    """Looks at the next piece and takes it; white space and line breaks only separate."""

    def __init__(self, text: str) -> None:
        self.source = Source(text, name="index map")
        self.text = text
        self.position = 0
        self._skip_blank()

    @property
    def piece(self) -> str:
        """The next number, word or sign; empty at the end."""
        found = _PIECE.match(self.text, self.position)
        return found.group() if found else ""

    @property
    def column(self) -> int:
        """Of the next piece, counted from 1."""
        return self.source.line_and_column(self.position)[1]

    @property
    def is_number(self) -> bool:
        return self.piece[:1].isdecimal()

    @property
    def is_word(self) -> bool:
        return self.piece[:1].isidentifier()

    @property
    def is_label(self) -> bool:
        """Whether a word with a colon or two words with one come next."""
        return _LABEL.match(self.text, self.position) is not None

    def take(self) -> str:
        """The next piece, gone past."""
        piece = self.piece
        self.position += len(piece)
        self._skip_blank()
        return piece

    def skip(self, *pieces: str) -> bool:
        """Goes past these pieces if they come next, all of them."""
        start = self.position
        for piece in pieces:
            if self.piece != piece:
                self.position = start
                return False
            self.take()
        return True

    def expect(self, piece: str) -> None:
        """Raises ParseError when another piece comes next."""
        if not self.skip(piece):
            self.fail(f"'{piece}'")

    def number(self, what: str = "a number") -> int:
        """A 64-bit number with its sign; raises ParseError."""
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
        """What is left of the line, gone past."""
        found = _LINE.match(self.text, self.position)
        assert found is not None
        self.position = found.end()
        self._skip_blank()
        return found.group().strip()

    def until(self, end: re.Pattern[str], what: str) -> str:
        """The text of this line before `end`, gone past both; raises ParseError when `end` is not in the line."""
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
        """Raises ParseError: what was expected here, and what there is."""
        found = self.piece
        shown = found if len(found) <= LONGEST_SHOWN else found[:LONGEST_SHOWN] + "…"
        there = f"'{shown}'" if found else "the end of the text"
        span = Span(self.position, self.position + max(1, len(found)))
        raise ParseError(f"expected {expected}, found {there}", span)

    def _skip_blank(self) -> None:
        found = _BLANK.match(self.text, self.position)
        assert found is not None
        self.position = found.end()
