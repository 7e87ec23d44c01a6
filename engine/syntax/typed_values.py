"""Read input values typed by users."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from ..ir.types import TensorType
from .dense import literal_array, read_literal, read_nested
from .reader import Reader


def read_value(reader: Reader, expected: TensorType) -> NDArray[Any]:
    """Read `dense<…>`, `dense<…> : type`, a nested list, or one value for all elements."""
    start = reader.position
    if not expected.is_static:
        reader.fail(f"a value of type {expected} needs its sizes first", start)
    if reader.peek_word() == "dense":
        return _read_dense(reader, expected)
    body = reader.text[start:]
    literal = read_nested(body, start, reader.limits.max_nesting)
    reader.move(len(reader.text))
    if not literal.rows and literal.shape is None:
        reader.fail(f"type a value of {expected}", start, hint=_example(expected))
    return literal_array(literal, expected, by_hand=True)


def _read_dense(reader: Reader, expected: TensorType) -> NDArray[Any]:
    literal = read_literal(reader)
    if reader.accept(":"):
        start = reader.position
        stated = reader.read_type()
        if stated != expected:
            reader.fail(f"this is a {stated}, the input is a {expected}", start)
    return literal_array(literal, expected, by_hand=True)


def _example(expected: TensorType) -> str:
    return f"{'[' * expected.rank}1, 2, …{']' * expected.rank}, or one number for all elements"


def split_tuple(text: str) -> list[str] | None:
    """The texts between the outermost commas of `(a, b)`; `None` if there are no such parentheses."""
    text = text.strip()
    if not (text.startswith("(") and text.endswith(")")):
        return None
    parts, depth = [""], 0
    for character in text[1:-1]:
        depth += (character in "([{<") - (character in ")]}>")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts] if text[1:-1].strip() else []
