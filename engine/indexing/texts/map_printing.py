"""Print index maps in both existing styles (docs/index-maps.md, "Printed forms").

CURRENT is XLA's present style: one line, `/` for floordiv, {rt0} for runtime variables. XLA_2024 is that of
XLA's document of 2024: one bound per line, `floordiv`, runtime variables numbered after the ranges as s_k.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from enum import Enum
from textwrap import indent

from ..core.expressions import (
    CeilDivide,
    Constant,
    Dim,
    Expression,
    FloorDivide,
    Maximum,
    Minimum,
    Modulo,
    Product,
    QuotientBy,
    Range,
    RemainderBy,
    Runtime,
    Sum,
    split_coefficient,
    terms_of,
)
from ..core.index_map import IndexMap, Kind, OperandMap, RuntimeVariable
from ..simplifier.rewrites import Part, Rewrite
from ..transforms.variables import remove_unused_symbols

INDENT = "  "
NOT_CLAMPED = " (not clamped)"
"""Suffix for a runtime variable that leaves the domain outside its interval."""


class Style(Enum):
    CURRENT = "current"
    XLA_2024 = "2024"


def operand_number(operand: int) -> str:
    return f"operand {operand}"


def print_map(
    index_map: IndexMap, style: Style = Style.CURRENT, describe: Callable[[int], str] = operand_number
) -> str:
    """Print the map and its domain; `describe` names the operands of runtime variables."""
    if index_map.is_undefined:
        return "unknown indexing"
    if index_map.is_known_empty:
        return "KNOWN EMPTY"
    return _MapPrinter(index_map, style, describe).text()


def print_operand_maps(
    maps: Iterable[OperandMap], style: Style = Style.CURRENT, describe: Callable[[int], str] = operand_number
) -> str:
    """Print a line `operand id = k ` for each operand, with the maps of its union."""
    texts: dict[int, list[str]] = {}
    for item in maps:
        known = texts.setdefault(item.operand, [])
        text = print_operand_map(item, style, describe)
        if text not in known:
            known.append(text)
    return "\n".join(f"operand id = {operand} {' '.join(found)}" for operand, found in sorted(texts.items()))


def print_operand_map(
    item: OperandMap, style: Style = Style.CURRENT, describe: Callable[[int], str] = operand_number
) -> str:
    """Print the map, and the position of the peer process if there is one."""
    text = print_map(item.map, style, describe)
    if item.place is None or item.map.kind is not Kind.NORMAL:
        return text
    places = remove_unused_symbols(replace(item.map, results=(item.place,)))
    return f"{text}\nreplica id: {print_map(places, style, describe)}"


def print_expression(expression: Expression, style: Style = Style.CURRENT, ranges: int = 0) -> str:
    """Print an expression; XLA_2024 numbers runtime variables after `ranges` range variables."""
    return _ExpressionPrinter(style, ranges).text(expression)


def print_rewrite(rewrite: Rewrite, style: Style = Style.CURRENT, ranges: int = 0) -> tuple[str, str]:
    """Both sides of a rewrite as text, empty for a dropped constraint.

    `ranges` is as in `print_expression`.
    """
    return _print_part(rewrite.before, style, ranges), _print_part(rewrite.after, style, ranges)


def _print_part(part: Part | None, style: Style, ranges: int) -> str:
    if part is None:
        return ""
    if isinstance(part, tuple):
        return f"{print_expression(part[0], style, ranges)} in {part[1]}"
    return print_expression(part, style, ranges)


class _MapPrinter:
    def __init__(self, index_map: IndexMap, style: Style, describe: Callable[[int], str]) -> None:
        self.map = index_map
        self.style = style
        self.describe = describe
        self.expressions = _ExpressionPrinter(style, len(index_map.ranges))

    def text(self) -> str:
        return self._document() if self.style is Style.XLA_2024 else self._current()

    def signature(self) -> str:
        groups: dict[type[Expression], list[str]] = {Dim: [], Range: [], Runtime: []}
        for variable in self.map.bounds:
            groups[type(variable)].append(self.expressions.text(variable))
        symbols, runtimes = groups[Range], groups[Runtime]
        if self.style is Style.XLA_2024:
            symbols, runtimes = symbols + runtimes, []
        text = f"({', '.join(groups[Dim])})"
        text += f"[{', '.join(symbols)}]" if symbols else ""
        text += f"{{{', '.join(runtimes)}}}" if runtimes else ""
        return f"{text} -> ({', '.join(map(self.expressions.text, self.map.results))})"

    def _current(self) -> str:
        domain = [f"{self.expressions.text(v)} in {interval}" for v, interval in self.map.bounds.items()]
        domain += sorted(f"{self.expressions.text(e)} in {interval}" for e, interval in self.map.constraints)
        text = self.signature() + (f", domain: {', '.join(domain)}" if domain else "")
        lines = [
            f"rt{number}: {self._source(variable)}; "
            + indent(print_map(variable.map, self.style, self.describe), INDENT).lstrip()
            for number, variable in enumerate(self.map.runtimes)
        ]
        return "\n".join([text, "runtime variables:", "", *lines]) if lines else text

    def _document(self) -> str:
        lines = [self.signature(), "domain:"]
        for variable, interval in self.map.bounds.items():
            lines.append(f"{self.expressions.text(variable)} in {interval}")
            if isinstance(variable, Runtime):
                source = self.map.runtimes[variable.number]
                lines.append(f"hlo: {self._source(source)}")
                lines += self._document_source(source.map)
        lines += [f"{self.expressions.text(e)} in {interval}" for e, interval in self.map.constraints]
        return "\n".join(lines)

    def _document_source(self, own: IndexMap) -> list[str]:
        """The signature alone, unless the map has runtime variables: the owner's domain applies."""
        if own.kind is not Kind.NORMAL:
            return [print_map(own, self.style)]
        printer = _MapPrinter(own, self.style, self.describe)
        return indent(printer.text(), INDENT).split("\n") if own.runtimes else [printer.signature()]

    def _source(self, variable: RuntimeVariable) -> str:
        return self.describe(variable.operand) + ("" if variable.clamped else NOT_CLAMPED)


