"""How one opcode of HLO text and one op of ours belong together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...ir.module import Operation
from .draft import Draft
from .fields import Field, Written


def always(draft: Draft) -> bool:
    """For opcodes that are one op only."""
    return True


@dataclass(frozen=True)
class Form:
    """`opcode` in the text is the op `name`, its attributes are `fields`."""

    opcode: str
    name: str
    fields: tuple[Field, ...] = ()
    fits: Callable[[Draft], bool] = always
    """Whether an instruction is this op, where its opcode is several."""

    def read(self, draft: Draft) -> None:
        """Take what the attributes of an instruction state."""
        for found in self.fields:
            found.read(draft)

    def write(self, operation: Operation) -> Written:
        """The attributes that state what the operation has."""
        for found in self.fields:
            yield from found.write(operation)
