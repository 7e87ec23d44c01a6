"""Read types."""

import re

from ...errors import LimitError
from ...ir.element_types import ELEMENT_TYPES, ElementType, QuantizedType, element_type
from ...ir.types import (
    Dimension,
    FunctionType,
    FutureType,
    IntegerType,
    MemrefType,
    NoneType,
    OpaqueType,
    ScalarType,
    TensorType,
    TokenType,
    TupleType,
    Type,
    UnrankedTensorType,
)
from ..text.suggestions import nearest
from .quantized import check_shape, read_quantized
from .reader import Reader

# Most types of a program are a few plain tensor types, often repeated: they are cached.
_PLAIN_TENSOR = re.compile(r"tensor<[0-9x?]*+[a-z][A-Za-z0-9]*+(?:<f(?:32|64)>)?+>")
_DIMENSION = re.compile(r"(\?|[0-9]++)\s*+x\s*+")
_INTEGER_TYPE = re.compile(r"[su]?i[0-9]{1,8}\Z")
_DIALECT_NAME = re.compile(r"!([A-Za-z_][A-Za-z0-9_$]*+)(?:\.[A-Za-z0-9_$.]++)?+")
_OWN_TYPES: dict[str, tuple[str, ...]] = {
    "stablehlo": ("!stablehlo.token", "!stablehlo.future"),
    "mhlo": ("!mhlo.token",),
    "shape": ("!shape.shape", "!shape.size", "!shape.value_shape", "!shape.witness"),
    "quant": ("!quant.uniform", "!quant.any", "!quant.calibrated"),
    **dict.fromkeys(("arith", "chlo", "check", "func", "interpreter", "sdy", "tensor"), ()),
}
"""The types of the known dialects; a type of another dialect is kept as text."""
_BOUND = re.compile(r"\?|[0-9]++")
_OTHER_FLOATS = ("f80", "f128")
_COMMENT = re.compile(r"//[^\n]*+|\n")
MAX_DIMENSION = (1 << 63) - 1
MAX_INTEGER_BITS = (1 << 24) - 1


def read_type(reader: Reader) -> Type:
    """Read a type."""
    if reader.peek("("):
        return read_function_type(reader)
    plain = _PLAIN_TENSOR.match(reader.text, reader.position)
    if plain is None:
        return _read_type(reader)
    known = reader.plain_types.get(plain[0])
    if known is None:
        known = reader.plain_types[plain[0]] = _read_type(reader)
    else:
        reader.move(plain.end())
    return known


def _read_type(reader: Reader) -> Type:
    if reader.peek("!"):
        return _dialect_type(reader)
    start = reader.position
    word = reader.word("a type")
    match word:
        case "tensor":
            return _tensor(reader)
        case "tuple":
            return TupleType(_types(reader, "<"))
        case "memref":
            return _memref(reader)
        case "token":
            return TokenType()
        case "none":
            return NoneType()
        case "complex" | "vector" | "opaque":
            reader.move(start)
            return _scalar(reader)
    return _builtin_type(reader, word, start)


def _scalar(reader: Reader) -> Type:
    if reader.peek_word() == "complex":
        return ScalarType(read_element_type(reader))
    word = reader.word("a type")
    return OpaqueType(word + reader.read_balanced("<"))


def _builtin_type(reader: Reader, word: str, start: int) -> Type:
    known = element_type(word)
    if known is not None:
        return ScalarType(known)
    if _INTEGER_TYPE.match(word) and int(word.lstrip("sui")) <= MAX_INTEGER_BITS:
        return IntegerType(word)
    if word in _OTHER_FLOATS:
        return OpaqueType(word)
    hint = nearest(word, [*ELEMENT_TYPES, "tensor", "tuple", "memref", "none", "index"])
    return reader.fail(
        f"'{word}' is not a type", start, hint=hint or "a tensor type looks like tensor<2x3xf32>"
    )


def read_function_type(reader: Reader) -> FunctionType:
    """Read `(inputs) -> results`, the results in parentheses unless there is just one."""
    inputs = _types(reader, "(")
    reader.expect("->", " and the result types")
    if reader.peek("("):
        return FunctionType(inputs, _types(reader, "("))
    return FunctionType(inputs, (read_type(reader),))


def _types(reader: Reader, opening: str) -> tuple[Type, ...]:
    types: list[Type] = []
    for _ in reader.each(opening):
        types.append(read_type(reader))  # noqa: PERF401 - a comprehension is a frame more for each level
    return tuple(types)


def read_result_types(reader: Reader) -> tuple[Type, ...]:
    """Read the types after an arrow: one type, or several in parentheses."""
    if reader.peek("("):
        return _types(reader, "(")
    return (read_type(reader),)


def read_element_type(reader: Reader) -> ElementType:
    """Read the element type of a tensor."""
    start = reader.position
    if reader.peek("!"):
        return _dialect_element_type(reader)
    if not reader.peek_word():
        hint = "write x after each size, as in tensor<2x3xf32>"
        reader.fail_expecting("an element type, such as f32", hint=None if reader.at_end else hint)
    word = reader.word("an element type")
    if word == "complex":
        reader.enter("<")
        word = f"complex<{reader.word('f32 or f64')}>"
        reader.leave()
    known = element_type(word)
    if known is None:
        hint = nearest(word, list(ELEMENT_TYPES)) or f"element types are {', '.join(ELEMENT_TYPES)}"
        reader.fail(f"'{word}' is not an element type of tensors", start, hint=hint)
    return known


