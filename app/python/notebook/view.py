"""The view of a recording in a cell: the debugger as a widget, else tables and pictures."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from ...present.html.markup import code, line, shown
from .cell import HEIGHT, CellContent


class StaticView:
    """A recording in a notebook that has no widgets."""

    def __init__(self, html: str) -> None:
        self._html = html

    def __repr__(self) -> str:
        return "a recording without the debugger: pip install 'hloscope[notebook]'"

    def _repr_html_(self) -> str:
        how = line(
            "To step through it in the cell: ",
            code("pip install 'hloscope[notebook]'"),
            ", then restart the kernel.",
        )
        return f"{self._html}{shown(how)}"


def shown_view(what: CellContent, position: int = 0, height: int = HEIGHT) -> Any:
    """A `DebuggerView` at a step, or tables if anywidget is not installed."""
    if find_spec("anywidget") is None:
        return StaticView(what.html())
    from .widget import DebuggerView

    return DebuggerView(what, position, height)
