"""Types shared by the printer and the forms of single ops."""

from dataclasses import dataclass
from typing import Protocol

from ...ir.module import Region


@dataclass(frozen=True)
class Body:
    """A region in an operation's text: `{`, its operations, `}`."""

    region: Region
    with_arguments: bool = True
    """Whether the block's arguments are printed as `^bb0(…):` before its operations."""


Pieces = list[str | Body]


class Scribe(Protocol):
    """The printer's state that a form can read."""

    def indent(self) -> str:
        """Indentation of the operation being printed."""

    def is_visible(self, name: str) -> bool:
        """Whether a value of that name is in scope."""
