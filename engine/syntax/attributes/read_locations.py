"""Read `loc(…)` in all its forms."""

import re

from ...ir.locations import (
    CallSiteLocation,
    FileLocation,
    FusedLocation,
    Location,
    NameLocation,
    OpaqueLocation,
    UnknownLocation,
)
from .reader import Reader

_ALIAS = re.compile(r"#[A-Za-z_0-9$.-]++")


def read_trailing_location(reader: Reader) -> Location | None:
    """Read `loc(…)` if it comes next."""
    return read_location(reader) if reader.peek_word() == "loc" else None


def read_location(reader: Reader) -> Location:
    """Read `loc(…)`."""
    reader.expect_word("loc")
    reader.enter("(", " after 'loc'")
    location = _read(reader)
    reader.leave(", which closes the location")
    return location


def _read(reader: Reader) -> Location:
    start = reader.position
    if reader.peek("#"):
        match = reader.match(_ALIAS)
        if match and reader.peek("<"):
            return OpaqueLocation(match[0] + reader.read_balanced("<"))
        return (
            reader.location_alias(match[0], start) if match else reader.fail_expecting("a location's alias")
        )
    if reader.peek('"'):
        return _file_or_name(reader)
    match reader.peek_word():
        case "loc":
            return read_location(reader)
        case "unknown":
            reader.accept("unknown")
            return UnknownLocation()
        case "callsite":
            return _call_site(reader)
        case "fused":
            return _fuse(reader)
    return reader.fail_expecting(
        "a location", hint='such as "file.py":1:2, "name", fused[…] or callsite(… at …)'
    )


def _file_or_name(reader: Reader) -> Location:
    name = reader.string()
    if reader.accept(":"):
        return _file(reader, name)
    if not reader.peek("("):
        return NameLocation(name)
    reader.enter("(")
    child = _read(reader)
    reader.leave()
    return NameLocation(name, child)


def _file(reader: Reader, name: str) -> FileLocation:
    line = reader.integer("a line number")
    if not reader.accept(":"):
        return FileLocation(name, line, 0)
    column = reader.integer("a column number")
    if not reader.accept_word("to"):
        return FileLocation(name, line, column)
    end_line = line if reader.peek(":") else reader.integer("a line number")
    reader.expect(":", " and a column number")
    return FileLocation(name, line, column, end_line, reader.integer("a column number"))


def _call_site(reader: Reader) -> CallSiteLocation:
    reader.accept("callsite")
    reader.enter("(", " after 'callsite'")
    callee = _read(reader)
    reader.expect_word("at", " and the caller's location")
    caller = _read(reader)
    reader.leave()
    return CallSiteLocation(callee, caller)


def _fuse(reader: Reader) -> FusedLocation:
    reader.accept("fused")
    metadata = reader.read_balanced("<")[1:-1] if reader.peek("<") else None
    locations: list[Location] = []
    for _ in reader.each("["):
        locations.append(_read(reader))  # noqa: PERF401 - a comprehension is a frame more for each level
    return FusedLocation(tuple(locations), metadata)
