"""The ops that text may name, and one to make up."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from hloscope.engine.ops import op_table
from hloscope.engine.syntax import OpTable


@dataclass(frozen=True)
class SyntaxOp:
    """An op as the parser sees it."""

    name: str
    short_form: str | None
    aliases: tuple[str, ...] = ()
    inherent: frozenset[str] = field(default=frozenset())

    def inherent_attributes(self) -> frozenset[str]:
        """The names in its short form, and those listed here."""
        return self.inherent | frozenset(re.findall(r"\$(\w+)", self.short_form or ""))


OP_TABLE: OpTable = op_table()
