"""`metadata={op_name="jit(f)/add" stack_frame_id=4}`: the origin of an instruction, as a location.

Almost every instruction has metadata, much of it repeated: `quick_metadata` reads the usual notation with one
expression and caches the result for each text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields

from ...errors import ParseError
from ...ir.locations import FileLocation, Location, NameLocation
from ...limits import DEFAULT_LIMITS
from ...source import Source, Span
from .stack_tables import StackTables, read_tables
from .values.hlo_cursor import HloCursor

__all__ = ["Metadata", "StackTables", "quick_metadata", "read_metadata", "read_tables"]

_KEY = re.compile(r"([A-Za-z_][A-Za-z0-9_]*+)\s*+=")
_TEXT = r'"([^"\\\n]*+)"'
_COUNT = r"([0-9]{1,9})"
_USUAL = re.compile(
    rf"\{{(?:op_type={_TEXT}(?:\ |(?=\}})))?(?:op_name={_TEXT}(?:\ |(?=\}})))?"
    rf"(?:source_file={_TEXT}\ source_line={_COUNT}(?:\ |(?=\}})))?"
    rf"(?:source_end_line={_COUNT}\ source_column={_COUNT}\ source_end_column={_COUNT}(?:\ |(?=\}})))?"
    rf"(?P<own>scheduling_name={_TEXT}(?:\ |(?=\}})))?(?:stack_frame_id={_COUNT})?\}}"
)


@dataclass(frozen=True)
class Metadata:
    """The content of `metadata={…}`; numbers count from 1, and 0 or an empty string means absent."""

    op_type: str = ""
    op_name: str = ""
    source_file: str = ""
    source_line: int = 0
    source_end_line: int = 0
    source_column: int = 0
    source_end_column: int = 0
    profile_type: tuple[int, ...] = ()
    deduplicated_name: str = ""
    scheduling_name: str = ""
    stack_frame_id: int = 0
    others: Mapping[str, str] = field(default_factory=dict)
    """Unknown fields, as text."""

    def location(self, tables: StackTables) -> Location | None:
        """The op's name around its call stack or its line; `None` if none of them is known."""
        lines = (self.source_line, self.source_end_line, self.source_column, self.source_end_column)
        place = tables.location(self.stack_frame_id) or _file(self.source_file, *lines)
        return NameLocation(self.op_name, place) if self.op_name else place


def _file(name: str, line: int, end_line: int, column: int, end_column: int) -> FileLocation | None:
    end = (end_line, end_column) if end_line and end_column else (None, None)
    return FileLocation(name, line, column, *end) if name else None


def read_metadata(cursor: HloCursor) -> Metadata:
    """Read `{op_name="a" source_line=3}`: fields in any order, separated by blanks or commas."""
    values: dict[str, object] = {}
    others: dict[str, str] = {}
    cursor.enter("{", ", which opens the metadata")
    while not cursor.peek("}"):
        key, span = _read_key(cursor)
        if key in values or key in others:
            raise ParseError(f"'{key}' is given twice", span)
        if key in _READERS:
            values[key] = _READERS[key](cursor)
        else:
            value = cursor.skip_value()
            others[key] = cursor.text[value.start : value.end]
        cursor.accept(",")
    cursor.leave()
    return Metadata(**values, others=others)  # type: ignore[arg-type]


def _read_key(cursor: HloCursor) -> tuple[str, Span]:
    match = _KEY.match(cursor.text, cursor.position)
    if match is None:
        cursor.fail_expecting('a field of the metadata, such as op_name="add", or a closing brace')
    cursor.move(match.end())
    return match[1], Span(match.start(1), match.end(1))


_OF_TYPE: Mapping[str, Callable[[HloCursor], object]] = {
    "str": HloCursor.string,
    "int": HloCursor.integer,
    "tuple[int, ...]": HloCursor.braced_integers,
}
_READERS = {found.name: _OF_TYPE[str(found.type)] for found in fields(Metadata) if found.name != "others"}


def quick_metadata(text: str, tables: StackTables) -> Location | None:
    """The location in `text`; `None` if it states none or is invalid.

    Metadata does not affect a program's behaviour, so errors in it are ignored.
    """
    known = tables.locations
    if text in known:
        return known[text]
    match = _USUAL.fullmatch(text)
    if match is None or match["own"] is None:
        found = known[text] = _usual(match, tables) if match else _unusual(text, tables)
        return found
    # A scheduling name belongs to one instruction; the rest of the text may be that of others.
    own = match.span("own")
    key = text[: own[0]], text[own[1] :]
    if key not in known:
        known[key] = _usual(match, tables)
    return known[key]


def _unusual(text: str, tables: StackTables) -> Location | None:
    try:
        return read_metadata(HloCursor(Source(text), DEFAULT_LIMITS)).location(tables)
    except ParseError:
        return None


def _usual(match: re.Match[str], tables: StackTables) -> Location | None:
    _, op_name, file, line, end_line, column, end_column, _, _, frame = match.groups()
    place = tables.location(int(frame)) if frame else None
    if place is None and file:
        place = _file(file, *(int(number or 0) for number in (line, end_line, column, end_column)))
    return NameLocation(op_name, place) if op_name else place
