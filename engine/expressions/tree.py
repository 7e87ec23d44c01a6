"""What an expression is once it is read; each part with its place in the text."""

from __future__ import annotations

from dataclasses import dataclass

from ..source import Span


@dataclass(frozen=True)
class Node:
    """A part of an expression."""

    span: Span


@dataclass(frozen=True)
class Literal(Node):
    """A number, a truth, or a word in quotes."""

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
    """`and`, `or`: the second side is evaluated only where the first does not decide."""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True)
class Within(Node):
    """`x in [low, high]`, both included."""

    operand: Node
    low: Node
    high: Node


@dataclass(frozen=True)
class Call(Node):
    """A function, or a method with what it belongs to as its first argument."""

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
    """`start:stop:stride` in brackets; each may be left out."""

    parts: tuple[Node | None, Node | None, Node | None]


@dataclass(frozen=True)
class Rest(Node):
    """`...` in brackets."""


@dataclass(frozen=True)
class Item(Node):
    """`x[3, :, ...]`."""

    operand: Node
    indices: tuple[Node, ...]
