"""Reads types."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..errors import LimitError
from ..ir.element_types import ELEMENT_TYPES, ElementType, QuantizedType, element_type
from ..ir.types import (
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
from .cursor import NUMBER
from .numbers import float_bits, print_float
from .suggestions import nearest

if TYPE_CHECKING:
    from .reader import Reader

# Most types of a program are a few plain tensor types, written again and again: read each once.
_PLAIN_TENSOR = re.compile(r"tensor<[0-9x?]*+[a-z][A-Za-z0-9]*+(?:<f(?:32|64)>)?+>")
_DIMENSION = re.compile(r"(\?|[0-9]++)[ \t]*+x[ \t]*+")
_INTEGER_TYPE = re.compile(r"[su]?i[0-9]{1,8}\Z")
_STORAGE = re.compile(r"([su]?)(i?)([0-9]{1,3})\Z")
_DIALECT_NAME = re.compile(r"!([A-Za-z_][A-Za-z0-9_$]*+)(?:\.[A-Za-z0-9_$.]++)?+")
_BOUND = re.compile(r"\?|[0-9]++")
_OTHER_FLOATS = ("f80", "f128")
MAX_DIMENSION = (1 << 63) - 1


def read_type(reader: Reader) -> Type:
    """Read one type of any kind."""
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
    return _named(reader, word, start)


def _scalar(reader: Reader) -> Type:
    if reader.peek_word() == "complex":
        return ScalarType(read_element_type(reader))
    word = reader.word("a type")
    return OpaqueType(word + reader.balanced("<"))


def _named(reader: Reader, word: str, start: int) -> Type:
    known = element_type(word)
    if known is not None:
        return ScalarType(known)
    if _INTEGER_TYPE.match(word):
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
    """Read what follows an arrow: one type, or types in parentheses."""
    if reader.peek("("):
        return _types(reader, "(")
    return (read_type(reader),)


def read_element_type(reader: Reader) -> ElementType:
    """Read what a tensor's elements are."""
    start = reader.position
    if reader.peek("!"):
        return _dialect_element_type(reader)
    if not reader.peek_word():
        hint = "sizes have x behind them, as in tensor<2x3xf32>"
        reader.expected("an element type, such as f32", hint=None if reader.at_end else hint)
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
    """Read `2x?x`, with the last `x`."""
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
    shape, element = read_shape(reader), read_element_type(reader)
    bounds, encoding = _encoding(reader, len(shape)) if reader.accept(",") else (None, None)
    reader.leave(", which closes the tensor type")
    return TensorType(shape, element, bounds, encoding)


def _encoding(reader: Reader, rank: int) -> tuple[tuple[Dimension, ...] | None, str | None]:
    start = reader.position
    if reader.accept("#stablehlo.bounds"):
        return _bounds(reader, "<", rank, start), None
    if reader.accept("#stablehlo.type_extensions"):
        reader.enter("<")
        reader.expect_word("bounds")
        reader.expect("=")
        bounds = _bounds(reader, "[", rank, start)
        reader.leave()
        return bounds, None
    return None, reader.attribute_text()


def _bounds(reader: Reader, opening: str, rank: int, start: int) -> tuple[Dimension, ...]:
    def bound() -> Dimension:
        match = reader.match(_BOUND)
        if not match:
            return reader.expected("a bound or '?'")
        return None if match[0] == "?" else int(match[0][:30])

    bounds = tuple(reader.listed(opening, bound))
    if len(bounds) != rank:
        reader.fail(f"{len(bounds)} bounds for a tensor of {rank} dimensions", start)
    return bounds


def _memref(reader: Reader) -> Type:
    start = reader.position
    text = reader.balanced("<")
    end = reader.end
    reader.move(start)
    if "*" in text[:2]:
        reader.move(end)
        return OpaqueType("memref" + text)
    reader.enter("<")
    shape, element = read_shape(reader), read_element_type(reader)
    suffix = reader.text[reader.end : end - 1].rstrip()
    reader.move(end - 1)
    reader.leave()
    return MemrefType(shape, element, suffix)


