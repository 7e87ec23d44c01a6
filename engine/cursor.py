"""A position in a program's text, with methods that read words, numbers, strings and brackets.

There is no token list: the meaning of characters depends on their position (`2x3xf32` is a shape only inside
a type), so each reader states what it expects. `position` is always at the start of the next token. All
expressions are possessive or free of nested repetition, so reading takes linear time.
"""

import re
from collections.abc import Callable, Iterator
from typing import ClassVar, NoReturn, TypeVar

from .errors import LimitError, ParseError
from .limits import Limits
from .source import OnProgress, Source, Span

Item = TypeVar("Item")

WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_$.]*+")
BLANKS = re.compile(r"(?:[ \t\r\n]++|//[^\n]*+)*+")
VALUE_NAME = re.compile(r"%(?:[0-9]++|[A-Za-z_$.-][A-Za-z0-9_$.-]*+)")
BLOCK_NAME = re.compile(r"\^(?:[0-9]++|[A-Za-z_$.-][A-Za-z0-9_$.-]*+)")
_SYMBOL = re.compile(r"@[A-Za-z_][A-Za-z0-9_$.]*+")
_INTEGER = re.compile(r"[0-9]++")
NUMBER = re.compile(r"[-+]?(?:0x[0-9A-Fa-f]++|[0-9]++(?:\.[0-9]*+)?+(?:[eE][-+]?[0-9]++)?+)")
STRING = re.compile(r'"(?:[^"\\\n]++|\\.)*+"')
_STRING_OPENING = re.compile(r'"(?:[^"\\\n]++|\\[^\n])*+')
_ESCAPE = re.compile(rb'\\(?:(["\\nt])|([0-9A-Fa-f]{2})|(.?))', re.DOTALL)
_OPAQUE = re.compile(r'(?:[^<>()\[\]{}"\-]|-(?!>))++|->|"(?:[^"\\\n]++|\\.)*+"|[<>()\[\]{}]')
CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">", "<{": "}>"}
_CLOSINGS = frozenset(CLOSING.values())
_SEARCHED = 65_536
"""Characters in which a closing bracket is searched: a text may have a hundred errors."""


