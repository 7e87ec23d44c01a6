"""Forms: the correspondence of an HLO opcode and an op."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from ...ir.module import Operation
from .fields import Field, Written
from .instruction_draft import Draft


def always(draft: Draft) -> bool:
    """Condition of a form that is the only one of its opcode."""
    return True


@dataclass(frozen=True)
class Form:
    """The instruction `opcode` is the op `name`; `fields` describe its attributes."""

    opcode: str
    name: str
    fields: tuple[Field, ...] = ()
    fits: Callable[[Draft], bool] = always
    """Whether an instruction is this op, for opcodes that denote several ops."""

    @cached_property
    def keys(self) -> frozenset[str]:
        """Names of the opcode's attributes."""
        return frozenset(key for found in self.fields for key in _keys(found))

    def read(self, draft: Draft) -> None:
        """Read the attributes of an instruction."""
        for found in self.fields:
            found.read(draft)

    def write(self, operation: Operation) -> Written:
        """Yield the attributes of an operation."""
        for found in self.fields:
            yield from found.write(operation)


def _keys(field: Field) -> Iterator[str]:
    for name in ("key", "keys", "lists", "single"):
        found = getattr(field, name, ())
        yield from (found,) if isinstance(found, str) else found
