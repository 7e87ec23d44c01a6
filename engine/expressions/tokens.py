"""Split an expression into tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ..errors import ExpressionError
from ..source import Span

_TOKEN = re.compile(
    r"""
    (?P<number>[0-9]++(?:\.(?![A-Za-z_.])[0-9]*+)?+(?:[eE][-+]?[0-9]++)?+|\.[0-9]++(?:[eE][-+]?[0-9]++)?+)
  | (?P<word>[A-Za-z_][A-Za-z0-9_]*+)
  | (?P<string>"[^"\n]*+")
  | (?P<sign>\*\*|//|==|!=|<=|>=|&&|\|\||\.\.\.|[-+*/%~!<>()\[\],.:=])
    """,
    re.VERBOSE,
)
_BLANKS = re.compile(r"\s*+")
_VALUE = re.compile(r'%(?:"([^"\n]*+)"|([A-Za-z0-9_$][A-Za-z0-9_$.-]*+))')
_RESULT = re.compile(r"#[0-9]{1,9}")
_CUT = re.compile(r"[.-]")


@dataclass(frozen=True)
class Token:
    """One token; the text of a value is its name without `%` and quotes."""

    kind: str
    text: str
    span: Span


def tokens(text: str, known: Callable[[str], bool]) -> Iterator[Token]:
    """The tokens of `text` and a final one of kind `end`; `known` tells which names the program has.

    Names may contain dots and hyphens, so `%x.max` is the value `x.max` only if the program has one.
    """
    position = _blanks(text, 0)
    while position < len(text):
        found = _value(text, position, known) or _other(text, position)
        yield found
        position = _blanks(text, found.span.end)
    yield Token("end", "", Span(len(text), len(text)))


def _blanks(text: str, position: int) -> int:
    match = _BLANKS.match(text, position)
    return match.end() if match else position


def _value(text: str, position: int, known: Callable[[str], bool]) -> Token | None:
    match = _VALUE.match(text, position)
    if match is None:
        return None
    name, end = match[1] or match[2] or "", match.end()
    if match[2]:
        ends = [len(name), *(cut.start() for cut in reversed(list(_CUT.finditer(name))))]
        kept = next((cut for cut in ends if known(name[:cut])), ends[-1])
        end, name = end - len(name) + kept, name[:kept]
    if number := _RESULT.match(text, end):
        name, end = name + number[0], number.end()
    return Token("value", name, Span(position, end))


def _other(text: str, position: int) -> Token:
    match = _TOKEN.match(text, position)
    if match is None:
        raise ExpressionError(f"'{text[position]}' is not valid here", Span(position, position + 1))
    return Token(match.lastgroup or "sign", match[0], Span(*match.span()))