def _dialect_type(reader: Reader) -> Type:
    start = reader.position
    match = reader.match(_DIALECT_NAME)
    if not match:
        reader.expected("a type's name after '!'")
    if match[0] in ("!stablehlo.token", "!mhlo.token"):
        return TokenType()
    if match[0] == "!stablehlo.future":
        return _future(reader)
    if "." not in match[0] and not reader.text.startswith("<", match.end()):
        return reader.type_alias(match[0], start)
    if match[0] == "!quant.uniform":
        reader.move(start)
        return ScalarType(read_element_type(reader))
    body = reader.balanced("<") if reader.text.startswith("<", match.end()) else ""
    return OpaqueType(match[0] + body)


def _future(reader: Reader) -> FutureType:
    start = reader.position
    types = _types(reader, "<")
    wrong = next((found for found in types if not isinstance(found, TensorType)), None)
    if wrong is not None or not types:
        reader.fail(f"a future gives tensors, not {wrong or 'nothing'}", start)
    return FutureType(types)


def _dialect_element_type(reader: Reader) -> ElementType:
    start = reader.position
    if reader.accept("!quant.uniform"):
        return _quantized(reader)
    found = _dialect_type(reader)
    if isinstance(found, ScalarType):
        return found.element_type
    return reader.fail(f"{found} is not an element type of tensors", start)


def _quantized(reader: Reader) -> QuantizedType:
    reader.enter("<", " after '!quant.uniform'")
    storage = _storage(reader)
    low, high = _storage_range(reader) if reader.peek("<") else (None, None)
    reader.expect(":", " and the expressed type")
    expressed = read_element_type(reader)
    axis = _quantization_dimension(reader) if reader.accept(":") else None
    reader.expect(",", " and the scale")
    listed = reader.peek("{")
    parameters = reader.listed("{", lambda: _parameter(reader)) if listed else [_parameter(reader)]
    reader.leave()
    scales, zero_points = tuple(scale for scale, _ in parameters), tuple(zero for _, zero in parameters)
    return quantized_type(storage, expressed, (low, high), axis, scales, zero_points)


def quantized_type(
    storage: ElementType,
    expressed: ElementType,
    storage_range: tuple[int | None, int | None],
    axis: int | None,
    scales: tuple[float, ...],
    zero_points: tuple[int, ...],
) -> QuantizedType:
    """The quantized type, named as MLIR prints it."""
    low, high = storage_range
    stated = "" if low is None else f"<{low}:{high}>"
    dimension = "" if axis is None else f":{axis}"
    pairs = [_spelled_scale(s) + (f":{z}" if z else "") for s, z in zip(scales, zero_points, strict=True)]
    parameters = pairs[0] if axis is None else f"{{{', '.join(pairs)}}}"
    spelled = storage.name.replace("ui", "u")
    name = f"!quant.uniform<{spelled}{stated}:{expressed}{dimension}, {parameters}>"
    return QuantizedType(
        name, "quantized", storage.bits, storage, expressed, low, high, axis, scales, zero_points
    )


def _spelled_scale(scale: float) -> str:
    f64 = ELEMENT_TYPES["f64"]
    return print_float(float_bits(scale, f64), f64)


def _storage(reader: Reader) -> ElementType:
    start = reader.position
    word = reader.word("the storage type, such as i8")
    match = _STORAGE.match(word)
    known = element_type(("ui" if match[1] == "u" else "i") + match[3]) if match else None
    if known is None or known.kind not in ("signed", "unsigned"):
        reader.fail(
            f"'{word}' is not a storage type", start, hint="storage types are i2 to i64 and u2 to u64"
        )
    return known


def _storage_range(reader: Reader) -> tuple[int, int]:
    reader.enter("<")
    low = reader.integer("the smallest stored value")
    reader.expect(":")
    high = reader.integer("the largest stored value")
    reader.leave()
    return low, high


def _quantization_dimension(reader: Reader) -> int:
    if reader.peek("{"):
        reader.expected(
            "a dimension", hint="quantization of blocks along several dimensions is not supported"
        )
    return reader.integer("the quantization dimension")


def _parameter(reader: Reader) -> tuple[float, int]:
    if reader.peek("{"):
        reader.expected("a scale", hint="quantization of blocks along several dimensions is not supported")
    match = reader.match(NUMBER)
    if not match or "x" in match[0]:
        reader.expected("a scale")
    zero_point = reader.integer("a zero point") if reader.accept(":") else 0
    return float(match[0]), zero_point
