"""The values in scope at a position in a program."""

import re

from ...cursor import VALUE_NAME, Cursor
from ...errors import StructureError
from ...ir.module import Value
from ...ir.types import OpaqueType
from ...source import Span
from ..text.suggestions import nearest

_PACK_INDEX = re.compile(r"#([0-9]{1,6})")
_NEXT_FUNCTION = re.compile(r"\bfunc\.func\b")
UNKNOWN = OpaqueType("?")
"""The type of a value whose definition has an error, until a use states its type."""


class Scope:
    """The visible values of one function, or of one top-level operation."""

    def __init__(self) -> None:
        self._values: dict[str, tuple[Value, ...]] = {}
        self._opened: list[list[str]] = [[]]
        self.is_sound = True
        """Whether the definition of every value was read."""

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def open(self) -> None:
        """Enter a region: definitions from here on end with it."""
        self._opened.append([])

    def close(self) -> None:
        """Leave a region."""
        for name in self._opened.pop():
            del self._values[name]

    def define(self, name: str, values: tuple[Value, ...], cursor: Cursor) -> None:
        """Define `%name`, one value or a pack of values."""
        if name in self._values:
            known = self._values[name]
            if not known:
                self._values[name] = values
                return
            line = cursor.source.line_and_column(known[0].span.start)[0]
            span = values[0].span if values else Span(cursor.position, cursor.position)
            hint = "give it another name: a value is never changed"
            raise StructureError(f"{name} is defined twice, first on line {line}", span, hint=hint)
        self._values[name] = values
        self._opened[-1].append(name)

    def lose(self, name: str) -> None:
        """Define `%name`, whose definition has an error, as any number of values of unknown type."""
        self.is_sound = False
        if name not in self._values:
            self._values[name] = ()
            self._opened[-1].append(name)

    @property
    def level(self) -> int:
        """Number of regions that are open, for `close_to`."""
        return len(self._opened)

    def close_to(self, level: int) -> None:
        """Leave the regions inside `level`."""
        while len(self._opened) > level:
            self.close()

    def free_name(self, name: str) -> str:
        """`name`, with a numeric suffix if it is taken."""
        number, free = 0, name
        while free in self._values:
            free, number = f"{name}_{number}", number + 1
        return free

    def find(self, written: str) -> Value | None:
        """The value that `%name` or `%name#1` denotes, if it is defined."""
        if "#" not in written:
            values = self._values.get(written)
            return values[0] if values else None
        name, _, index = written.partition("#")
        pack = self._values.get(name, ())
        return pack[int(index or 0)] if int(index or 0) < len(pack) else None

    def use(self, cursor: Cursor) -> tuple[Value, Span]:
        """Read a use of `%name` or `%name#1`, which must be defined."""
        start = cursor.position
        name = cursor.match(VALUE_NAME)
        if not name:
            cursor.fail_expecting("a value, such as %0")
        index = 0
        place = _PACK_INDEX.match(cursor.text, name.end())
        if place:
            cursor.move(place.end())
            index = int(place[1])
        span = cursor.span_from(start)
        pack = self._values.get(name[0])
        if pack is None:
            raise self._undefined_error(name[0], span, cursor)
        if index >= len(pack):
            if not pack:
                return Value(cursor.text[span.start : span.end], UNKNOWN), span
            plural = "" if len(pack) == 1 else "s"
            raise StructureError(f"{name[0]} has {len(pack)} value{plural}; there is no #{index}", span)
        return pack[index], span

    def _undefined_error(self, name: str, span: Span, cursor: Cursor) -> StructureError:
        line = _line_of_definition(name, span.end, cursor)
        if line is not None:
            message = f"{name} is used before it is defined, on line {line}"
            return StructureError(message, span, hint="move the definition above its first use")
        if name in _names_defined_here(span.start, cursor):
            return StructureError(f"{name} is used in its own definition", span)
        return StructureError(f"{name} is not defined", span, hint=nearest(name, self._values))


def _names_defined_here(use: int, cursor: Cursor) -> list[str]:
    """The names before the first `=` of the line."""
    line = cursor.text[cursor.text.rfind("\n", 0, use) + 1 : use]
    return VALUE_NAME.findall(line.partition("=")[0]) if "=" in line else []


def _line_of_definition(name: str, start: int, cursor: Cursor) -> int | None:
    following = _NEXT_FUNCTION.search(cursor.text, start)
    end = following.start() if following else len(cursor.text)
    definition = re.compile(
        rf"^[ \t]*+(?:%[^\s=%]++[ \t]*+)*?{re.escape(name)}(?::[0-9]++)?+(?=[\s,=])", re.MULTILINE
    )
    found = definition.search(cursor.text, start, end)
    return cursor.source.line_and_column(found.end())[0] if found else None
