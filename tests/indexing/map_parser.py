"""Parse whole maps: the signature, the domain, and the reads of runtime variables.

    (d0)[s0]{rt0} -> (d0 + rt0, s0), domain: d0 in [0, 3], s0 in [0, 1], rt0 in [0, 6], d0 mod 2 in [0, 0]
    runtime variables:

    rt0: operand 1; (d0) -> (), domain: d0 in [0, 3]

In the style of 2024, each bound is on its own line; after that of a runtime variable, `hlo:` states its
operand, and the next line its map without a domain. Runtime variables of a formula without that block have
one value each.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from hloscope.engine.errors import ParseError
from hloscope.engine.indexing.core.expressions import Dim, Expression, Range, Runtime, substitute
from hloscope.engine.indexing.core.index_map import UNDEFINED, Constraint, IndexMap, Kind, RuntimeVariable
from hloscope.engine.indexing.core.interval import EVERYTHING, Interval
from hloscope.engine.indexing.texts.map_printing import NOT_CLAMPED
from hloscope.engine.source import Span

from .expression_parser import MAX_DEPTH, ExpressionReader
from .map_scanner import Scanner

_NUMBERED_OPERAND = re.compile(r"operand (\d{1,9})")
_BEFORE_MAP = re.compile(r";\s*(?=\()")


def parse_map(text: str, operand_of: Callable[[str], int] | None = None) -> IndexMap:
    """Parse a map, in either style.

    `operand_of` maps the text that describes an operand to its number; by default, `operand 3` is 3, and
    other texts are numbered in order. Without `domain:` the variables are unbounded. Raises ParseError with
    the position and what was expected.
    """
    scanner = Scanner(text)
    found = _MapReader(scanner, operand_of or _Operands()).map(0)
    if scanner.piece:
        scanner.fail("the end of the map")
    return found


class _Operands:
    """Numbers operands that are described by text."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        found = _NUMBERED_OPERAND.fullmatch(text)
        return int(found.group(1)) if found else self._numbers.setdefault(text, len(self._numbers))


@dataclass
class _Signature:
    """Variables by name, with symbols in text order, and results over them."""

    dimensions: list[str] = field(default_factory=list)
    symbols: list[str] = field(default_factory=list)
    runtimes: list[str] = field(default_factory=list)
    results: list[Expression] = field(default_factory=list)
    start: int = 0

    def variable(self, name: str) -> Expression | None:
        # A symbol counts as a range variable until all runtime reads are known.
        if name in self.dimensions:
            return Dim(self.dimensions.index(name))
        if name in self.symbols:
            return Range(self.symbols.index(name))
        return Runtime(self.runtimes.index(name)) if name in self.runtimes else None

    @property
    def variables(self) -> dict[Expression, str]:
        names: dict[Expression, str] = {Dim(k): name for k, name in enumerate(self.dimensions)}
        names |= {Range(k): name for k, name in enumerate(self.symbols)}
        return names | {Runtime(k): name for k, name in enumerate(self.runtimes)}


@dataclass(frozen=True)
class _Read:
    """The read of a runtime variable; `map` is only a signature if the owner's domain applies."""

    operand: int
    clamped: bool
    map: IndexMap | _Signature

    def variable(
        self, interval: Interval, dimensions: list[Interval], ranges: list[Interval]
    ) -> RuntimeVariable:
        own = self.map
        if isinstance(own, _Signature):
            own = IndexMap(
                tuple(own.results), tuple(dimensions), tuple(ranges) if own.symbols else (), (), ()
            )
        return RuntimeVariable(interval, self.operand, own, self.clamped)


@dataclass
class _Domain:
    bounds: dict[Expression, Interval] = field(default_factory=dict)
    constraints: list[Constraint] = field(default_factory=list)
    reads: dict[Expression, _Read] = field(default_factory=dict)
    given: bool = False


