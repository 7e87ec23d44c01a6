"""The interface of the readers of MLIR text, which also resolves aliases and finds resources."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from ...cursor import Cursor
from ...errors import LimitError, ProgramError
from ...ir.attributes import Attribute, DenseArrayAttribute, DenseAttribute, OpaqueAttribute
from ...ir.element_types import QuantizedType
from ...ir.locations import Location
from ...ir.types import FunctionType, Type
from ...limits import Limits
from ...source import Source
from ..text.suggestions import nearest

Found = TypeVar("Found")

_ALIAS = re.compile(r"^[ \t]*+([#!][A-Za-z_0-9][A-Za-z0-9_$.-]*+)[ \t]*+=", re.MULTILINE)
_RESOURCE = re.compile(r'([A-Za-z_][A-Za-z0-9_$.]*+|"(?:[^"\\\n]++|\\.)++")\s*+:\s*+"0x([0-9A-Fa-f]*+)"')
_LOCATION_CHARACTERS = 1 << 20
"""Maximum length of one location with its aliases expanded."""


@dataclass(frozen=True)
class Alias:
    """A named attribute, type or location."""

    value: Attribute | Type | Location
    end: int
    height: int
    """Nesting depth, with the value's own aliases expanded."""
    size: int
    """Number of characters, with the value's own aliases expanded."""


class Reader(Cursor):
    """Reads types, attributes and locations, as `TextReader` implements it; resolves their aliases."""

    def __init__(self, source: Source, limits: Limits) -> None:
        super().__init__(source, limits)
        self.plain_types: dict[str, Type] = {}
        self.quantized_types: dict[str, QuantizedType] = {}
        self.arrays: dict[str, DenseArrayAttribute] = {}
        self.literals: dict[str, DenseAttribute] = {}
        self._aliases: dict[str, Alias | None] = {}
        self._size = 0
        self._defining = 0

    def attribute(self) -> Attribute:
        """Read an attribute."""
        raise NotImplementedError

    def bare_number(self) -> Attribute | None:
        """Read a number without a type, if one comes next."""
        raise NotImplementedError

    def read_type(self) -> Type:
        """Read a type."""
        raise NotImplementedError

    def function_type(self) -> FunctionType:
        """Read `(inputs) -> results`."""
        raise NotImplementedError

    def dictionary(self, opening: str = "{") -> dict[str, Attribute]:
        """Read `{name = value, …}`."""
        raise NotImplementedError

    def attribute_text(self) -> str:
        """Read an attribute and return its printed form."""
        raise NotImplementedError

    def location(self) -> Location:
        """Read `loc(…)`."""
        raise NotImplementedError

    def op_name(self, name: str) -> str | None:
        """The canonical name of an op; only a reader of operations knows any."""
        return None

    # Aliases

    @cached_property
    def _definitions(self) -> dict[str, tuple[int, int]]:
        found: dict[str, tuple[int, int]] = {}
        for match in _ALIAS.finditer(self.text):
            if match[1] in found:
                self.fail(f"{match[1]} is defined twice", match.start(1))
            if "." in match[1]:
                self.fail(f"{match[1]}: alias names cannot contain '.'", match.start(1))
            found[match[1]] = match.start(1), match.end()
        return found

    def read_alias_definition(self) -> None:
        """Read `#name = …` or `!name = …`, on a line of its own."""
        match = _ALIAS.match(self.text, self.text.rfind("\n", 0, self.position) + 1)
        if not match or match.start(1) != self.position:
            self.fail_expecting("an alias and '=' on a line of its own")
        self.move(self._alias(match[1], self.position).end)

    def attribute_alias(self, name: str, start: int) -> Attribute:
        """The attribute that `#name` denotes; a location as text."""
        if isinstance(self._alias(name, start).value, Location):
            self.location_alias(name, start)
            body = self._definitions[name][1]
            return OpaqueAttribute(self.text[body : self._alias(name, start).end].strip())
        return self._use_alias(name, start, Attribute, "an attribute")

    def type_alias(self, name: str, start: int) -> Type:
        """The type that `!name` denotes."""
        return self._use_alias(name, start, Type, "a type")

    def location_alias(self, name: str, start: int) -> Location:
        """The location that `#name` denotes inside `loc(…)`."""
        return self._use_alias(name, start, Location, "a location")

    def _use_alias(self, name: str, start: int, kind: type[Found], what: str) -> Found:
        alias = self._alias(name, start)
        self.deepen(start, alias.height)
        self.depth -= alias.height
        if not isinstance(alias.value, Location):
            self._grow(alias.size, start, self.limits.max_program_bytes)
        elif self._defining:
            self._grow(alias.size, start, _LOCATION_CHARACTERS)
        if not isinstance(alias.value, kind):
            self.fail(f"{name} is not {what}", start)
        return alias.value

    def _grow(self, size: int, start: int, limit: int) -> None:
        self._size += size
        if self._size > limit:
            message = f"the aliases expand to more than {limit:,} characters"
            raise LimitError(message, self.span_from(start), label="max_program_bytes")

    def _alias(self, name: str, start: int) -> Alias:
        if name in self._aliases:
            known = self._aliases[name]
            return known if known is not None else self.fail(f"{name} is defined in terms of itself", start)
        definition = self._definitions.get(name)
        if definition is None:
            self.fail(f"{name} is not defined", start, hint=nearest(name, self._definitions))
        self._aliases[name] = None
        return self._define(name, definition[1], start)

    def _define(self, name: str, body: int, start: int) -> Alias:
        back, end, depth, deepest, size = self.position, self.end, self.depth, self.deepest, self._size
        self.deepen(start)
        self.deepest, self._size = self.depth, 0
        self._defining += 1
        self.move(body)
        try:
            value: Attribute | Type | Location = self._value(name)
        except ProgramError:
            # Another use of the alias reports the same error, not that it contains itself.
            del self._aliases[name]
            self._defining -= 1
            self._size = size
            raise
        alias = Alias(value, self.end, self.deepest - depth, self.end - body + self._size)
        self._aliases[name] = alias
        self._defining -= 1
        self.move(back)
        self.end, self.depth, self.deepest, self._size = end, depth, deepest, size
        return alias

    def _value(self, name: str) -> Attribute | Type | Location:
        if name[0] == "!":
            return self.read_type()
        return self.location() if self.peek_word() == "loc" else self.attribute()

    @cached_property
    def resources(self) -> dict[str, str]:
        """Data in `{-# dialect_resources: … #-}` at the end of the file, as hexadecimal digits by name."""
        start = self.text.rfind("{-#")
        matches = _RESOURCE.finditer(self.text, start) if start >= 0 else ()
        return {unquote(match[1]): match[2] for match in matches}


def unquote(name: str) -> str:
    """A resource's name without its quotes."""
    return name[1:-1] if name[0] == '"' else name