def read_shape(reader: Reader) -> tuple[Dimension, ...]:
    """Read `2x?x`, including the last `x`."""
    start = reader.position
    shape: list[Dimension] = []
    while match := _DIMENSION.match(reader.text, reader.position):
        size = None if match[1] == "?" else int(match[1][:30])
        if size is not None and size > MAX_DIMENSION:
            reader.fail("a dimension's size does not fit in 64 bits", reader.position)
        shape.append(size)
        reader.move(match.end())
    if len(shape) > reader.limits.max_rank:
        message = f"a tensor of {len(shape)} dimensions; the limit is {reader.limits.max_rank}"
        raise LimitError(message, reader.span_from(start), label="max_rank")
    return tuple(shape)


def _tensor(reader: Reader) -> Type:
    reader.enter("<", " after 'tensor'")
    if reader.accept("*"):
        reader.expect("x")
        unranked = UnrankedTensorType(read_element_type(reader))
        reader.leave()
        return unranked
    start = reader.position
    shape, element = read_shape(reader), read_element_type(reader)
    if isinstance(element, QuantizedType):
        check_shape(reader, shape, element, start)
    bounds, encoding = _encoding(reader, shape) if reader.accept(",") else (None, None)
    reader.leave(", which closes the tensor type")
    return TensorType(shape, element, bounds, encoding)


def _encoding(
    reader: Reader, shape: tuple[Dimension, ...]
) -> tuple[tuple[Dimension, ...] | None, str | None]:
    start = reader.position
    if reader.accept("#stablehlo.bounds") or reader.accept("#mhlo.bounds"):
        return _bounds(reader, "<", shape, start), None
    if reader.accept("#stablehlo.type_extensions") or reader.accept("#mhlo.type_extensions"):
        reader.enter("<")
        reader.expect_word("bounds")
        reader.expect("=")
        bounds = _bounds(reader, "[", shape, start)
        reader.leave()
        return bounds, None
    found = reader.attribute_text()
    if found.startswith("#stablehlo."):
        reader.fail(f"a tensor has no {found}", start, hint="StableHLO has #stablehlo.bounds<…>")
    return None, found


def _bounds(reader: Reader, opening: str, shape: tuple[Dimension, ...], start: int) -> tuple[Dimension, ...]:
    def read_bound() -> Dimension:
        match = reader.match(_BOUND)
        if not match:
            return reader.fail_expecting("a bound or '?'")
        return None if match[0] == "?" else int(match[0][:30])

    bounds = tuple(reader.list_of(opening, read_bound))
    if len(bounds) != len(shape):
        reader.fail(f"{len(bounds)} bounds for a tensor of {len(shape)} dimensions", start)
    for dimension, (bound_here, size) in enumerate(zip(bounds, shape, strict=True)):
        if bound_here is not None and size is not None:
            hint = "the bound of a static size is '?'"
            reader.fail(f"dimension {dimension} has size {size}; only '?' has a bound", start, hint)
    return bounds


def _memref(reader: Reader) -> Type:
    start = reader.position
    text = reader.read_balanced("<")
    end = reader.end
    reader.move(start)
    if "*" in text[:2]:
        reader.move(end)
        return OpaqueType("memref" + text)
    reader.enter("<")
    shape, element = read_shape(reader), read_element_type(reader)
    suffix = _COMMENT.sub(" ", reader.text[reader.end : end - 1]).strip()
    suffix = suffix and f"{'' if suffix[0] == ',' else ' '}{suffix}"
    reader.move(end - 1)
    reader.leave()
    return MemrefType(shape, element, suffix)


def _dialect_type(reader: Reader) -> Type:
    start = reader.position
    match = reader.match(_DIALECT_NAME)
    if not match:
        reader.fail_expecting("a type's name after '!'")
    if match[0] in ("!stablehlo.token", "!mhlo.token"):
        return TokenType()
    if match[0] == "!stablehlo.future":
        return _future(reader)
    if "." not in match[0] and not reader.text.startswith("<", match.end()):
        return reader.type_alias(match[0], start)
    if match[0] == "!quant.uniform":
        reader.move(start)
        return ScalarType(read_element_type(reader))
    body = reader.read_balanced("<") if reader.text.startswith("<", match.end()) else ""
    if match[1] in _OWN_TYPES and match[0] not in _OWN_TYPES[match[1]]:
        names = _OWN_TYPES[match[1]]
        listed = f"its types are {', '.join(names)}" if names else "it has none"
        hint = nearest(match[0], list(names)) or listed
        return reader.fail(f"the dialect {match[1]} has no type {match[0]}", start, hint=hint)
    return OpaqueType(match[0] + body)


def _future(reader: Reader) -> FutureType:
    start = reader.position
    types = _types(reader, "<")
    wrong = next((found for found in types if not isinstance(found, TensorType)), None)
    if wrong is not None or not types:
        reader.fail(f"a future holds tensors, not {wrong or 'nothing'}", start)
    return FutureType(types)


def _dialect_element_type(reader: Reader) -> ElementType:
    start = reader.position
    if reader.peek("!quant.uniform"):
        return read_quantized(reader)
    found = _dialect_type(reader)
    if isinstance(found, ScalarType):
        return found.element_type
    return reader.fail(f"{found} is not an element type of tensors", start)