class Cursor:
    """Reads `source` from the start; every method skips the blanks and comments after what it read."""

    blanks: ClassVar[re.Pattern[str]] = BLANKS
    """Text between tokens that has no meaning."""
    tokens: ClassVar[tuple[re.Pattern[str], ...]] = (WORD, VALUE_NAME, _SYMBOL, NUMBER, STRING)
    """Tokens that an error message quotes in full."""
    balanced: ClassVar[re.Pattern[str]] = _OPAQUE
    """A bracket, or text without any."""

    def __init__(self, source: Source, limits: Limits) -> None:
        _check_text(source.text, limits)
        self.source, self.text, self.limits = source, source.text, limits
        self.on_progress: OnProgress | None = None
        self.end = 0
        """End of the last token read."""
        self.depth = 0
        self.deepest = 0
        self._open: list[tuple[str, int]] = []
        self.position = 0
        self.move(0)

    def move(self, position: int) -> None:
        """Move to `position`, past any blanks there."""
        self.end = position
        self.position = self.blanks.match(self.text, position).end()  # type: ignore[union-attr]

    @property
    def at_end(self) -> bool:
        """Whether the whole text has been read."""
        return self.position >= len(self.text)

    # The next token

    def peek(self, text: str) -> bool:
        """Whether `text` comes next, whatever follows."""
        return self.text.startswith(text, self.position)

    def peek_word(self) -> str:
        """The next word, or an empty string."""
        match = WORD.match(self.text, self.position)
        return match[0] if match else ""

    def accept(self, text: str) -> bool:
        """Consume `text` if it comes next."""
        if not self.text.startswith(text, self.position):
            return False
        self.move(self.position + len(text))
        return True

    def accept_word(self, word: str) -> bool:
        """Consume `word` if it comes next as a whole word."""
        return self.peek_word() == word and self.accept(word)

    def match(self, expression: re.Pattern[str]) -> re.Match[str] | None:
        """Consume the match of `expression` at this position, if there is one."""
        match = expression.match(self.text, self.position)
        if match:
            self.move(match.end())
        return match

    def expect_word(self, word: str, where: str = "") -> None:
        """Consume `word`, which must come next as a whole word."""
        if not self.accept_word(word):
            self.fail_expecting(f"'{word}'{where}")

    def word(self, what: str) -> str:
        """Consume a word."""
        match = self.match(WORD)
        return match[0] if match else self.fail_expecting(what)

    def expect(self, text: str, where: str = "") -> None:
        """Read `text`, which must come next."""
        if not self.accept(text):
            self.fail_expecting(f"'{text}'{where}", closing=text in _CLOSINGS)

    def integer(self, what: str = "an integer") -> int:
        """Read a decimal integer with an optional sign, within 64 bits."""
        start = self.position
        negative = self.accept("-")
        match = self.match(_INTEGER)
        if not match:
            self.position = start
            self.fail_expecting(what)
        if len(match[0]) > 20 or int(match[0]) >= 1 << 64:
            self.fail(f"{match[0][:30]} does not fit in 64 bits", start)
        return -int(match[0]) if negative else int(match[0])

    # Strings and symbols

    def string(self, what: str = "a string") -> str:
        """Read a quoted string; bytes that are not UTF-8 become surrogate escapes."""
        match = STRING.match(self.text, self.position)
        if not match:
            self._no_string(what)
        start = self.position
        self.move(match.end())
        return self._unescape(match[0][1:-1], start + 1)

    def _no_string(self, what: str) -> NoReturn:
        opening = _STRING_OPENING.match(self.text, self.position)
        if not opening:
            self.fail_expecting(what)
        line = self.source.line_and_column(self.position)[0]
        span = Span(self.position, opening.end())
        raise ParseError(
            "this string is not closed", span, hint=f'add a " on line {line}, where it was opened'
        )

    def _unescape(self, text: str, start: int) -> str:
        if "\\" not in text:
            return text

        def replace(match: re.Match[bytes]) -> bytes:
            if match[1]:
                return {b"n": b"\n", b"t": b"\t"}.get(match[1], match[1])
            if match[2]:
                return bytes.fromhex(match[2].decode())
            place = text.encode()[: match.start()].decode(errors="ignore")
            span = Span(start + len(place), start + len(place) + 2)
            hint = r"escapes are \" \\ \n \t and two hexadecimal digits, as in \0A"
            raise ParseError("unknown escape in a string", span, hint=hint)

        return _ESCAPE.sub(replace, text.encode()).decode("utf-8", "surrogateescape")

    def symbol(self, what: str = "a name that starts with '@'") -> str:
        """Read `@name` or `@"name"`, without the `@`."""
        if self.peek('@"'):
            self.position += 1
            return self.string()
        match = self.match(_SYMBOL)
        return match[0][1:] if match else self.fail_expecting(what)

    def key(self, what: str = "a name") -> str:
        """Read an attribute's name: a word, or a string."""
        return self.string() if self.peek('"') else self.word(what)

    # Brackets

    def enter(self, opening: str, where: str = "") -> None:
        """Read an opening bracket and record it for the error message if it is never closed."""
        start = self.position
        self.expect(opening, where)
        self._open.append((opening, start))
        self.deepen(start)

    def leave(self, where: str = "") -> None:
        """Read the closing bracket of the innermost open one."""
        self.expect(CLOSING[self._open[-1][0]], where)
        self._open.pop()
        self.depth -= 1

    def innermost(self) -> int | None:
        """Position of the innermost open bracket."""
        return self._open[-1][1] if self._open else None

    def deepen(self, start: int, levels: int = 1) -> None:
        """Add `levels` of nesting; the caller subtracts them from `depth` again."""
        self.depth += levels
        self.deepest = max(self.deepest, self.depth)
        if self.depth > self.limits.max_nesting:
            message = f"nested more than {self.limits.max_nesting} levels deep"
            raise LimitError(message, Span(start, start + 1), label="max_nesting")

    def list_of(self, opening: str, read: Callable[[], Item], where: str = "") -> list[Item]:
        """Read `opening`, comma-separated items, and the closing bracket."""
        items: list[Item] = []
        for _ in self.each(opening, where):
            items.append(read())  # noqa: PERF401 - a comprehension is a frame more for each level
        return items

    def each(self, opening: str, where: str = "") -> Iterator[None]:
        """Read `opening`, yield before each item so that the caller reads it, and read the closing bracket.

        The caller recurses from the loop's body, which saves a Python frame per level.
        """
        self.enter(opening, where)
        closing = CLOSING[opening]
        if not self.peek(closing):
            yield
            while self.accept(","):
                yield
            if not self.peek(closing):
                self.fail_expecting(f"',' or '{closing}'", closing=True)
        self.leave()

    def read_balanced(self, opening: str) -> str:
        """Read from `opening` to its closing bracket and return the text, brackets included."""
        start = self.position
        if not self.peek(opening):
            self.fail_expecting(f"'{opening}'")
        stack: list[str] = []
        position = start
        while match := self.balanced.match(self.text, position):
            token, position = match[0], match.end()
            if token in CLOSING:
                stack.append(CLOSING[token])
                if self.depth + len(stack) > self.limits.max_nesting:
                    self.deepen(match.start(), len(stack))
            elif token in (")", "]", "}", ">"):
                if token != stack.pop():
                    line = self.source.line_and_column(start)[0]
                    span = Span(match.start(), match.end())
                    hint = f"it is between brackets opened on line {line}"
                    raise ParseError(f"'{token}' closes nothing", span, hint=hint)
                if not stack:
                    self.move(position)
                    return self.text[start:position]
        hint = self._open_bracket(opening, start)
        raise ParseError(f"this '{opening}' is never closed", Span(start, start + 1), hint=hint)

    # Errors

    def span_from(self, start: int) -> Span:
        """The span from `start` to the end of the last token read."""
        return Span(start, self.end if self.end > start else start)

    def fail_expecting(
        self, what: str, hint: str | None = None, *, closing: bool = False, here: bool = False
    ) -> NoReturn:
        """Raise the error that `what` is expected here.

        Where the line ends, the error is at its end rather than at the start of the next line, unless `here`
        is set. `closing` says that the innermost open bracket may lack its closing one.
        """
        if hint is None and self._open:
            bracket, start = self._open[-1]
            if self.at_end or (closing and not self._is_closed(start)):
                hint = self._open_bracket(bracket, start)
        if not here and "\n" in self.text[self.end : self.position]:
            found, span = "the end of the line", Span(self.end, self.end)
        else:
            span = self._next_token()
            found = f"'{_shorten(self.text[span.start : span.end])}'"
        if self.at_end:
            found = "the end of the text"
        raise ParseError(f"expected {what}, found {found}", span, hint=hint)

    def fail(self, message: str, start: int, hint: str | None = None) -> NoReturn:
        """Raise an error about the text read since `start`."""
        end = max(self.end, start + 1)
        raise ParseError(message, Span(start, end), hint=hint)

    def _is_closed(self, position: int) -> bool:
        """Whether the bracket at `position` may have a closing one, with balanced brackets between them."""
        stack: list[str] = []
        end = position + _SEARCHED
        while position < end and (match := self.balanced.match(self.text, position)):
            token, position = match[0], match.end()
            if token in CLOSING:
                stack.append(CLOSING[token])
            elif token in _CLOSINGS and (not stack or token != stack.pop()):
                return False
            if not stack:
                return True
        return position >= end

    def _open_bracket(self, bracket: str, start: int) -> str:
        line = self.source.line_and_column(start)[0]
        return f"the '{bracket}' opened on line {line} is not closed"

    def _next_token(self) -> Span:
        if self.at_end:
            return Span(len(self.text), len(self.text))
        for expression in self.tokens:
            match = expression.match(self.text, self.position)
            if match:
                return Span(self.position, match.end())
        return Span(self.position, self.position + 1)


def _shorten(text: str) -> str:
    text = "".join([c if c.isprintable() else f"\\x{ord(c):02X}" for c in text[:41]])
    return text if len(text) <= 40 else text[:39] + "…"


def _check_text(text: str, limits: Limits) -> None:
    try:
        size = len(text) if text.isascii() else len(text.encode())
    except UnicodeEncodeError as error:
        span = Span(error.start, error.start + 1)
        raise ParseError("the text contains an unpaired surrogate, which is not a character", span) from None
    if size > limits.max_program_bytes:
        message = f"the program has {size:,} bytes; the limit is {limits.max_program_bytes:,}"
        raise LimitError(message, label="max_program_bytes")
