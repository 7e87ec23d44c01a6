"""Positions of operations in the user's own source, as MLIR's `loc(…)` states them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .records import set_plainly


class Location:
    """A source location outside the program's text."""

    __slots__ = ()

    def files(self) -> Iterator[FileLocation]:
        """The file locations in this one, innermost call first."""
        return iter(())

    @property
    def innermost(self) -> FileLocation | None:
        """The file location of the innermost call, the most precise one."""
        return next(self.files(), None)


@dataclass(frozen=True)
class UnknownLocation(Location):
    """`loc(unknown)`."""


@set_plainly
@dataclass(frozen=True, slots=True)
class FileLocation(Location):
    """`loc("file.py":30:23 to 31:26)`; an end that is not stated is `None`."""

    file: str
    line: int
    column: int
    end_line: int | None = None
    end_column: int | None = None

    def files(self) -> Iterator[FileLocation]:
        yield self


@set_plainly
@dataclass(frozen=True, slots=True)
class NameLocation(Location):
    """`loc("name")` or `loc("name"(child))`."""

    name: str
    child: Location | None = None

    def files(self) -> Iterator[FileLocation]:
        return self.child.files() if self.child else iter(())


@dataclass(frozen=True)
class CallSiteLocation(Location):
    """`loc(callsite(callee at caller))`."""

    callee: Location
    caller: Location

    def files(self) -> Iterator[FileLocation]:
        yield from self.callee.files()
        yield from self.caller.files()


@dataclass(frozen=True)
class FusedLocation(Location):
    """`loc(fused<metadata>[a, b])`; metadata as text."""

    locations: tuple[Location, ...]
    metadata: str | None = None

    def files(self) -> Iterator[FileLocation]:
        for location in self.locations:
            yield from location.files()


@dataclass(frozen=True)
class OpaqueLocation(Location):
    """Any other form, as text."""

    text: str


def argument_name(location: Location | None) -> str | None:
    """The argument's name in the user's own code: `params['b1']`."""
    match location:
        case NameLocation(name, None | UnknownLocation() | FileLocation()):
            return name
    return None
