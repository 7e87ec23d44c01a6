"""Read tensor literals: `dense<…>` as nested lists, a splat, or hexadecimal bytes.

The text of a literal is cut into its innermost rows, and each row is converted as a whole. Only if that fails
are its elements read one by one, to locate the error.
"""

import re
from dataclasses import dataclass
from math import prod
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ...errors import LimitError, ParseError
from ...ir.attributes import DenseAttribute
from ...ir.element_types import ElementType
from ...ir.types import TensorType, Type
from ...source import Span
from ..text.dense_elements import ElementError, Elements, from_bytes, read_elements
from .read_types import read_type
from .reader import Reader

_BODY = re.compile(r'(?:[^>"/]++|//[^\n]*+|/)*+')
_COMMENT = re.compile(r"//[^\n]*")
_HEXADECIMAL = re.compile(r'"(0x)?([0-9A-Fa-f]*+)"')
_PIECE = re.compile(r"[\[\]]|[^\[\]]+")
_NO_STRUCTURE = re.compile(r"[^\[\],]++")
_MAX_BYTES = 1 << 62
_CACHED_LENGTH = 80
"""Maximum length of cached literals: short ones are few and often repeated."""


MAX_REGULAR_DEPTH = 16


@dataclass(frozen=True)
class _Row:
    text: str
    start: int
    """Offset in the program's text."""


@dataclass(frozen=True)
class Literal:
    """The text between `dense<` and `>`, before its type is known."""

    start: int
    end: int
    rows: tuple[_Row, ...] = ()
    shape: tuple[int, ...] | None = None
    """`None` for a single value without brackets, or for no value."""
    raw: bytes | None = None


def read_dense(reader: Reader) -> DenseAttribute:
    """Read `dense<…> : tensor<…>`."""
    literal_start = reader.position
    literal = read_literal(reader)
    reader.expect(":", " and the literal's type")
    start = reader.position
    dense_type = read_type(reader)
    if reader.end - literal_start > _CACHED_LENGTH:
        return dense_attribute(literal, _expect_tensor(dense_type, reader, start))
    text = reader.text[literal_start : reader.end]
    known = reader.literals.get(text)
    if known is None:
        known = reader.literals[text] = dense_attribute(literal, _expect_tensor(dense_type, reader, start))
    return known


def _expect_tensor(found: Type, reader: Reader, start: int) -> TensorType:
    if not isinstance(found, TensorType):
        reader.fail(f"a dense literal has a tensor type, not {found}", start, hint="such as tensor<2xf32>")
    if not found.is_static:
        reader.fail(f"the sizes of a literal's type must be known, unlike those of {found}", start)
    return found


def read_literal(reader: Reader) -> Literal:
    """Read `dense<…>`, without its type."""
    reader.expect_word("dense")
    reader.enter("<", " after 'dense'")
    start = reader.position
    if reader.peek('"'):
        literal = _read_hexadecimal(reader)
    else:
        end = _BODY.match(reader.text, start).end()  # type: ignore[union-attr]
        body = reader.text[start:end]
        literal = read_nested(body, start, reader.limits.max_nesting)
        reader.move(end)
    reader.leave(" or ',' in the literal")
    return literal


def _read_hexadecimal(reader: Reader) -> Literal:
    start = reader.position
    match = reader.match(_HEXADECIMAL)
    if match is None or match[1] is None:
        reader.string()
        reader.fail("a literal in quotes starts with 0x and has hexadecimal digits only", start)
    if len(match[2]) % 2:
        reader.fail(
            "a literal in quotes has two hexadecimal digits for each byte; one digit is left over", start
        )
    return Literal(start, reader.end, raw=bytes.fromhex(match[2]))


def read_nested(body: str, start: int, max_nesting: int) -> Literal:
    """The rows and the shape of a nested list, or of a single value."""
    if "//" in body:
        body = _COMMENT.sub(lambda comment: " " * len(comment[0]), body)
    regular = _regular_shape(body)
    if regular is not None:
        row = _Row(body.replace("[", " ").replace("]", " "), start)
        return Literal(start, start + len(body.rstrip()), (row,), regular)
    collector = _Collector(start, max_nesting)
    for piece in _PIECE.finditer(body):
        collector.add(piece[0], start + piece.start())
    end = start + len(body.rstrip())
    return collector.finish(end)


