"""A position in HLO text: comments, names, strings, brackets, and whole attribute values.

As for MLIR, there is no token list, and the values of opaque attributes are skipped without being parsed.
"""

import re
from typing import ClassVar, NoReturn

from ....cursor import CLOSING, NUMBER, Cursor
from ....errors import ParseError
from ....source import Span

NAME = re.compile(r"%?[A-Za-z_][A-Za-z0-9_.]*+(?:-(?!>)[A-Za-z0-9_.]*+)*+")
"""The name of an instruction, a computation, an attribute or an opcode; excludes the `-` of `->`."""
DIM_LABELS = re.compile(r"[0-9bf?]{2,}+_[0-9io?]{2,}+->[0-9bf?]{2,}+")
"""`b01f_01io->b01f`."""
DXD = re.compile(r"[0-9]++(?:x[0-9]++)*+")
"""`3x3`, or `3` in a one-dimensional window."""
PAD = re.compile(r"-?[0-9]++_-?[0-9]++(?:_[0-9]++)?+(?:x-?[0-9]++_-?[0-9]++(?:_[0-9]++)?+)*+")
"""`0_1x2_2`: low and high padding; the op `pad` adds interior padding."""
STRING = re.compile(r"""(?s:"(?:[^"\\]++|\\.)*+"|'(?:[^'\\]++|\\.)*+')""")

COMMENT = r"//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/"
BLANKS = re.compile(rf"(?:[ \t\r\n\f\v]++|{COMMENT})*+")
"""Blanks and comments."""
_ARROW = re.compile(r"->|<=|\.\.\.")
_INTEGERS = re.compile(r"\{\s*+(-?[0-9]{1,18}(?:\s*+,\s*+-?[0-9]{1,18})*+)?+\s*+\}")

_NO_BRACKET = rf"""[^(){{}}\[\]"'/]++|{STRING.pattern}|{COMMENT}|/(?!\*)"""
_INNERMOST = rf"\{{(?:{_NO_BRACKET})*+\}}|\((?:{_NO_BRACKET})*+\)|\[(?:{_NO_BRACKET})*+\]"
_GROUP = re.compile(_INNERMOST)
_UP_TO_BRACKET = re.compile(rf"(?:{_NO_BRACKET}|{_INNERMOST})*+")
_BARE = re.compile(r"""(?:[^\s,(){}\[\]"'=</]++|<(?!=)|/(?![/*]))++""")
_DEVICE_IDS = re.compile(r",\s*+device_ids\s*+=\s*+(?=\()")
_QUOTES = ("'", '"')
_OPENINGS = ("{", "(", "[")
_CONTINUATIONS = (*_OPENINGS, "T(")
"""Continuations of a value that may follow blanks, as in `[2,4] T(1,0)`."""

_ESCAPE = re.compile(
    rb"\\(?:([0-7]{1,3})|x([0-9A-Fa-f]++)|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL
)
_SHORT_ESCAPES = dict(zip(b"abfnrtv\\?'\"", b"\a\b\f\n\r\t\v\\?'\"", strict=True))