_QUOTIENTS = (FloorDivide, QuotientBy)
_REMAINDERS = (Modulo, RemainderBy)


class _ExpressionPrinter:
    def __init__(self, style: Style, ranges: int) -> None:
        self.is_2024 = style is Style.XLA_2024
        self.ranges = ranges
        self.divide = " floordiv " if self.is_2024 else " / "

    def text(self, expression: Expression) -> str:
        match expression:
            case Constant(value):
                return str(value)
            case Dim(number):
                return f"d{number}"
            case Range(number):
                return f"s{number}"
            case Runtime(number):
                return f"s{self.ranges + number}" if self.is_2024 else f"rt{number}"
            case Sum():
                return self._sum(expression)
            case Product(factors):
                return self._product(factors)
            case FloorDivide(dividend, divisor):
                return f"{self._dividend_text(dividend, _QUOTIENTS)}{self.divide}{divisor}"
            case CeilDivide(dividend, divisor):
                return f"{self._dividend_text(dividend, (CeilDivide,))} ceildiv {divisor}"
            case Modulo(dividend, divisor):
                return f"{self._dividend_text(dividend, _REMAINDERS)} mod {divisor}"
            case QuotientBy(dividend, by):
                return f"{self._dividend_text(dividend, _QUOTIENTS)}{self.divide}{self._operand_text(by)}"
            case RemainderBy(dividend, by):
                return f"{self._dividend_text(dividend, _REMAINDERS)} mod {self._operand_text(by)}"
            case Minimum(left, right):
                return f"min({self.text(left)}, {self.text(right)})"
            case Maximum(left, right):
                return f"max({self.text(left)}, {self.text(right)})"
        raise TypeError(f"not an expression: {expression!r}")

    def _sum(self, expression: Expression) -> str:
        terms = terms_of(expression)
        first, *others = sorted(terms, key=_document_order) if self.is_2024 else terms
        text = self.text(first)
        for term in others:
            negative = split_coefficient(term)[1] < 0
            text += f" - {self.text(-term)}" if negative else f" + {self.text(term)}"
        return text

    def _product(self, factors: tuple[Expression, ...]) -> str:
        if factors[-1] == Constant(-1):
            rest = factors[0] if len(factors) == 2 else Product(factors[:-1])
            return f"-{self._operand_text(rest)}"
        return " * ".join(map(self._operand_text, factors))

    def _dividend_text(self, expression: Expression, outer: tuple[type[Expression], ...]) -> str:
        """Print a dividend. The current style chains equal ops; unary minus binds tightest."""
        negated = isinstance(expression, Product) and expression.factors[1:] == (Constant(-1),)
        if not self.is_2024 and (isinstance(expression, outer) or negated):
            return self.text(expression)
        return self._operand_text(expression)

    def _operand_text(self, expression: Expression) -> str:
        text = self.text(expression)
        needs_none = not expression.children or isinstance(expression, (Minimum, Maximum))
        return text if needs_none else f"({text})"


def _document_order(term: Expression) -> tuple[int, int]:
    """Variables in their order, then quotients, then remainders, the constant last."""
    match split_coefficient(term)[0]:
        case Dim(number):
            return 0, number
        case Range(number):
            return 1, number
        case Runtime(number):
            return 2, number
        case FloorDivide() | CeilDivide() | QuotientBy():
            return 3, 0
        case Modulo() | RemainderBy():
            return 4, 0
        case Constant():
            return 6, 0
        case _:
            return 5, 0
