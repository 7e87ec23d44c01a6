"""The debugger as a widget of Jupyter and marimo.

The cell frames the page that `recording.to_html` writes, without recorded data: the widget's messages carry the
page's requests to the kernel. So it works wherever cells do, also with a remote kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import anywidget
import traitlets

from hloscope.engine.debugger.address import Address

from ...base.assets import folder
from .cell import HEIGHT, Cell, CellContent

SCRIPT = "js/notebook/widget.js"


class DebuggerView(anywidget.AnyWidget):
    """A recording in a cell, which one steps through there and from Python.

    >>> view = recording.show()  # doctest: +SKIP
    >>> view.position = 3  # doctest: +SKIP
    >>> view.select("%5", (0, 2))  # doctest: +SKIP
    >>> view.selection["address"]  # doctest: +SKIP
    '0.s3.0'
    """

    _esm = (folder("static") / SCRIPT).read_text("utf-8")
    position = traitlets.Int(0, min=0).tag(sync=True)
    """The step that the debugger is at, in the selected process; it runs next."""
    process = traitlets.Int(0, min=0).tag(sync=True)
    """The number of the selected process of a grid."""
    selection = traitlets.Dict(allow_none=True, default_value=None).tag(sync=True)
    """The selected value: `name`, `address`, and the `element` under the cursor, or `None`."""
    height = traitlets.Int(HEIGHT, min=200, max=4_000).tag(sync=True)
    """Height of the cell in pixels."""

    def __init__(self, what: CellContent, position: int = 0, height: int = HEIGHT) -> None:
        super().__init__(position=position, height=height)
        self._what = what
        self._cell = Cell(what)
        self.on_msg(self._receive)

    def select(self, value: Address | str, element: Sequence[int] | None = None) -> None:
        """Select a value, by its name or its address, and put the cursor on an element of it.

        The debugger moves to just after the value was computed. `InputError` if there is none.
        """
        place = self._cell.place_of(value, element)
        with self.hold_sync():
            for name, found in place.items():
                self.set_trait(name, found)

    def _receive(self, widget: Any, content: Any, buffers: Any) -> None:
        answer = self._cell.receive(content)
        if answer is not None:
            self.send(answer[0], [answer[1]])

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """The widget, and its static fallback without a kernel."""
        bundle = super()._repr_mimebundle_(**options)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle or {}, {})
        words = f"hloscope: {self._what.name}, step {self.position}"
        return {**data, "text/plain": words, "text/html": self._what.html()}, metadata