def _regular_shape(body: str) -> tuple[int, ...] | None:
    """The shape of a list with regular brackets and commas; `None` if that cannot be decided."""
    if not body.lstrip().startswith("[") or "(" in body:
        return None
    skeleton = _NO_STRUCTURE.sub("", body)
    end = skeleton.find("]") + 1
    unit = skeleton[skeleton.rfind("[", 0, end) : end]
    depth = end - len(unit) + 1
    # The skeleton of `[]` does not show whether the list has an element.
    if unit in ("", "[]") or depth > MAX_REGULAR_DEPTH or unit != f"[{',' * (len(unit) - 2)}]":
        return None
    shape = [len(unit) - 1]
    for _ in range(depth - 1):
        last = skeleton.find(unit + "]", depth - len(shape))
        count, rest = divmod(last - (depth - len(shape)), len(unit) + 1)
        if last < 0 or rest:
            return None
        unit = f"[{','.join([unit] * (count + 1))}]"
        shape.append(count + 1)
    return tuple(reversed(shape)) if unit == skeleton else None


class _Collector:
    """Tracks brackets, collects the innermost rows, and checks that sibling lists have equal lengths."""

    def __init__(self, start: int, max_nesting: int) -> None:
        self.start, self.max_nesting = start, max_nesting
        self.rows: list[_Row] = []
        self.lengths: list[int | None] = []
        self.counts: list[int] = []
        self.starts: list[int] = []
        self.leaf_depth: int | None = None
        self.after: str = ""
        """The previous bracket, comma or row, which determines what may follow."""

    def add(self, piece: str, start: int) -> None:
        """Add the next bracket, or the text between two brackets."""
        if piece == "[":
            self._open(start)
        elif piece == "]":
            self._close(start)
        else:
            self._check_between(piece, start)

    def _open(self, start: int) -> None:
        if self.after == "row" and self.rows[-1].text.endswith(","):
            self._fail("found a list where the previous elements are values", start)
        if self.after in ("]", "row"):
            self._fail("expected ',' before '['", start)
        if self.leaf_depth is not None and len(self.counts) >= self.leaf_depth:
            self._fail("found a list where the previous elements are values", start)
        if len(self.counts) >= self.max_nesting:
            message = f"nested more than {self.max_nesting} levels deep"
            raise LimitError(message, Span(start, start + 1), label="max_nesting")
        self.counts.append(0)
        self.starts.append(start)
        if len(self.lengths) < len(self.counts):
            self.lengths.append(None)
        self.after = "["

    def _close(self, start: int) -> None:
        if not self.counts:
            self._fail("']' closes nothing", start)
        if self.after == ",":
            self._fail("expected another element after ','", start)
        depth, count, opened = len(self.counts), self.counts.pop(), self.starts.pop()
        if count == 0:
            self._leaf(depth, start)
        known = self.lengths[depth - 1]
        if known is not None and known != count:
            message = f"this list has {_elements(count)}, those before it have {known}"
            raise ParseError(message, Span(opened, start + 1))
        self.lengths[depth - 1] = count
        if self.counts:
            self.counts[-1] += 1
        self.after = "]"

    def _leaf(self, depth: int, start: int) -> None:
        if self.leaf_depth not in (None, depth) or depth < len(self.lengths):
            self._fail("found a value where the previous elements are lists", start)
        self.leaf_depth = depth

    def _check_between(self, text: str, start: int) -> None:
        stripped = text.strip()
        if not stripped:
            return
        start += len(text) - len(text.lstrip())
        if self.after == "]":
            if stripped[0] == "," and stripped != "," and self.counts:
                place = start + len(stripped) - len(stripped[1:].lstrip())
                self._fail("found a value where the previous elements are lists", place)
            if stripped != "," or not self.counts:
                self._fail(f"expected ',' or ']', found '{stripped[:20]}'", start)
            self.after = ","
            return
        if self.after == ",":
            self._fail("found a value where the previous elements are lists", start)
        self._leaf(len(self.counts), start)
        self.rows.append(_Row(stripped, start))
        if self.counts:
            self.counts[-1] = _count(stripped)
        self.after = "row"

    def finish(self, end: int) -> Literal:
        """The literal, after all pieces were added."""
        if self.counts:
            raise ParseError("this '[' is never closed", Span(self.starts[-1], self.starts[-1] + 1))
        shape = tuple(length or 0 for length in self.lengths) if self.lengths else None
        return Literal(self.start, max(end, self.start), tuple(self.rows), shape)

    def _fail(self, message: str, start: int) -> NoReturn:
        raise ParseError(message, Span(start, start + 1))


