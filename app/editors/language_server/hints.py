"""Inlay hints: types after result names, and ranges of recorded values."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lsprotocol.types import InlayHint, InlayHintKind

from hloscope.engine.ir.module import Operation
from hloscope.engine.ir.types import TensorType
from hloscope.engine.source import Span

from ...present.summary import short_type
from .analysis import Analysis
from .positions import Positions
from .recordings import Attached

_COUNT = re.compile(r":[0-9]+")
"""The number of results of a name: `%0:2`."""
MOST_ELEMENTS = 1 << 20
"""Maximum elements of a value whose range is computed only for a hint."""


def hints(
    analysis: Analysis, attached: Attached | None, positions: Positions, visible: Span
) -> list[InlayHint]:
    """The hints of the visible range; HLO text already has types beside the names."""
    found: list[InlayHint] = []
    for operation in analysis.operations:
        if visible.start <= operation.span.start <= visible.end and operation.results:
            if not analysis.is_hlo:
                found += _types(analysis, operation, positions)
            if attached is not None:
                found += _ranges(attached, operation, positions)
    return found


def _types(analysis: Analysis, operation: Operation, positions: Positions) -> Iterator[InlayHint]:
    """One hint for each word: `%a, %b = …` are two, `%0:2 = …` is one with two types."""
    texts: dict[int, list[str]] = {}
    for value in operation.results:
        text = short_type(value.type) if isinstance(value.type, TensorType) else str(value.type)
        texts.setdefault(value.span.end, []).append(text)
    for end, found in texts.items():
        if end:
            shown = f": {', '.join(found)}"
            count = _COUNT.match(analysis.text, end)
            yield InlayHint(
                positions.position(count.end() if count else end),
                shown,
                InlayHintKind.Type,
                padding_right=True,
            )


def _ranges(attached: Attached, operation: Operation, positions: Positions) -> Iterator[InlayHint]:
    """The values of the results, at the end of the line with their names."""
    start = operation.results[0].span.start
    number = attached.number_at(start)
    if number is None:
        return
    type = operation.results[0].type
    if isinstance(type, TensorType) and type.is_static and type.element_count > MOST_ELEMENTS:
        return
    if shown := attached.last(number):
        times = f" (last of {shown.count:,})" if shown.count > 1 else ""
        yield InlayHint(positions.end_of_line(start), f"{shown.line}{times}", padding_left=True)
