"""One step of the way: a value that was read, one that was made of it, and how their elements belong together."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ..address import Address
from .relations import Kind, Relation


class End(StrEnum):
    """Why there is nothing to follow further back."""

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
    """Which operand of the op it is, tuples taken apart."""
    words: str = ""


@dataclass(frozen=True, slots=True)
class Into:
    """The links to all values that a value was made from; without any, why it has none."""

    links: tuple[Link, ...]
    end: End | None = None
    reason: str = ""
    """A sentence, where the way back ends here or is not known exactly."""
    left_out: str = ""
    """A sentence, where there is more that is not followed."""
