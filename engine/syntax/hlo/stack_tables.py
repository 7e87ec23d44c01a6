"""The tables after a module's header, which map stack frames to lines of source files."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from ...ir.locations import CallSiteLocation, FileLocation, Location, NameLocation
from .values.hlo_cursor import HloCursor

Entry = TypeVar("Entry")

NAMES = ("FileNames", "FunctionNames", "FileLocations", "StackFrames")
MAX_FRAMES = 150
"""Maximum number of frames in a location; locations are read and shown recursively."""

_NUMBER = re.compile(r"[0-9]{1,9}(?![0-9])")
_USUAL = re.compile(r"\{((?:[a-z_]++=[0-9]{1,9}(?:\ |(?=\})))*+)\}")
_KEY = re.compile(r"([A-Za-z_][A-Za-z0-9_]*+)\s*+=")


@dataclass
class StackTables:
    """File names, function names, file locations and stack frames, each numbered from 1."""

    file_names: dict[int, str] = field(default_factory=dict)
    function_names: dict[int, str] = field(default_factory=dict)
    file_locations: dict[int, dict[str, int]] = field(default_factory=dict)
    stack_frames: dict[int, dict[str, int]] = field(default_factory=dict)
    locations: dict[object, Location | None] = field(default_factory=dict, repr=False, compare=False)
    """Cache of `quick_metadata`: locations, by their text in the program and by all fields of the metadata."""
    _chains: dict[int, tuple[Location, int]] = field(default_factory=dict, repr=False, compare=False)

    def parent(self, frame: int) -> int:
        """The frame that called `frame`; 0 if there is none.

        XLA writes the caller's number plus one, so that 1 means no caller. A 0 anywhere in the table shows
        that its numbers are not offset.
        """
        stated = self.stack_frames[frame].get("parent_frame_id", 0)
        return stated if self._is_plain else max(stated - 1, 0)

    @cached_property
    def _is_plain(self) -> bool:
        return any(frame.get("parent_frame_id") == 0 for frame in self.stack_frames.values())

    def location(self, frame: int) -> Location | None:
        """Location of `frame` with its callers, innermost first; `None` if it is unknown.

        Recursive and very deep stacks are truncated.
        """
        path: list[int] = []
        on_path: set[int] = set()
        while frame in self.stack_frames and frame not in self._chains and frame not in on_path:
            path.append(frame)
            on_path.add(frame)
            frame = self.parent(frame)
        found = self._chains.get(frame)
        for number in reversed(path):
            found = self._chains[number] = self._called_from(number, found)
        return found[0] if found else None

    def _called_from(self, frame: int, caller: tuple[Location, int] | None) -> tuple[Location, int]:
        place = self._file_location(self.stack_frames[frame].get("file_location_id", 0))
        if caller is None or caller[1] >= MAX_FRAMES:
            return place, 1
        innermost = caller[0].callee if isinstance(caller[0], CallSiteLocation) else caller[0]
        if place == innermost:
            # XLA concatenates stacks when it inlines and may repeat a line.
            return caller
        return CallSiteLocation(place, caller[0]), caller[1] + 1

    def _file_location(self, number: int) -> Location:
        stated = self.file_locations.get(number, {})
        file = self.file_names.get(stated.get("file_name_id", 0), "")
        end = (stated.get("end_line"), stated.get("end_column"))
        end = end if all(end) else (None, None)
        place = FileLocation(file, stated.get("line", 0), stated.get("column", 0), *end)
        function = self.function_names.get(stated.get("function_name_id", 0))
        return NameLocation(function, place) if function else place


def read_tables(cursor: HloCursor) -> StackTables:
    """Read any of the four tables, in any order."""
    found = StackTables()
    names: dict[str, dict[int, str]] = {"FileNames": found.file_names, "FunctionNames": found.function_names}
    numbers = {"FileLocations": found.file_locations, "StackFrames": found.stack_frames}
    while (table := cursor.peek_word()) in NAMES:
        cursor.accept(table)
        if table in names:
            _read_entries(cursor, table, names[table], HloCursor.string)
        else:
            _read_entries(cursor, table, numbers[table], _read_numbers)
    return found


def _read_entries(
    cursor: HloCursor, table: str, into: dict[int, Entry], read: Callable[[HloCursor], Entry]
) -> None:
    """Read `1 … 2 …`."""
    while match := _NUMBER.match(cursor.text, cursor.position):
        number = int(match[0])
        start = cursor.position
        cursor.move(match.end())
        if number in into:
            cursor.fail(f"entry {number} of {table} is given twice", start)
        into[number] = read(cursor)


def _read_numbers(cursor: HloCursor) -> dict[str, int]:
    """Read `{file_location_id=1 parent_frame_id=1}`."""
    usual = cursor.match(_USUAL)
    if usual is not None:
        return {name: int(value) for name, value in (part.split("=") for part in usual[1].split())}
    found: dict[str, int] = {}
    cursor.enter("{", ", which opens an entry of the table")
    while not cursor.peek("}"):
        match = cursor.match(_KEY) or cursor.fail_expecting("a field of the entry, such as line=3, or '}'")
        found[match[1]] = cursor.integer(f"the number of '{match[1]}'")
        cursor.accept(",")
    cursor.leave()
    return found
