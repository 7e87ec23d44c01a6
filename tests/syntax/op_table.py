"""The table of ops for these tests, and a class for invented ops."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from hloscope.engine.ir.attributes import Attribute
from hloscope.engine.ops import reading_table
from hloscope.engine.syntax import OpTable


@dataclass(frozen=True)
class SyntaxOp:
    """An op as the parser needs it."""

    name: str
    short_form: str | None
    aliases: tuple[str, ...] = ()
    inherent: frozenset[str] = field(default=frozenset())

    def inherent_attributes(self) -> frozenset[str]:
        """The names in its short form, and those given to the constructor."""
        return self.inherent | frozenset(re.findall(r"\$(\w+)", self.short_form or ""))

    def translate(self, entries: Mapping[str, Attribute]) -> Mapping[str, Attribute]:
        """The attributes, unchanged."""
        return entries


OP_TABLE: OpTable = reading_table()
