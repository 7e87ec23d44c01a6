"""What the printer and the forms of single ops share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ..ir.module import Region


@dataclass(frozen=True)
class Body:
    """A region in an operation's text: `{`, its operations, `}`."""

    region: Region
    with_arguments: bool = True
    """Whether the block's arguments are printed as `^bb0(…):` before its operations."""


Pieces = list[str | Body]


class Scribe(Protocol):
    """What a form may ask while it writes."""

    def indent(self) -> str:
        """The blanks before the operation that is written."""

    def is_visible(self, name: str) -> bool:
        """Whether a value of that name can be seen here."""