class HloCursor(Cursor):
    """Reads HLO text from its start."""

    blanks: ClassVar[re.Pattern[str]] = BLANKS
    tokens: ClassVar[tuple[re.Pattern[str], ...]] = (NAME, NUMBER, STRING, _ARROW)

    def move(self, position: int) -> None:
        """Move to `position`, past any blanks and comments there."""
        self.end = position
        self.position = BLANKS.match(self.text, position).end()  # type: ignore[union-attr]
        if self.text.startswith("/*", self.position):
            span = Span(self.position, self.position + 2)
            raise ParseError("this comment is never closed", span, hint="add */ where it ends")

    def peek_name(self) -> str:
        """The next name without its `%`, or an empty string."""
        match = NAME.match(self.text, self.position)
        return match[0].removeprefix("%") if match else ""

    def name(self, what: str) -> str:
        """Read a name without its `%`; `what` describes it in the error message."""
        match = NAME.match(self.text, self.position)
        if match is None:
            self.fail_expecting(what)
        self.move(match.end())
        return match[0].removeprefix("%")

    def braced_integers(self) -> tuple[int, ...]:
        """Read `{0,1}`."""
        match = self.match(_INTEGERS)
        if match is not None:
            return tuple(map(int, match[1].split(","))) if match[1] else ()
        return tuple(self.list_of("{", self.integer))

    # Strings

    def string(self, what: str = "a string") -> str:
        """Read a string in single or double quotes; bytes that are not UTF-8 become surrogate escapes."""
        start = self.position
        match = self.match(STRING)
        if match is None:
            self._no_hlo_string(what)
        return _unescape(match[0][1:-1], start + 1)

    hlo_string = string

    def _no_hlo_string(self, what: str) -> NoReturn:
        if not self.text.startswith(_QUOTES, self.position):
            self.fail_expecting(what)
        _fail_unclosed_string(self.text[self.position], self.position)

    # Skipped values

    def skip_value(self) -> Span:
        """Skip the value of an attribute and return its span.

        The value ends before a comma or a bracket that it did not open, and before other text after a blank,
        except another bracket (`mesh['a'=2] {'a'}`) or `<=`. Only the comma of `mesh['a'=2], device_ids=(1,0)
        {'a'}` does not end it.
        """
        start = self.position
        while True:
            if not self._skip_piece():
                self.fail_expecting("a value")
            while self._goes_on() and self._skip_piece():
                pass
            if not self.accept("<=") and not self.match(_DEVICE_IDS):
                return Span(start, self.end)

    def _goes_on(self) -> bool:
        return self.position == self.end or self.text.startswith(_CONTINUATIONS, self.position)

    def _skip_piece(self) -> bool:
        match = (
            _GROUP.match(self.text, self.position)
            or _BARE.match(self.text, self.position)
            or STRING.match(self.text, self.position)
        )
        if match is not None:
            self.move(match.end())
            return True
        if self.text.startswith(_QUOTES, self.position):
            self.string()
        if not self.text.startswith(_OPENINGS, self.position):
            return False
        self.read_balanced(self.text[self.position])
        return True

    def read_balanced(self, opening: str) -> str:
        """Read from `opening` to its closing bracket and return the text, brackets included."""
        start = position = self.position
        if not self.peek(opening):
            self.fail_expecting(f"'{opening}'")
        stack: list[tuple[str, int]] = []
        while True:
            bracket = self.text[position : position + 1]
            if bracket in CLOSING:
                stack.append((bracket, position))
                if self.depth + len(stack) > self.limits.max_nesting:
                    self.deepen(position, len(stack))
            elif not bracket or bracket in "\"'/" or CLOSING[stack[-1][0]] != bracket:
                self._fail_unbalanced(stack, position)
            else:
                stack.pop()
            position += 1
            if not stack:
                self.move(position)
                return self.text[start:position]
            position = _UP_TO_BRACKET.match(self.text, position).end()  # type: ignore[union-attr]

    def _fail_unbalanced(self, stack: list[tuple[str, int]], position: int) -> NoReturn:
        found = self.text[position : position + 1]
        if found == "/":
            self.move(position)
        if found in ("'", '"'):
            _fail_unclosed_string(found, position)
        opening, start = stack[-1]
        line = self.source.line_and_column(start)[0]
        if not found:
            hint = f"the '{opening}' opened on line {line} is not closed"
            raise ParseError(f"this '{opening}' is never closed", Span(start, start + 1), hint=hint)
        hint = f"the '{opening}' opened on line {line} must be closed first"
        raise ParseError(f"'{found}' closes nothing", Span(position, position + 1), hint=hint)


def _fail_unclosed_string(quote: str, position: int) -> NoReturn:
    hint = f"add a {quote} where it ends"
    raise ParseError("this string is not closed", Span(position, position + 1), hint=hint)


def _unescape(text: str, start: int) -> str:
    if "\\" not in text:
        return text

    def replace(match: re.Match[bytes]) -> bytes:
        octal, hexadecimal, short, long, other = match.groups()
        if octal or hexadecimal:
            code = int(octal, 8) if octal else int(hexadecimal, 16)
            return bytes([code]) if code < 256 else wrong(match)
        if other:
            return bytes([_SHORT_ESCAPES[other[0]]]) if other[0] in _SHORT_ESCAPES else wrong(match)
        try:
            return chr(int(short or long, 16)).encode()
        except (UnicodeEncodeError, ValueError, OverflowError):
            return wrong(match)

    def wrong(match: re.Match[bytes]) -> NoReturn:
        place = start + len(text.encode()[: match.start()].decode(errors="ignore"))
        span = Span(place, place + len(match[0].decode(errors="replace")))
        hint = 'strings have the escapes of C, such as \\n, \\\\, \\", \\101 and \\x41'
        raise ParseError("unknown escape in a string", span, hint=hint)

    return _ESCAPE.sub(replace, text.encode()).decode("utf-8", "surrogateescape")


_ESCAPED = re.compile(r'["\\\x00-\x1f\x7f\udc80-\udcff]')
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def quote(text: str) -> str:
    """Quote a string. Bytes that are not UTF-8, kept as surrogates, become octal escapes."""
    return f'"{_ESCAPED.sub(_escape, text)}"'


def _escape(match: re.Match[str]) -> str:
    short = _SHORT.get(match[0])
    # Always three digits, so that a following digit is not read as part of the escape.
    return short or "".join(f"\\{byte:03o}" for byte in match[0].encode("utf-8", "surrogateescape"))
