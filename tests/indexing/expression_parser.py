"""Parse expressions: sums, products, divisions, min and max of variables and numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hloscope.engine.errors import ParseError
from hloscope.engine.indexing.core.expressions import (
    Constant,
    Dim,
    Expression,
    Range,
    Runtime,
    ceil_divide,
    floor_divide,
    maximum,
    minimum,
    modulo,
    quotient_by,
    remainder_by,
    variables_of,
)
from hloscope.engine.source import Span

from .map_scanner import Scanner

MAX_DEPTH = 100
"""Maximum nesting of parentheses."""

_NUMBERED = re.compile(r"(d|s|rt)(\d{1,9})")
Lookup = Callable[[str], Expression | None]
"""Returns the variable of a name."""

_DIVISIONS: dict[str, Callable[[Expression, int], Expression]] = {
    "floordiv": floor_divide,
    "floorDiv": floor_divide,
    "/": floor_divide,
    "//": floor_divide,
    "ceildiv": ceil_divide,
    "mod": modulo,
    "%": modulo,
}
_DIVISIONS_BY_EXPRESSION: dict[str, Callable[[Expression, Expression], Expression]] = {
    "floordiv": quotient_by,
    "floorDiv": quotient_by,
    "/": quotient_by,
    "//": quotient_by,
    "ceildiv": lambda dividend, divisor: -quotient_by(-dividend, divisor),
    "mod": remainder_by,
    "%": remainder_by,
}
"""Division by an expression that is not a number."""
_SPELLED_OUT = {"floordiv", "floorDiv"}
_EXTREMES: dict[str, Callable[[Expression, Expression], Expression]] = {"min": minimum, "max": maximum}


def parse_expression(text: str, ranges: int | None = None) -> Expression:
    """Parse an expression over d0, s0 and rt0, in either style.

    With `ranges`, the number of range variables, s_k beyond them is a runtime variable, as in the style of
    2024. Raises ParseError with the position and what was expected.
    """
    scanner = Scanner(text)
    reader = ExpressionReader(scanner, lambda name: numbered_variable(name, ranges))
    found = reader.expression()
    if scanner.piece:
        scanner.fail("the end of the expression")
    return found


def numbered_variable(name: str, ranges: int | None = None) -> Expression | None:
    """The variable of a printed name; `None` if it denotes none."""
    found = _NUMBERED.fullmatch(name)
    if found is None:
        return None
    kind, number = found.group(1), int(found.group(2))
    if kind == "d":
        return Dim(number)
    if kind == "rt":
        return Runtime(number)
    return Range(number) if ranges is None or number < ranges else Runtime(number - ranges)


class ExpressionReader:
    """Reads expressions from `scanner`, over the variables that `lookup` knows."""

    def __init__(self, scanner: Scanner, lookup: Lookup) -> None:
        self._scanner = scanner
        self._lookup = lookup
        self._depth = 0

    def expression(self) -> Expression:
        """Read terms separated by + and -. Raises ParseError."""
        found = self._term()
        while self._scanner.piece in {"+", "-"}:
            found = found + self._term() if self._scanner.take() == "+" else found - self._term()
        return found

    def _term(self) -> Expression:
        """Read factors and divisions, from left to right.

        A leading minus belongs to the first factor, as the current style prints it. The style of 2024, which
        spells out floordiv, writes it before a quotient that it negates.
        """
        negated = False
        while self._scanner.skip("-"):
            negated = not negated
        found = self._factor()
        if negated and self._scanner.piece not in _SPELLED_OUT:
            found, negated = -found, False
        while True:
            if self._scanner.skip("*"):
                found = found * self._signed_factor()
            elif self._scanner.piece in _DIVISIONS:
                found = self._division(found, self._scanner.take())
            else:
                return -found if negated else found

    def _signed_factor(self) -> Expression:
        return -self._signed_factor() if self._scanner.skip("-") else self._factor()

    def _division(self, dividend: Expression, sign: str) -> Expression:
        start = self._scanner.position
        if self._scanner.is_word or self._scanner.piece == "(":
            return _DIVISIONS_BY_EXPRESSION[sign](dividend, self._symbolic(start))
        divisor = self._scanner.number("a number to divide by")
        if divisor == 0:
            raise ParseError("the divisor is 0", Span(start, start + 1))
        return _DIVISIONS[sign](dividend, divisor)

    def _symbolic(self, start: int) -> Expression:
        """Read a divisor that is not a number: as in MLIR, an expression of symbols without dimensions."""
        divisor = self._factor()
        place = Span(start, self._scanner.position)
        if any(isinstance(variable, Dim) for variable in variables_of(divisor)):
            raise ParseError("a divisor can only have numbers and symbols, not dimensions", place)
        if divisor == Constant(0):
            raise ParseError("the divisor is 0", place)
        return divisor

    def _factor(self) -> Expression:
        scanner = self._scanner
        if scanner.is_number:
            end = scanner.position + len(scanner.piece)
            value = Constant(scanner.number())
            # 100d0 and 2(d0 + 1), as XLA's document writes products
            follows = scanner.position == end and (scanner.is_word or scanner.piece == "(")
            return value * self._factor() if follows and scanner.piece not in _DIVISIONS else value
        if scanner.skip("("):
            with self._parentheses():
                found = self.expression()
            scanner.expect(")")
            return found
        if scanner.piece in _EXTREMES:
            return self._extreme(_EXTREMES[scanner.take()])
        return self._variable()

    def _extreme(self, pick: Callable[[Expression, Expression], Expression]) -> Expression:
        self._scanner.expect("(")
        with self._parentheses():
            found = self.expression()
            while self._scanner.skip(","):
                found = pick(found, self.expression())
        self._scanner.expect(")")
        return found

    def _variable(self) -> Expression:
        scanner = self._scanner
        if not scanner.is_word:
            scanner.fail("a variable, a number or '('")
        found = self._lookup(scanner.piece)
        if found is None:
            scanner.fail("a variable of the map")
        scanner.take()
        return found

    @contextmanager
    def _parentheses(self) -> Iterator[None]:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            position = self._scanner.position
            raise ParseError(f"more than {MAX_DEPTH} nested parentheses", Span(position, position + 1))
        yield
        self._depth -= 1
