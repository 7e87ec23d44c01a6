"""The kernel's responses to a cell with the debugger; the widget carries the messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.errors import InputError

from ...export.one_file.page import page_bytes
from ...runs.recorded.values import RecordedValue
from ...sessions.collected_sources import source_texts
from .answering import KernelAnswers


class Cell:
    """The kernel's side of cells that show one recording."""

    def __init__(self, what: CellContent) -> None:
        self.what = what

    def receive(self, content: Mapping[str, Any]) -> tuple[dict[str, Any], bytes] | None:
        """The response to a message of a cell: a message, and bytes beside it.

        `page` requests the page, `ask` the server's response to a `path`. `cell` identifies the cell.
        """
        kind, cell = content.get("kind"), content.get("cell")
        if kind == "page":
            return {"kind": "page", "cell": cell}, self._page
        if kind == "ask":
            found = self._answers.answer(str(content.get("path", "")))
            about = {"kind": "answer", "cell": cell, "id": content.get("id")}
            return {**about, "status": found.status, "headers": dict(found.headers)}, found.body
        return None

    def place_of(self, value: Address | str, element: Sequence[int] | None) -> dict[str, Any]:
        """The position just after a value was computed, with the cursor on an element.

        `InputError` if there is none.
        """
        found = self.what.find(value)
        at, recording = found.address, self.what.recording
        if element is not None and not _lies_in(element, found.shape):
            raise InputError(
                f"{found.name} has no element {list(element)}", hint=f"Its sizes are {list(found.shape)}."
            )
        track = recording.tracks[at.process]
        return {
            "process": at.process,
            "position": track.start_of(at.number) if found.step is None else at.number + 1,
            "selection": {
                "name": found.name,
                "address": str(at),
                "element": None if element is None else [int(index) for index in element],
                "value": recording.value_number(at),
            },
        }

    @cached_property
    def _page(self) -> bytes:
        name = self.what.name
        return page_bytes(f"{name} · hloscope", f"{name}: opening …", {})

    @cached_property
    def _answers(self) -> KernelAnswers:
        return KernelAnswers(self.what.recording, source_texts(self.what.recording.program))


def _lies_in(element: Sequence[int], shape: Sequence[int]) -> bool:
    return len(element) == len(shape) and all(
        0 <= index < size for index, size in zip(element, shape, strict=True)
    )


HEIGHT = 620
"""Height of the cell in pixels."""


@dataclass(frozen=True)
class CellContent:
    """A recording with the settings of its cell."""

    recording: Recording
    name: str
    html: Callable[[], str]
    """The static view for display without a kernel."""
    find: Callable[[Address | str], RecordedValue]
    """A value by its address or name."""
