"""Read shapes, the types of HLO: `f32[2,<=8]{1,0:T(8,128)}`, tuples of them, tokens."""

import re
from typing import Any, NoReturn

from ....errors import LimitError
from ....ir.layouts import Layout
from ....ir.types import BufferType, Dimension, TensorType, TokenType, TupleType, Type
from ...text.suggestions import nearest
from .hlo_cursor import BLANKS, HloCursor
from .print_shapes import HLO_ELEMENT_TYPES, OPAQUE, hlo_element_type

# Most shapes of a program are repeated: they are cached. These expressions need not match all shapes, nor
# only shapes; a match counts only if a full read ends at the same position.
_ARRAY = re.compile(r"[a-z][a-z0-9]*+\[[0-9,<=?]*+\](?:\{[0-9:][^{}]*+\})?+")
_TUPLE = re.compile(r"\((?:[^()]++|\((?:[^()]++|\((?:[^()]++|\([^()]*+\))*+\))*+\))*+\)")
_LAYOUT = re.compile(rf"\{{(?={BLANKS.pattern}[0-9:])")
_SHAPE = re.compile(
    rf"\(|[A-Za-z_][A-Za-z0-9_]*+{BLANKS.pattern}\[|b{BLANKS.pattern}\({BLANKS.pattern}[a-z][a-z0-9]*+{BLANKS.pattern}\["
)
_DIMENSION = re.compile(rf"(\?)|(<=)?+{BLANKS.pattern}([0-9]++)")
_OF_MLIR = {known.name: name for name, known in HLO_ELEMENT_TYPES.items()}
_LAYOUT_PART = re.compile(rf"(SC|[DTLESPM#*]){BLANKS.pattern}(?=\()")
_TILE_SIZE = re.compile(r"(\*)|[0-9]{1,19}")
_OTHER_PARTS = ("D", "L", "#", "*", "SC", "P", "M")
"""Parts kept as text, in the order that XLA requires."""
_NOTHING = {"L": 1, "M": 0}
"""Default values, which XLA omits."""
MAX_DIMENSION = (1 << 63) - 1


def looks_like_shape(cursor: HloCursor) -> bool:
    """Whether a shape comes next rather than a name or an opcode."""
    return _SHAPE.match(cursor.text, cursor.position) is not None


class ShapeReader:
    """Reads the shapes of one text; equal texts give the same type object."""

    def __init__(self) -> None:
        self.known: dict[str, Type] = {}
        """Shapes by their texts."""

    def read(self, cursor: HloCursor) -> Type:
        """Read a shape."""
        if not cursor.text.startswith("(", cursor.position):
            return self._single(cursor)
        plain = _TUPLE.match(cursor.text, cursor.position)
        if plain is None:
            return self._join_nested(cursor)
        known = self.known.get(plain[0])
        if known is not None:
            cursor.move(plain.end())
            return known
        shape = self._join_nested(cursor)
        if cursor.end == plain.end():
            self.known[plain[0]] = shape
        return shape

    def _join_nested(self, cursor: HloCursor) -> Type:
        # Nested tuples cost no Python frames: this stack holds the elements of each open tuple.
        open_tuples: list[list[Type]] = []
        while True:
            if cursor.peek("("):
                cursor.enter("(")
                open_tuples.append([])
                if not cursor.peek(")"):
                    continue
            else:
                open_tuples[-1].append(self._single(cursor))
            while not cursor.accept(","):
                if not cursor.peek(")"):
                    cursor.fail_expecting("',' or ')'", closing=True)
                cursor.leave()
                closed = TupleType(tuple(open_tuples.pop()))
                if not open_tuples:
                    return closed
                open_tuples[-1].append(closed)

    def _single(self, cursor: HloCursor) -> Type:
        start = cursor.position
        plain = _ARRAY.match(cursor.text, start)
        if plain is None:
            return self._read_other_shape(cursor)
        known = self.known.get(plain[0])
        if known is not None:
            cursor.move(plain.end())
            if not cursor.peek("{") or not _LAYOUT.match(cursor.text, cursor.position):
                return known
            cursor.move(start)  # a layout after blanks, which the expression does not cover
        shape = self._read_other_shape(cursor)
        if cursor.end == plain.end():
            self.known[plain[0]] = shape
        return shape

    def _read_other_shape(self, cursor: HloCursor) -> Type:
        start = cursor.position
        word = cursor.word("a shape, such as f32[2,3]")
        if word == "b" and cursor.peek("("):
            return self._buffer(cursor)
        if word in ("token", "opaque"):
            cursor.enter("[", f" after '{word}'")
            cursor.leave()
            return TokenType() if word == "token" else OPAQUE
        return _array(cursor, word, start)

    def _buffer(self, cursor: HloCursor) -> Type:
        cursor.enter("(")
        start = cursor.position
        if cursor.peek("("):
            cursor.fail_expecting("the shape of one array", hint="a buffer holds no tuple")
        held = self._single(cursor)
        if not isinstance(held, TensorType):
            cursor.fail("a buffer holds one array", start)
        cursor.leave()
        return BufferType(held)


