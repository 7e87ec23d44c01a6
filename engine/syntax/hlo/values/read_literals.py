"""Read the literals of constants: `{ { 1, 2 }, { 3, 4 } }` in logical order, whatever the layout.

Literals in XLA's own notation are converted as a whole. Others are read element by element: commas may be
missing, a NaN may have a payload, and errors have a position.
"""

import re
from functools import cache, lru_cache
from math import prod
from typing import Any, NoReturn

from numpy.typing import NDArray

from ....errors import LimitError, ParseError
from ....ir.attributes import ArrayAttribute, Attribute, DenseAttribute, ResourceAttribute, UnitAttribute
from ....ir.element_types import ElementType
from ....ir.types import BufferType, TensorType, TokenType, TupleType, Type
from ....source import Span
from ...attributes.dense import reshape_splat
from ...text.dense_elements import ElementError
from .hlo_cursor import BLANKS, COMMENT, HloCursor
from .hlo_elements import read_all, read_each, skeleton_length
from .print_shapes import print_shape

ELIDED = "{...}"
"""Placeholder for numbers that were not printed."""

_ELIDED = re.compile(rf"\{{{BLANKS.pattern}\.\.\.{BLANKS.pattern}\}}")
_COMMENT = re.compile(COMMENT)
_ELEMENT = re.compile(r"[-+]?(?:nan\([^()\s,{}]*+\)|[A-Za-z0-9_.]++(?:(?<=[0-9.][eE])[-+][0-9]++)?+)")
_STATED_SHAPE = re.compile(r"([a-z][a-z0-9]*+\[[0-9,<=?]*+\])(?:\{[^{}]*+\}(?=\s*+\{))?+")
_STATED_TUPLE = re.compile(rf"\((?:{BLANKS.pattern}\()*+{BLANKS.pattern}[a-z][a-z0-9]*+\[")
_TOKEN = re.compile(r"token(?:\[\])?+")
_LONGEST_ELEMENT = 48
"""Maximum characters per bracket and comma of a literal in XLA's own notation."""
_MAX_BYTES = 1 << 62
_CACHED_LENGTH = 80


def read_literal(cursor: HloCursor, literal_type: Type) -> Attribute:
    """Read a constant: a dense attribute for an array, a list for a tuple, a resource for `{...}`."""
    match literal_type:
        case TensorType():
            return _array(cursor, literal_type)
        case TupleType():
            return _tuple(cursor, literal_type)
        case BufferType():
            return read_literal(cursor, literal_type.type)
        case TokenType():
            cursor.match(_TOKEN)
            return UnitAttribute()
    cursor.fail_expecting(f"nothing: {print_shape(literal_type)} has no constants")


def _tuple(cursor: HloCursor, literal_type: TupleType) -> Attribute:
    _skip_tuple_shape(cursor)
    if cursor.match(_ELIDED):
        return _elided_literal(literal_type)
    shape, elements = print_shape(literal_type, layouts=False), []
    cursor.enter("(", f" and the elements of {shape}")
    for number, element in enumerate(literal_type.types):
        if cursor.peek(")"):
            cursor.fail_expecting(
                f"element {number} of {len(literal_type.types)}: {print_shape(element, layouts=False)}"
            )
        elements.append(read_literal(cursor, element))
        cursor.accept(",")
    cursor.leave(f": {shape} has {_count(len(elements))}")
    return ArrayAttribute(tuple(elements))


def _elided_literal(literal_type: Type) -> Attribute:
    match literal_type:
        case TensorType():
            return ResourceAttribute(ELIDED, literal_type)
        case TupleType():
            return ArrayAttribute(tuple(_elided_literal(element) for element in literal_type.types))
        case BufferType():
            return _elided_literal(literal_type.type)
    return UnitAttribute()


def _skip_shape(cursor: HloCursor, literal_type: TensorType) -> None:
    """Skip the shape that old texts repeat before the literal, and before each array in a tuple."""
    start = cursor.position
    # Braces after it are a layout only if others follow: `{1}` may be the literal itself.
    stated = cursor.match(_STATED_SHAPE)
    if stated is None:
        return
    shape = print_shape(literal_type, layouts=False)
    if stated[1] != shape:
        cursor.fail(f"the literal's shape is {stated[1]}, the constant's {shape}", start)


def _skip_tuple_shape(cursor: HloCursor) -> None:
    start = cursor.position
    if _STATED_TUPLE.match(cursor.text, start):
        cursor.read_balanced("(")
        if not (cursor.peek("(") or cursor.peek("{")):
            cursor.move(start)


# Arrays


def _array(cursor: HloCursor, literal_type: TensorType) -> Attribute:
    _skip_shape(cursor, literal_type)
    if cursor.match(_ELIDED):
        return ResourceAttribute(ELIDED, literal_type)
    start = cursor.position
    if not literal_type.is_static:
        shape = print_shape(literal_type, layouts=False)
        cursor.fail_expecting(f"{ELIDED}: the sizes of {shape} are not known", here=True)
    if prod(size or 1 for size in literal_type.sizes) * literal_type.element_type.dtype.itemsize > _MAX_BYTES:
        message = f"{print_shape(literal_type, layouts=False)} is larger than any memory"
        raise LimitError(message, Span(start, start + 1), label="max_tensor_bytes")
    if literal_type.rank == 0:
        return DenseAttribute(literal_type, _scalar(cursor, literal_type.element_type))
    values = _at_once(cursor, literal_type)
    if values is None:
        values = _read_by_element(cursor, literal_type)
    return DenseAttribute(literal_type, reshape_splat(values, literal_type))


