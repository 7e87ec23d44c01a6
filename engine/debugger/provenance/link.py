"""Links between a value read and a value made, with the relation of their elements."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ..address import Address
from .relations import Kind, Relation


class End(StrEnum):
    """Reasons why provenance ends."""

    INPUT = "input"
    CONSTANT = "constant"
    OPAQUE = "opaque"
    OUTSIDE = "outside"


@dataclass(frozen=True, slots=True)
class Link:
    """`source` was read to make `target`."""

    source: Address
    target: Address
    kind: Kind
    relation: Relation
    operand: int | None = None
    """Operand index, with tuples flattened."""
    words: str = ""


@dataclass(frozen=True, slots=True)
class Into:
    """Links to all values that a value was made from, or the reason why there are none."""

    links: tuple[Link, ...]
    end: End | None = None
    reason: str = ""
    """A sentence if provenance ends here or is not exact."""
    left_out: str = ""
    """A sentence if some sources are not followed."""
