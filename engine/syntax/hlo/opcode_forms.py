"""How one opcode of HLO text and one op of ours belong together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from ...ir.module import Operation
from .fields import Field, Written
from .instruction_draft import Draft


def always(draft: Draft) -> bool:
    """The condition of a form that is the only one of its opcode."""
    return True


@dataclass(frozen=True)
class Form:
    """`opcode` in the text is the op `name`, its attributes are `fields`."""

    opcode: str
    name: str
    fields: tuple[Field, ...] = ()
    fits: Callable[[Draft], bool] = always
    """Whether an instruction is this op, where its opcode is several."""

    @cached_property
    def keys(self) -> frozenset[str]:
        """The attributes that the opcode knows."""
        return frozenset(key for found in self.fields for key in _keys(found))

    def read(self, draft: Draft) -> None:
        """Take what the attributes of an instruction state."""
        for found in self.fields:
            found.read(draft)

    def write(self, operation: Operation) -> Written:
        """The attributes that state what the operation has."""
        for found in self.fields:
            yield from found.write(operation)


def _keys(field: Field) -> Iterator[str]:
    for name in ("key", "keys", "lists", "single"):
        found = getattr(field, name, ())
        yield from (found,) if isinstance(found, str) else found
