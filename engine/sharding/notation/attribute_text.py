"""Read attributes that are kept as text: shardings and meshes.

`Reading` is the interface that their readers need; the cursors of `syntax` implement it too, so that the
readers also work inside a program's text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NoReturn, Protocol, TypeVar

from ...errors import ParseError
from ...ir.words import WORD, Words
from ...source import Span

Item = TypeVar("Item")


class Reading(Protocol):
    """A position in a text; every method skips the blanks after what it read."""

    text: str
    position: int
    end: int

    def peek(self, text: str) -> bool:
        """Whether `text` comes next."""

    def peek_word(self) -> str:
        """The next word, or an empty string."""

    def accept(self, text: str) -> bool:
        """Read `text` if it comes next."""

    def accept_word(self, word: str) -> bool:
        """Read `word` if it comes next as a whole word."""

    def match(self, expression: re.Pattern[str]) -> re.Match[str] | None:
        """Read what `expression` matches here, if it does."""

    def expect(self, text: str, where: str = "") -> None:
        """Read `text`, which must come next."""

    def expect_word(self, word: str, where: str = "") -> None:
        """Read `word`, which must come next."""

    def word(self, what: str) -> str:
        """Read a word."""

    def integer(self, what: str = "an integer") -> int:
        """Read a decimal integer."""

    def string(self, what: str = "a string") -> str:
        """Read a string in quotes."""

    def enter(self, opening: str, where: str = "") -> None:
        """Read an opening bracket."""

    def leave(self, where: str = "") -> None:
        """Read the closing bracket of the innermost open one."""

    def list_of(self, opening: str, read: Callable[[], Item], where: str = "") -> list[Item]:
        """Read comma-separated items in brackets."""

    def each(self, opening: str, where: str = "") -> Iterator[None]:
        """Yield before each item in brackets so that the caller reads it."""

    def read_balanced(self, opening: str) -> str:
        """Read from `opening` to its closing bracket."""

    def fail_expecting(self, what: str, hint: str | None = None) -> NoReturn:
        """Raise the error that `what` is expected here."""

    def fail(self, message: str, start: int, hint: str | None = None) -> NoReturn:
        """Raise an error about the text read since `start`."""


_BLANKS = re.compile(r"(?:\s++|/\*(?:[^*]++|\*(?!/))*+\*/)*+")
_INTEGER = re.compile(r"-?[0-9]{1,18}(?![0-9])")
_STRING = re.compile(r"""(?s:"((?:[^"\\]++|\\.)*+)"|'((?:[^'\\]++|\\.)*+)')""")
_ESCAPE = re.compile(r"\\(?:([0-9A-Fa-f]{2})|(.))", re.DOTALL)
_UP_TO_BRACKET = re.compile(rf"(?:[^(){{}}<>\[\]\"'-]++|->|-|{_STRING.pattern})*+")
_TOKEN = re.compile(rf"{WORD.pattern}|{_INTEGER.pattern}|{_STRING.pattern}|.", re.DOTALL)
_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}


class Text(Words):
    """Reads `text` from the start. Errors are `ParseError`s with spans in `text`."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.end = 0
        """End of the last token read."""
        self.position = 0
        self._open: list[str] = []
        self.move(0)

    def move(self, position: int) -> None:
        """Move to `position`, past any blanks there."""
        self.end = position
        self.position = _BLANKS.match(self.text, position).end()  # type: ignore[union-attr]

    def finish(self) -> None:
        """Fail unless the whole text was read."""
        if self.position < len(self.text):
            self.fail_expecting("the end of the text")

    def expect(self, text: str, where: str = "") -> None:
        """Read `text`, which must come next."""
        if not self.accept(text):
            self.fail_expecting(f"'{text}'{where}")

    def integer(self, what: str = "an integer") -> int:
        """Read a decimal integer."""
        match = self.match(_INTEGER)
        return int(match[0]) if match else self.fail_expecting(what)

    def string(self, what: str = "a string") -> str:
        """Read a string in quotes of either kind."""
        match = self.match(_STRING)
        if match is None:
            self.fail_expecting(what)
        found: str = match[1] if match[1] is not None else match[2]
        return unescape(found)

    def enter(self, opening: str, where: str = "") -> None:
        """Read an opening bracket."""
        self.expect(opening, where)
        self._open.append(_CLOSING[opening])

    def leave(self, where: str = "") -> None:
        """Read the closing bracket of the innermost open one."""
        self.expect(self._open.pop(), where)

    def list_of(self, opening: str, read: Callable[[], Item], where: str = "") -> list[Item]:
        """Read comma-separated items in brackets."""
        return [read() for _ in self.each(opening, where)]

    def each(self, opening: str, where: str = "") -> Iterator[None]:
        """Yield before each item in brackets so that the caller reads it."""
        self.enter(opening, where)
        if not self.peek(_CLOSING[opening]):
            yield
            while self.accept(","):
                yield
            if not self.peek(_CLOSING[opening]):
                self.fail_expecting(f"',' or '{_CLOSING[opening]}'")
        self.leave()

    def read_balanced(self, opening: str) -> str:
        """Read from `opening` to its closing bracket and return the text, brackets included."""
        start = position = self.position
        if not self.peek(opening):
            self.fail_expecting(f"'{opening}'")
        waiting: list[str] = []
        while position < len(self.text):
            bracket = self.text[position]
            if bracket in _CLOSING:
                waiting.append(_CLOSING[bracket])
            elif bracket != waiting.pop():
                self.fail(f"'{bracket}' closes nothing", position)
            position += 1
            if not waiting:
                self.move(position)
                return self.text[start:position]
            position = _UP_TO_BRACKET.match(self.text, position).end()  # type: ignore[union-attr]
        raise ParseError(f"this '{opening}' is never closed", Span(start, start + 1))

    def fail_expecting(self, what: str, hint: str | None = None) -> NoReturn:
        """Raise the error that `what` is expected here."""
        match = _TOKEN.match(self.text, self.position)
        found = f"'{match[0][:40]}'" if match else "the end of the text"
        end = match.end() if match else self.position
        raise ParseError(f"expected {what}, found {found}", Span(self.position, end), hint=hint)

    def fail(self, message: str, start: int, hint: str | None = None) -> NoReturn:
        """Raise an error about the text read since `start`."""
        raise ParseError(message, Span(start, max(self.end, start + 1)), hint=hint)


def unescape(text: str) -> str:
    r"""Replace escapes such as `\"`, `\n` and `\22` in `text`."""
    if "\\" not in text:
        return text
    short = {"n": "\n", "t": "\t"}
    return _ESCAPE.sub(
        lambda match: chr(int(match[1], 16)) if match[1] else short.get(match[2], match[2]), text
    )


Found = TypeVar("Found")


def read_whole(text: str, read: Callable[[Text], Found]) -> Found:
    """Apply `read` to all of `text`; `ValueError` states what is wrong."""
    reading = Text(text)
    try:
        found = read(reading)
        reading.finish()
    except ParseError as error:
        raise ValueError(error.message) from None
    return found