class _MapReader:
    def __init__(self, scanner: Scanner, operand_of: Callable[[str], int]) -> None:
        self._scanner = scanner
        self._operand_of = operand_of
        self._depth = 0

    def map(self, indent: int) -> IndexMap:
        """Read a map whose items begin right of column `indent`. Raises ParseError."""
        if self._scanner.skip("unknown", "indexing"):
            return UNDEFINED
        if self._scanner.skip("KNOWN", "EMPTY"):
            return IndexMap((), (), kind=Kind.KNOWN_EMPTY)
        return self._normal(self._signature(), indent)

    def _normal(self, signature: _Signature, indent: int) -> IndexMap:
        domain = _Domain()
        start = self._scanner.position
        self._scanner.skip(",")
        if self._scanner.skip("domain", ":"):
            domain.given = True
            self._items(signature, domain, indent)
        else:
            self._scanner.position = start
        self._check_bounds(signature, domain)
        if signature.runtimes:
            self._runtime_variables(signature, domain)
        return _assemble(signature, domain)

    def _signature(self) -> _Signature:
        found = _Signature(start=self._scanner.position)
        found.dimensions = self._names("(", ")", "'('")
        if self._scanner.piece == "[":
            found.symbols = self._names("[", "]", "'['")
        if self._scanner.piece == "{":
            found.runtimes = self._names("{", "}", "'{'")
        self._check_names(found)
        self._scanner.expect("->")
        self._scanner.expect("(")
        reader = ExpressionReader(self._scanner, found.variable)
        while not self._scanner.skip(")"):
            if found.results:
                self._scanner.expect(",")
            found.results.append(reader.expression())
        return found

    def _check_names(self, signature: _Signature) -> None:
        names = [*signature.dimensions, *signature.symbols, *signature.runtimes]
        for name in names:
            if names.count(name) > 1:
                raise ParseError(
                    f"the variable {name} is declared twice", Span(signature.start, self._scanner.position)
                )

    def _names(self, opening: str, closing: str, what: str) -> list[str]:
        if not self._scanner.skip(opening):
            self._scanner.fail(what)
        names: list[str] = []
        while not self._scanner.skip(closing):
            if names:
                self._scanner.expect(",")
            if not self._scanner.is_word:
                self._scanner.fail("the name of a variable")
            names.append(self._scanner.take())
        return names

    def _items(self, signature: _Signature, domain: _Domain, indent: int) -> None:
        """Read items `expression in [lower, upper]`, separated by commas or line breaks, and `hlo:` lines."""
        reader = ExpressionReader(self._scanner, signature.variable)
        last: Expression | None = None
        while self._scanner.piece and self._scanner.column > indent:
            if self._scanner.skip("hlo", ":"):
                if last is None:
                    self._scanner.fail("a variable before 'hlo:'")
                domain.reads[last] = self._document_read(self._scanner.rest_of_line())
            elif self._scanner.is_label:
                return  # the label belongs to the text after the domain
            else:
                last = self._item(reader, domain)
                self._scanner.skip(",")

    def _item(self, reader: ExpressionReader, domain: _Domain) -> Expression:
        expression = reader.expression()
        self._scanner.expect("in")
        self._scanner.expect("[")
        lower = self._scanner.number()
        self._scanner.expect(",")
        interval = Interval(lower, self._scanner.number())
        self._scanner.expect("]")
        if isinstance(expression, (Dim, Range, Runtime)) and expression not in domain.bounds:
            domain.bounds[expression] = interval
        else:
            domain.constraints.append((expression, interval))
        return expression

    def _document_read(self, description: str) -> _Read:
        """Read the map on the lines after `hlo:`; if it has runtime variables, an indented domain follows."""
        operand, clamped = self._operand(description)
        if self._scanner.is_word:
            return _Read(operand, clamped, self.map(0))  # unknown or empty
        indent = self._scanner.column
        signature = self._signature()
        if self._scanner.piece == "domain" and self._scanner.column >= indent > 1:
            with_domain = self._deeper(lambda: self._normal(signature, indent - 1))
            return _Read(operand, clamped, with_domain)
        return _Read(operand, clamped, signature)

    def _runtime_variables(self, signature: _Signature, domain: _Domain) -> None:
        if not self._scanner.skip("runtime", "variables", ":"):
            # A formula alone does not state the operands.
            for number, name in enumerate(signature.runtimes):
                domain.reads[Runtime(number)] = _Read(self._operand_of(name), True, _Signature())
            return
        for number, name in enumerate(signature.runtimes):
            if not self._scanner.skip(name, ":"):
                self._scanner.fail(f"'{name}:'")
            described = self._scanner.until(_BEFORE_MAP, "an operand, ';' and a map")
            operand, clamped = self._operand(described)
            own = self._deeper(lambda: self.map(0))
            domain.reads[Runtime(number)] = _Read(operand, clamped, own)

    def _operand(self, description: str) -> tuple[int, bool]:
        clamped = not description.endswith(NOT_CLAMPED)
        return self._operand_of(description.removesuffix(NOT_CLAMPED)), clamped

    def _deeper(self, read: Callable[[], IndexMap]) -> IndexMap:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            position = self._scanner.position
            raise ParseError(f"more than {MAX_DEPTH} nested maps", Span(position, position + 1))
        found = read()
        self._depth -= 1
        return found

    def _check_bounds(self, signature: _Signature, domain: _Domain) -> None:
        for variable, name in signature.variables.items():
            if variable not in domain.bounds:
                if domain.given:
                    self._scanner.fail(f"bounds of {name}")
                domain.bounds[variable] = EVERYTHING


def _assemble(signature: _Signature, domain: _Domain) -> IndexMap:
    """Build the map, separating symbols into range and runtime variables."""
    symbols: list[Expression] = [Range(k) for k in range(len(signature.symbols))]
    ranges = [symbol for symbol in symbols if symbol not in domain.reads]
    runtimes = [symbol for symbol in symbols if symbol in domain.reads]
    places: dict[Expression, Expression] = {old: Range(new) for new, old in enumerate(ranges)}
    places |= {old: Runtime(new) for new, old in enumerate(runtimes)}
    runtimes += [Runtime(k) for k in range(len(signature.runtimes))]
    dimension_bounds = [domain.bounds[Dim(k)] for k in range(len(signature.dimensions))]
    range_bounds = [domain.bounds[symbol] for symbol in ranges]
    return IndexMap(
        tuple(substitute(result, places) for result in signature.results),
        tuple(dimension_bounds),
        tuple(range_bounds),
        tuple(
            domain.reads[symbol].variable(domain.bounds[symbol], dimension_bounds, range_bounds)
            for symbol in runtimes
        ),
        tuple((substitute(expression, places), interval) for expression, interval in domain.constraints),
    )
