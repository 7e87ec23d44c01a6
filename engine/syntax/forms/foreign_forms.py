"""Short forms of ops that are read and printed but not executed: JAX prints them in its programs."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ...ir.attributes import Attribute


@dataclass(frozen=True)
class ForeignOp:
    """An op that is read and printed but not executed."""

    name: str
    short_form: str
    others: frozenset[str] = frozenset()
    """Properties that the short form does not name."""
    aliases: tuple[str, ...] = ()

    def inherent_attributes(self) -> frozenset[str]:
        """Names of its properties."""
        return self.others | frozenset(re.findall(r"\$(\w+)", self.short_form))

    def translate(self, entries: Mapping[str, Attribute]) -> Mapping[str, Attribute]:
        """Return the attributes unchanged."""
        return entries


_SHARDY = {"mesh": "$sym_name<symbol-name> = $mesh<#sdy.mesh> attr-dict"}
FOREIGN_OPS = {f"sdy.{name}": ForeignOp(f"sdy.{name}", form) for name, form in _SHARDY.items()}