def _elements(count: int) -> str:
    return f"{count} element{'' if count == 1 else 's'}"


def _count(row: str) -> int:
    return row.count(",") + 1 if "(" not in row else row.count("(")


def dense_attribute(literal: Literal, dense_type: TensorType) -> DenseAttribute:
    """The literal's values as an attribute of type `dense_type`."""
    return DenseAttribute(dense_type, literal_array(literal, dense_type))


def literal_array(literal: Literal, dense_type: TensorType, *, by_hand: bool = False) -> NDArray[Any]:
    """The values as a read-only array; a splat has strides of 0. `by_hand` allows `inf` and `nan`."""
    _check_size(literal, dense_type)
    if literal.raw is not None:
        return _from_blob(literal, dense_type)
    values = _values(literal, dense_type.element_type, by_hand)
    if literal.shape is not None and literal.shape != dense_type.shape:
        _wrong_shape(literal, dense_type)
    if literal.shape is None and values.size > 1:
        _fail(literal, "several values need brackets", hint="such as dense<[1, 2]>")
    if literal.shape is None and values.size == 0 and dense_type.element_count:
        _fail(literal, f"the literal is empty, but {dense_type} has {_elements(dense_type.element_count)}")
    return reshape_splat(values, dense_type)


def _check_size(literal: Literal, dense_type: TensorType) -> None:
    if dense_type.byte_count > _MAX_BYTES:
        span = Span(literal.start, literal.end)
        raise LimitError(f"{dense_type} is larger than any memory", span, label="max_tensor_bytes")


def _wrong_shape(literal: Literal, dense_type: TensorType) -> NoReturn:
    assert literal.shape is not None
    found, wanted = "x".join(map(str, literal.shape)), "x".join(map(str, dense_type.shape))
    if prod(literal.shape) == dense_type.element_count:
        _fail(
            literal,
            f"the literal's shape is {found or 'that of one value'}, its type's is {wanted or 'rank 0'}",
        )
    count = _elements(prod(literal.shape)) + (f" ({found})" if len(literal.shape) > 1 else "")
    _fail(literal, f"the literal has {count}, {dense_type} has {dense_type.element_count}")


def _values(literal: Literal, element_type: ElementType, by_hand: bool) -> NDArray[Any]:
    elements = Elements(element_type, [row.text for row in literal.rows], by_hand)
    try:
        return read_elements(elements)
    except ElementError as error:
        start = literal.rows[error.row].start + error.start
        span = Span(start, start + max(1, error.length))
        raise ParseError(error.message, span, hint=error.hint) from None


def reshape_splat(values: NDArray[Any], dense_type: TensorType) -> NDArray[Any]:
    """`values` in the type's shape, read-only; if all are equal, a broadcast view of one."""
    shape = dense_type.sizes
    if values.size and (values.size != dense_type.element_count or _uniform(values)):
        return np.broadcast_to(values.reshape(-1)[:1].reshape(()).copy(), shape)
    array = np.ascontiguousarray(values).reshape(shape)
    array.flags.writeable = False
    return array


def _uniform(values: NDArray[Any]) -> bool:
    flat = np.ascontiguousarray(values).reshape(-1)
    rows = flat.view(np.uint8).reshape(flat.size, flat.itemsize)
    return bool((rows[-1] == rows[0]).all() and (rows == rows[0]).all())


def _from_blob(literal: Literal, dense_type: TensorType) -> NDArray[Any]:
    assert literal.raw is not None
    values = from_bytes(literal.raw, dense_type.element_type, dense_type.element_count)
    if values is None:
        size = dense_type.element_type.dtype.itemsize
        wanted = dense_type.element_count * size
        found = len(literal.raw)
        _fail(
            literal,
            f"the literal has {found} bytes; {dense_type} has {wanted}, or {size} if all are the same",
        )
    return reshape_splat(values, dense_type)


def _fail(literal: Literal, message: str, hint: str | None = None) -> NoReturn:
    raise ParseError(message, Span(literal.start, max(literal.end, literal.start + 1)), hint=hint)


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
