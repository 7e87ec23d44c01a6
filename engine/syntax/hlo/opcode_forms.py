"""Forms: the correspondence of an HLO opcode and an op."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from ...errors import ParseError
from ...ir.module import Operation
from ...source import Span
from ..text.suggestions import nearest
from .fields import Field, Written
from .instruction_draft import Draft

COMMON = frozenset(
    (
        *("metadata", "sharding", "frontend_attributes", "backend_config", "control-predecessors"),
        *("statistics", "parameter_replication", "origin", "original_value"),
    )
)
"""Attributes that any instruction may have."""


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
        draft.name = self.name
        for key, span in draft.raw.attributes.items():
            if key not in self.keys and key not in COMMON:
                self._check_unknown(key, span, draft)
        for found in self.fields:
            found.read(draft)

    def _check_unknown(self, key: str, span: Span, draft: Draft) -> None:
        """Reject an unknown attribute that looks misspelled; others may belong to a newer XLA."""
        missing = self.keys - draft.raw.attributes.keys()
        near = nearest(key, sorted(missing), likeness=0.75)
        if near is not None:
            # The key and an equals sign precede the value.
            key_span = Span(span.start - len(key) - 1, span.start - 1)
            raise ParseError(f"{draft.raw.opcode} has no attribute '{key}'", key_span, hint=near)

    def write(self, operation: Operation) -> Written:
        """Yield the attributes of an operation."""
        for found in self.fields:
            yield from found.write(operation)


def _keys(field: Field) -> Iterator[str]:
    for name in ("key", "keys", "lists", "single"):
        found = getattr(field, name, ())
        yield from (found,) if isinstance(found, str) else found
