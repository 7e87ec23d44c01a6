"""Helpers that read attribute values of HLO text."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pytest

from hloscope.engine.errors import ProgramError
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.source import Source
from hloscope.engine.syntax.hlo.values.hlo_cursor import HloCursor

Found = TypeVar("Found")


def cursor(text: str) -> HloCursor:
    return HloCursor(Source(text), DEFAULT_LIMITS)


def read(reader: Callable[[HloCursor], Found], text: str) -> Found:
    """Read the whole text with `reader`, at several positions in a longer text."""
    around = cursor(f"x={text}, y=1")
    around.move(2)
    found = reader(around)
    assert around.end == 2 + len(text)
    return found


def refused(reader: Callable[[HloCursor], object], text: str) -> tuple[str, str]:
    """The message of the error and the text of its span."""
    with pytest.raises(ProgramError) as caught:
        reader(cursor(text))
    span = caught.value.span
    return caught.value.message, text[span.start : span.end]
