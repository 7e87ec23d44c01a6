"""Text offsets and diagnostics in the browser's units.

The engine counts code points, JavaScript UTF-16 units; they differ after the first character beyond U+FFFF.
Only this module converts.
"""

from bisect import bisect_left
from collections.abc import Iterable

import numpy as np

from hloscope.engine.errors import Diagnostic
from hloscope.engine.source import Source, Span

from ..wire.program import Diagnostic as DiagnosticJson
from ..wire.program import TextSpan


class Offsets:
    """Offsets of one text in UTF-16 units; free for a text without characters beyond U+FFFF."""

    def __init__(self, text: str) -> None:
        self._wide = [] if text.isascii() else _wide_characters(text)

    def __call__(self, offset: int) -> int:
        return offset + bisect_left(self._wide, offset) if self._wide else offset

    def span(self, span: Span) -> TextSpan:
        """`from` and `to` of a span."""
        return {"from": self(span.start), "to": self(span.end)}


def _wide_characters(text: str) -> list[int]:
    # One pass in C; lone surrogates, which the server refuses, must not stop it.
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    return [int(place) for place in np.flatnonzero(points > 0xFFFF)]


def diagnostics(found: Iterable[Diagnostic], source: Source) -> list[DiagnosticJson]:
    """Diagnostics for the browser."""
    offsets = Offsets(source.text)
    return [_diagnostic(item, source, offsets) for item in found]


def diagnostic(found: Diagnostic, source: Source) -> DiagnosticJson:
    """One diagnostic for the browser."""
    return _diagnostic(found, source, Offsets(source.text))


def _diagnostic(found: Diagnostic, source: Source, offsets: Offsets) -> DiagnosticJson:
    line, column = source.line_and_column(found.span.start)
    return {
        **offsets.span(found.span),
        "line": line,
        "column": column,
        "severity": found.severity,
        "kind": found.kind,
        "op": found.op,
        "label": found.label,
        "message": found.message,
        "hint": found.hint,
    }
