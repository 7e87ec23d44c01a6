"""Parse expressions.

    either   = both { ("or" | "||") both }
    both     = negated { ("and" | "&&") negated }
    negated  = { "not" | "!" } compared
    compared = sum [ ("==" | "!=" | "<" | "<=" | ">" | ">=") sum | "in" "[" sum "," sum "]" ]
    sum      = product { ("+" | "-") product }
    product  = signed { ("*" | "/" | "//" | "%") signed }
    signed   = { "-" | "~" } power
    power    = primary [ "**" signed ]
    primary  = atom { "[" index {"," index} "]" | "." name "(" arguments ")" | "." field }
    atom     = number | string | "nan" | "inf" | "true" | "false" | %name ["[" "process" "=" number "]"] | variable
             | name "(" arguments ")" | "(" either ")"

A `%` before a letter, a digit or a quote begins a value; write modulo with a space after it, or as `mod(a,
b)`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf, nan

from ..errors import ExpressionError
from ..source import Span
from ..syntax.text.suggestions import nearest
from .functions import FIELDS, FUNCTIONS
from .tree import Binary, Both, Call, Field, Item, Literal, Named, Node, Range, Rest, Unary, Variable, Within

MAX_DEPTH, MAX_PARTS, MAX_LENGTH = 32, 256, 4096
VARIABLES = {
    "iteration": "which run of its region the frame is, from 0",
    "step": "the number of the step",
    "process": "the number of the process",
    "replica": "the replica id of the process",
    "partition": "the partition id of the process",
    "line": "the line of the op",
    "op": "the name of the op, a string",
    "result": "the first result of the op",
    "operand": "operand(0), operand(1), …: what the op reads",
}
_CONSTANTS: dict[str, bool | float] = {"nan": nan, "inf": inf, "true": True, "false": False}
_COMPARISONS = ("==", "!=", "<=", ">=", "<", ">")
_WORDS = {"&&": "and", "||": "or", "!": "not"}


@dataclass(frozen=True)
class Parsed:
    """An expression and its text."""

    text: str
    tree: Node


def parse(text: str, known: Iterable[str], variables: Collection[str] = ()) -> Parsed:
    """Parse `text`, over values with the names `known` (without `%`).

    `variables` are allowed besides `VARIABLES`; the scope supplies their values.
    """
    names = frozenset(known)
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"an expression can have at most {MAX_LENGTH:,} characters, not {len(text):,}")
    return Parsed(text, _Parser(list(tokens(text, names.__contains__)), names, variables).parse_all())


class _Parser:
    def __init__(self, found: Sequence[Token], known: frozenset[str], more: Collection[str]) -> None:
        self._tokens, self._known, self._at = found, known, 0
        self._variables = (*VARIABLES, *more)
        self._depth = self._parts = 0

    def parse_all(self) -> Node:
        if self._next.kind == "end":
            raise ExpressionError(
                "there is no expression", self._next.span, hint="Write one, such as %5.max() > 3."
            )
        found = self._either()
        if self._next.kind != "end":
            self._refuse("an operator or the end")
        return found

    # Tokens.

    @property
    def _next(self) -> Token:
        return self._tokens[self._at]

    def _take(self) -> Token:
        found = self._next
        self._at += found.kind != "end"
        return found

    def _accept(self, *signs: str) -> Token | None:
        found = self._next
        return self._take() if found.kind in ("sign", "word") and found.text in signs else None

    def _expect(self, sign: str) -> Token:
        return self._accept(sign) or self._refuse(f"'{sign}'")

    def _refuse(self, expected: str) -> Token:
        token = self._next
        what = "the expression ends" if token.kind == "end" else f"'{token.text}' stands"
        hint = "A comparison is '=='." if token.text == "=" else None
        raise ExpressionError(f"{what} where {expected} is expected", token.span, hint=hint)

    def _count(self, node: Node) -> Node:
        self._parts += 1
        if self._parts > MAX_PARTS:
            raise ExpressionError(f"an expression has at most {MAX_PARTS} parts", node.span)
        return node

    # Operators, from the lowest precedence.

    def _either(self) -> Node:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ExpressionError(f"brackets can be nested at most {MAX_DEPTH} deep", self._next.span)
        found = self._chain(self._both, ("or", "||"), Both)
        self._depth -= 1
        return found

    def _both(self) -> Node:
        return self._chain(self._negated, ("and", "&&"), Both)

    def _chain(
        self, part: Callable[[], Node], signs: tuple[str, ...], kind: type[Binary] | type[Both]
    ) -> Node:
        left = part()
        while sign := self._accept(*signs):
            right = part()
            left = self._count(kind(left.span.to(right.span), _WORDS.get(sign.text, sign.text), left, right))
        return left

    def _negated(self) -> Node:
        return self._prefixed(("not", "!"), self._compared)

    def _prefixed(self, signs: tuple[str, ...], part: Callable[[], Node]) -> Node:
        found = []
        while sign := self._accept(*signs):
            found.append(sign)
        node = part()
        for sign in reversed(found):
            node = self._count(Unary(sign.span.to(node.span), _WORDS.get(sign.text, sign.text), node))
        return node

    def _compared(self) -> Node:
        left = self._sum()
        if self._accept("in"):
            return self._within(left)
        sign = self._accept(*_COMPARISONS)
        if sign is None:
            return left
        right = self._sum()
        if again := self._accept(*_COMPARISONS):
            raise ExpressionError("comparisons do not chain", again.span, hint="Write a < b and b < c.")
        return self._count(Binary(left.span.to(right.span), sign.text, left, right))

    def _within(self, operand: Node) -> Node:
        self._expect("[")
        low = self._sum()
        self._expect(",")
        high = self._sum()
        end = self._expect("]")
        return self._count(Within(operand.span.to(end.span), operand, low, high))

    def _sum(self) -> Node:
        return self._chain(self._product, ("+", "-"), Binary)

    def _product(self) -> Node:
        return self._chain(self._signed, ("*", "/", "//", "%"), Binary)

    def _signed(self) -> Node:
        return self._prefixed(("-", "~"), self._power)

    def _power(self) -> Node:
        base = self._primary()
        if not self._accept("**"):
            return base
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ExpressionError(f"powers can be nested at most {MAX_DEPTH} deep", self._next.span)
        exponent = self._signed()
        self._depth -= 1
        return self._count(Binary(base.span.to(exponent.span), "**", base, exponent))

    # Atoms and their suffixes.

    def _primary(self) -> Node:
        found = self._count(self._atom())
        while True:
            if self._accept("["):
                found = self._count(self._item(found))
            elif self._accept("."):
                found = self._count(self._member(found))
            else:
                return found

    def _atom(self) -> Node:
        token = self._take()
        if token.kind == "number":
            is_whole = token.text.isdecimal()
            return Literal(token.span, int(token.text) if is_whole else float(token.text))
        if token.kind == "string":
            return Literal(token.span, token.text[1:-1])
        if token.kind == "value":
            return self._value(token)
        if token.kind == "word":
            return self._word(token)
        if token.text == "(":
            found = self._either()
            end = self._expect(")")
            return replace(found, span=token.span.to(end.span))
        self._at -= token.kind != "end"
        self._refuse("a value")
        raise AssertionError

    def _value(self, token: Token) -> Node:
        if token.text not in self._known:
            hint = nearest(token.text, self._known, prefix="%")
            raise ExpressionError(f"the program has no value %{token.text}", token.span, hint=hint)
        process, after = None, self._tokens[self._at : self._at + 5]
        if [found.text for found in after[:3]] == ["[", "process", "="]:
            if len(after) < 5 or not after[3].text.isdecimal() or after[4].text != "]":
                raise ExpressionError("a process is named by its number: [process=1]", after[1].span)
            process, self._at = int(after[3].text), self._at + 5
        return Named(token.span, token.text, process)

    def _word(self, token: Token) -> Node:
        if token.text in _CONSTANTS:
            return Literal(token.span, _CONSTANTS[token.text])
        if self._accept("("):
            return self._operand(token) if token.text == "operand" else self._call(token, ())
        if token.text in self._variables and token.text != "operand":
            return Variable(token.span, token.text)
        if token.text == "operand":
            raise ExpressionError("operand takes a number: operand(0)", token.span)
        hint = f"Did you mean %{token.text}?" if token.text in self._known else None
        hint = hint or nearest(token.text, [*self._variables, *FUNCTIONS])
        raise ExpressionError(f"'{token.text}' is not a variable", token.span, hint=hint)

    def _operand(self, token: Token) -> Node:
        number = self._take()
        if not number.text.isdecimal():
            raise ExpressionError("operand takes a number: operand(0)", number.span)
        return Variable(token.span.to(self._expect(")").span), "operand", int(number.text))

    def _member(self, operand: Node) -> Node:
        name = self._take()
        if name.kind != "word":
            self._at -= name.kind != "end"
            self._refuse("the name of a field or a method")
        if self._accept("("):
            return self._call(name, (operand,))
        if name.text not in FIELDS:
            hint = f"Write .{name.text}()." if name.text in FUNCTIONS else nearest(name.text, FIELDS)
            raise ExpressionError(f"there is no field '{name.text}'", name.span, hint=hint)
        return Field(operand.span.to(name.span), operand, name.text)

    def _call(self, name: Token, before: tuple[Node, ...]) -> Node:
        if name.text not in FUNCTIONS:
            raise ExpressionError(
                f"there is no function '{name.text}'", name.span, hint=nearest(name.text, FUNCTIONS)
            )
        arguments, named = list(before), list[tuple[str, Node]]()
        while not (end := self._accept(")")):
            if len(arguments) + len(named) > len(before):
                self._expect(",")
            if self._tokens[min(self._at + 1, len(self._tokens) - 1)].text == "=":
                word, _ = self._take(), self._take()
                named.append((word.text, self._either()))
            else:
                arguments.append(self._either())
        begin: Span = before[0].span if before else name.span
        return Call(begin.to(end.span), name.text, tuple(arguments), tuple(named))

    def _item(self, operand: Node) -> Node:
        indices = [self._index()]
        while self._accept(","):
            indices.append(self._index())
        return Item(operand.span.to(self._expect("]").span), operand, tuple(indices))

    def _index(self) -> Node:
        if rest := self._accept("..."):
            return Rest(rest.span)
        begin, parts, colons = self._next.span, list[Node | None](), 0
        while True:
            parts.append(None if self._next.text in (":", ",", "]") else self._either())
            if colons == 2 or not self._accept(":"):
                break
            colons += 1
        if not colons:
            return parts[0] or self._none()
        start, stop, stride = (*parts, None, None)[:3]
        return Range(begin, (start, stop, stride))

    def _none(self) -> Node:
        self._refuse("an index")
        raise AssertionError


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
