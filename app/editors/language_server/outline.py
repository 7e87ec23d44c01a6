"""Symbols, folding and colours of a text."""

from collections.abc import Iterator

from lsprotocol.types import DocumentSymbol, FoldingRange, SymbolKind

from hloscope.engine.ir.module import Function, Operation, walk
from hloscope.engine.source import Span

from .analysis import Analysis
from .positions import Positions

MOST_SYMBOLS = 5000
_MENTIONED = {"value": "variable", "function": "function"}
TOKEN_TYPES = (
    "comment",
    "string",
    "variable",
    "function",
    "label",
    "macro",
    "type",
    "number",
    "keyword",
    "method",
    "property",
)
_TYPES = {
    "comment": "comment", "string": "string", "value": "variable", "symbol": "function", "block": "label",
    "attribute": "macro", "type": "type", "number": "number", "keyword": "keyword", "operation": "method",
}  # fmt: skip
"""The type of each kind of token; names and punctuation keep the grammar's colours."""


def symbols(analysis: Analysis, positions: Positions) -> list[DocumentSymbol]:
    """The functions, each with the operations that have results."""
    left, found = MOST_SYMBOLS, []
    for function in analysis.functions():
        operations = [op for op in walk(function.body) if op.results] if function.body else []
        inner = [_operation(op, positions) for op in operations[: max(0, left)]]
        left -= len(inner)
        found.append(_function(function, inner, positions))
    return found


def _function(function: Function, inner: list[DocumentSymbol], positions: Positions) -> DocumentSymbol:
    named = _inside(function.name_span, function.span)
    arguments = ", ".join(str(value.type) for value in function.arguments)
    return DocumentSymbol(
        name=f"@{function.name}",
        detail=f"({arguments})",
        kind=SymbolKind.Function,
        range=positions.range(function.span),
        selection_range=positions.range(named),
        children=inner,
    )


def _operation(operation: Operation, positions: Positions) -> DocumentSymbol:
    return DocumentSymbol(
        name=", ".join(value.name for value in operation.results),
        detail=operation.spelled,
        kind=SymbolKind.Variable,
        range=positions.range(operation.span),
        selection_range=positions.range(_inside(operation.results[0].span, operation.span)),
    )


def _inside(span: Span, whole: Span) -> Span:
    """Clip a span to the whole, because clients reject others."""
    return span if whole.start <= span.start <= span.end <= whole.end else Span(whole.start, whole.start)


def folds(analysis: Analysis, positions: Positions) -> list[FoldingRange]:
    """Functions and operations with regions that span several lines."""
    spans = [function.span for function in analysis.functions()]
    spans += [operation.span for operation in analysis.operations]
    found = {}
    for span in spans:
        start, end = positions.position(span.start).line, positions.position(span.end).line
        if end - 1 > start:
            found[start, end - 1] = FoldingRange(
                start, end - 1
            )  # the line of the closing brace stays visible
    return list(found.values())


def semantic_tokens(analysis: Analysis, positions: Positions) -> list[int]:
    """Five numbers for each token, positions relative to the previous token, as in the protocol."""
    found, line, character = list[int](), 0, 0
    for start, end, kind in _coloured(analysis):
        first, last = positions.position(start), positions.position(end)
        if last.line != first.line:
            continue
        same = first.line == line
        found += [
            first.line - line,
            first.character - (character if same else 0),
            last.character - first.character,
        ]
        found += [TOKEN_TYPES.index(kind), 0]
        line, character = first.line, first.character
    return found


def _coloured(analysis: Analysis) -> Iterator[tuple[int, int, str]]:
    """Meaning takes precedence over spelling: names of HLO text need no sigil."""
    meant = {mention.span.start: _MENTIONED[mention.kind] for mention in analysis.mentions}
    meant |= {operation.name_span.start: "method" for operation in analysis.operations}
    for start, end, kind in analysis.tokens:
        if found := meant.get(start) or _TYPES.get(kind):
            yield start, end, found