@cache
def _find_close(rank: int) -> re.Pattern[str]:
    return re.compile(r"\s*+".join([r"\}"] * rank))


def _at_once(cursor: HloCursor, literal_type: TensorType) -> NDArray[Any] | None:
    """Read a literal in XLA's own notation; otherwise return `None` and leave the cursor unmoved."""
    start, sizes = cursor.position, literal_type.sizes
    longest = skeleton_length(sizes, literal_type.element_type) * _LONGEST_ELEMENT
    if 0 in sizes:
        return None
    end = _find_close(len(sizes)).search(cursor.text, start, min(len(cursor.text), start + longest))
    if end is None:
        return None
    body = cursor.text[start : end.end()]
    if "/" in body:
        body = _COMMENT.sub(" ", body)
    if not body.isascii():
        return None
    values = read_all(body.encode(), sizes, literal_type.element_type)
    if values is not None:
        cursor.move(end.end())
    return values


def _read_by_element(cursor: HloCursor, literal_type: TensorType) -> NDArray[Any]:
    walk = _Walk(cursor, literal_type)
    walk.run()
    try:
        return read_each(walk.texts, literal_type.element_type)
    except ElementError as error:
        raise _locate(error, walk.starts) from None


class _Walk:
    """Follows the brackets of a literal and collects its numbers."""

    def __init__(self, cursor: HloCursor, literal_type: TensorType) -> None:
        self.cursor = cursor
        self.shape = literal_type.sizes
        self.spelled = print_shape(literal_type, layouts=False)
        self.element_type = literal_type.element_type
        self.texts: list[str] = []
        self.starts: list[int] = []
        self.counts: list[int] = []
        """Number of elements or lists in each open list so far."""
        self.openings: list[int] = []

    def run(self) -> None:
        """Read the list that starts here."""
        cursor = self.cursor
        if not cursor.peek("{"):
            cursor.fail_expecting(f"'{{' and the elements of {self.spelled}")
        while True:
            if cursor.peek("{"):
                self._open()
            elif cursor.peek("}"):
                self._close()
                if not self.counts:
                    return
            elif not cursor.accept(","):
                self._element()

    def _open(self) -> None:
        if len(self.counts) == len(self.shape):
            self._fail(f"found a list where {self.spelled} has a value")
        self._count_one_more()
        self.openings.append(self.cursor.position)
        self.cursor.enter("{")
        self.counts.append(0)

    def _count_one_more(self) -> None:
        if not self.counts:
            return
        size = self.shape[len(self.counts) - 1]
        if self.counts[-1] == size:
            self._fail(f"more than the {_count(size)} that {self.spelled} has here")
        self.counts[-1] += 1

    def _close(self) -> None:
        size, count, start = self.shape[len(self.counts) - 1], self.counts.pop(), self.openings.pop()
        self.cursor.leave()
        # Arrays without elements are printed in several ways.
        if count != size and (count or 0 not in self.shape):
            self.cursor.fail(f"this list has {_count(count)}, {self.spelled} has {size} here", start)

    def _element(self) -> None:
        if not (self.cursor.peek("(") or _ELEMENT.match(self.cursor.text, self.cursor.position)):
            self.cursor.fail_expecting("',' or '}'", closing=True)
        if len(self.counts) < len(self.shape):
            self._fail(f"found a value where {self.spelled} has a list")
        self._count_one_more()
        _note_element(self.cursor, self.element_type, self.texts, self.starts)

    def _fail(self, message: str) -> NoReturn:
        start = self.cursor.position
        raise ParseError(message, Span(start, start + 1))


# Elements


def _count(count: int) -> str:
    return f"{count} element{'' if count == 1 else 's'}"


def _note_element(cursor: HloCursor, element_type: ElementType, texts: list[str], starts: list[int]) -> None:
    if element_type.is_complex:
        cursor.enter("(", " and the real part of a complex element")
        _note_number(cursor, texts, starts)
        cursor.expect(",", " and the imaginary part")
        _note_number(cursor, texts, starts)
        cursor.leave()
    else:
        _note_number(cursor, texts, starts)


def _note_number(cursor: HloCursor, texts: list[str], starts: list[int]) -> None:
    starts.append(cursor.position)
    match = cursor.match(_ELEMENT)
    if match is None:
        cursor.fail_expecting("a value")
    texts.append(match[0])


def _scalar(cursor: HloCursor, element_type: ElementType) -> NDArray[Any]:
    if cursor.peek("{"):
        cursor.fail_expecting("a value without braces", here=True)
    texts: list[str] = []
    starts: list[int] = []
    _note_element(cursor, element_type, texts, starts)
    try:
        read = _known_scalar if sum(map(len, texts)) <= _CACHED_LENGTH else _new_scalar
        return read(tuple(texts), element_type)
    except ElementError as error:
        raise _locate(error, starts) from None


def _new_scalar(texts: tuple[str, ...], element_type: ElementType) -> NDArray[Any]:
    array = read_each(list(texts), element_type).reshape(())
    array.flags.writeable = False
    return array


_known_scalar = lru_cache(4096)(_new_scalar)
"""Most programs repeat a few scalars: they are cached."""


def _locate(error: ElementError, starts: list[int]) -> ParseError:
    start = starts[error.row]
    return ParseError(error.message, Span(start, start + error.length), hint=error.hint)
