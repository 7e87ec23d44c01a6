"""The syntax tree of an expression; each node has its position in the text."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from ..source import Span


@dataclass(frozen=True)
class Node:
    """A node of an expression."""

    span: Span


@dataclass(frozen=True)
class Literal(Node):
    """A number, a boolean or a quoted string."""

    value: bool | int | float | str


@dataclass(frozen=True)
class Named(Node):
    """A value of the program: `%5`, `%5#1`, `%x[process=2]`."""

    name: str
    """Without `%`."""
    process: int | None = None


@dataclass(frozen=True)
class Variable(Node):
    """`iteration`, `step`, … ; `operand(1)` has a number."""

    name: str
    number: int = 0


@dataclass(frozen=True)
class Unary(Node):
    """`-x`, `~x`, `not x`."""

    operator: str
    operand: Node


@dataclass(frozen=True)
class Binary(Node):
    """Arithmetic and comparisons."""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True)
class Both(Node):
    """`and`, `or`: the right side is evaluated only if the left side does not decide."""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True)
class Within(Node):
    """`x in [low, high]`, bounds included."""

    operand: Node
    low: Node
    high: Node


@dataclass(frozen=True)
class Call(Node):
    """A function call, or a method call with its receiver as the first argument."""

    function: str
    arguments: tuple[Node, ...]
    named: tuple[tuple[str, Node], ...] = ()


@dataclass(frozen=True)
class Field(Node):
    """`x.shape`."""

    operand: Node
    name: str


@dataclass(frozen=True)
class Range(Node):
    """`start:stop:stride` in brackets; each part is optional."""

    parts: tuple[Node | None, Node | None, Node | None]


@dataclass(frozen=True)
class Rest(Node):
    """`...` in brackets."""


@dataclass(frozen=True)
class Item(Node):
    """`x[3, :, ...]`."""

    operand: Node
    indices: tuple[Node, ...]


def parts(found: Any) -> Iterator[Node]:
    """A node and all nodes below it."""
    if isinstance(found, Node):
        yield found
        for member in fields(found):
            yield from parts(getattr(found, member.name))
    elif isinstance(found, tuple):
        for item in found:
            yield from parts(item)