def _array(cursor: HloCursor, word: str, start: int) -> TensorType:
    element_type = hlo_element_type(word)
    if element_type is None:
        _no_element_type(cursor, word, start)
    shape, bounds = _dimensions(cursor)
    layout = _layout(cursor, len(shape)) if _LAYOUT.match(cursor.text, cursor.position) else None
    return TensorType(shape, element_type, bounds, layout=layout)


def _no_element_type(cursor: HloCursor, word: str, start: int) -> NoReturn:
    same = _OF_MLIR.get(word)
    hint = f"in HLO it is called {same}" if same else nearest(word.lower(), [*HLO_ELEMENT_TYPES, "token"])
    names = ", ".join(HLO_ELEMENT_TYPES)
    cursor.fail(f"'{word}' is not an element type", start, hint=hint or f"element types are {names}")


def _dimensions(cursor: HloCursor) -> tuple[tuple[Dimension, ...], tuple[Dimension, ...] | None]:
    start = cursor.position
    sizes: list[Dimension] = []
    bounds: list[Dimension] = []
    for _ in cursor.each("[", " and the sizes of the dimensions"):
        size, bound = _dimension(cursor)
        sizes.append(size)
        bounds.append(bound)
    if len(sizes) > cursor.limits.max_rank:
        message = f"an array of {len(sizes)} dimensions; the limit is {cursor.limits.max_rank}"
        raise LimitError(message, cursor.span_from(start), label="max_rank")
    return tuple(sizes), tuple(bounds) if any(bound is not None for bound in bounds) else None


def _dimension(cursor: HloCursor) -> tuple[Dimension, Dimension]:
    """Read the size and the bound of one dimension."""
    start = cursor.position
    match = cursor.match(_DIMENSION)
    if match is None:
        cursor.fail_expecting("a dimension's size", hint="such as 8, <=8 for at most 8, or ?")
    if match[1]:
        return None, None
    if len(match[3]) > 19 or int(match[3]) > MAX_DIMENSION:
        cursor.fail("a dimension's size does not fit in 64 bits", start)
    return (None, int(match[3])) if match[2] else (int(match[3]), None)


def _layout(cursor: HloCursor, rank: int) -> Layout:
    start = cursor.position
    cursor.enter("{")
    order = [] if cursor.peek(":") else [cursor.integer()]
    while order and cursor.accept(","):
        order.append(cursor.integer("the number of a dimension"))
    parts = _parts(cursor) if cursor.accept(":") else {}
    cursor.leave(", which closes the layout")
    if sorted(order) != list(range(rank)):
        numbers = ", ".join(map(str, range(rank)))
        wanted = f"{numbers} once each, the minor one first" if rank else "no dimension"
        plural = "" if rank == 1 else "s"
        cursor.fail(f"the layout of {rank} dimension{plural} names {wanted}", start)
    others = (parts.get(key, "") for key in _OTHER_PARTS)
    return Layout(
        tuple(order),
        parts.get("T", ()),
        parts.get("E", 0),
        parts.get("S", 0),
        tuple(text for text in others if text),
    )


def _parts(cursor: HloCursor) -> dict[str, Any]:
    """Read the suffix after the colon; unlike XLA, in any order."""
    parts: dict[str, Any] = {}
    while not cursor.peek("}"):
        start = cursor.position
        match = cursor.match(_LAYOUT_PART)
        if match is None:
            cursor.fail_expecting("'}' or a part of the layout, such as T(8,128) or S(1)", closing=True)
        key = match[1]
        if key in parts:
            cursor.fail(f"{key}(…) appears twice in the layout", start)
        parts[key] = _part(cursor, key)
    return parts


def _part(cursor: HloCursor, key: str) -> Any:
    if key == "T":
        tiles = []
        while cursor.peek("("):
            tiles.append(tuple(cursor.list_of("(", lambda: _tile_size(cursor))))
        return tuple(tiles)
    if key in ("E", "S", "L", "M"):
        start = cursor.position
        number = _number(cursor)
        if key == "L" and number < 1:
            cursor.fail("the tail of an array is padded to a multiple of 1 or more", start)
        if key in ("E", "S"):
            return number
        return "" if number == _NOTHING[key] else f"{key}({number})"
    text = key
    while cursor.peek("(") and key in (text, "SC"):
        start = cursor.position
        text += BLANKS.sub("", cursor.read_balanced("("))
        if key in ("#", "*") and text[2:-1] not in HLO_ELEMENT_TYPES:
            cursor.fail(f"the indices of an array cannot be of type '{text[2:-1]}'", start)
    return text


def _number(cursor: HloCursor) -> int:
    cursor.enter("(")
    number = cursor.integer()
    cursor.leave()
    return number


def _tile_size(cursor: HloCursor) -> int | None:
    match = cursor.match(_TILE_SIZE)
    if match is None:
        cursor.fail_expecting("the size of a tile, or '*'")
    return None if match[1] else int(match[0])
