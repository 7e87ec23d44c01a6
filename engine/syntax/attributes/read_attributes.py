"""Read attributes: the constants in `<{…}>`, in `{…}` and in short forms."""

import re
from math import isnan, nan

from ...cursor import NUMBER
from ...errors import ParseError
from ...ir.attributes import (
    ArrayAttribute,
    Attribute,
    BoolAttribute,
    DenseArrayAttribute,
    DictionaryAttribute,
    EnumAttribute,
    FloatAttribute,
    IntegerAttribute,
    OpaqueAttribute,
    ResourceAttribute,
    StringAttribute,
    StructAttribute,
    SymbolAttribute,
    TypeAttribute,
    UnitAttribute,
)
from ...ir.element_types import F64, I64, ElementType, element_type
from ...ir.types import IntegerType, ScalarType, TensorType, Type
from ...source import Span
from ..text.dense_elements import integer_range, parse_integer
from ..text.float_text import float_bits, float_of_bits
from .dense import Literal, dense_attribute, read_dense
from .read_types import read_element_type, read_type
from .reader import Reader, unquote
from .struct_attributes import read_parameters, read_struct

_DIALECT_NAME = re.compile(r"#([A-Za-z_0-9][A-Za-z0-9_$-]*+)((?:\.[A-Za-z0-9_$-]++)*+)")
_ENUM = re.compile(r"<\s*+([A-Za-z_][A-Za-z0-9_]*+)\s++([A-Za-z_][A-Za-z0-9_]*+)\s*+>")
_ANGLED = ("sparse", "strided", "distinct")
_AFFINE = ("affine_map", "affine_set")
_AFFINE_BODY = re.compile(r"affine_(?:map|set)\s*+<(?:[^<>-]++|->|-|[<>]=)*+>")
_FOREIGN_LITERAL = re.compile(
    r"dense\s*+<(?:[^<>\"]++|\"(?:[^\"\\]++|\\.)*+\")*+>\s*+:\s*+(?=vector\b|tensor\s*+<[0-9x\s]*+!(?!quant|[a-zA-Z0-9_$]++[>,]))"
)
_PLAIN_ARRAY = re.compile(r"array<i64: [-0-9, ]{1,60}>")
_RESOURCE = re.compile(r'dense_resource\s*+<\s*+([A-Za-z_][A-Za-z0-9_$.]*+|"(?:[^"\\\n]++|\\.)++")\s*+>')
_ALIGNMENT = 8
"""Number of leading hexadecimal digits that state the alignment of the data."""
I64_TYPE, F64_TYPE = ScalarType(I64), ScalarType(F64)


def read_attribute(reader: Reader) -> Attribute:
    """Read an attribute."""
    match reader.text[reader.position : reader.position + 1]:
        case "[":
            elements: list[Attribute] = []
            for _ in reader.each("["):
                elements.append(read_attribute(reader))  # noqa: PERF401 - a comprehension is a frame more for each level
            return ArrayAttribute(tuple(elements))
        case "{":
            return DictionaryAttribute(read_dictionary(reader))
        case '"':
            value = reader.string()
            return StringAttribute(value, read_type(reader) if reader.accept(":") else None)
        case "@":
            return read_symbol(reader)
        case "#":
            return _dialect_attribute(reader)
        case "(" | "!":
            return TypeAttribute(read_type(reader))
        case "":
            reader.fail_expecting("an attribute")
    number = reader.match(NUMBER)
    return _number(reader, number) if number else _read_name(reader)


def read_dictionary(reader: Reader, opening: str = "{") -> dict[str, Attribute]:
    """Read `{name = value, name}`; a name without a value is a unit attribute."""
    entries: dict[str, Attribute] = {}
    for _ in reader.each(opening):
        start = reader.position
        name = reader.key("an attribute's name")
        if name in entries:
            reader.fail(f"attribute '{name}' is given twice", start)
        entries[name] = read_attribute(reader) if reader.accept("=") else UnitAttribute()
    return entries


def read_symbol(reader: Reader) -> SymbolAttribute:
    """Read `@root::@nested`."""
    root, nested = reader.symbol(), []
    while reader.accept("::"):
        nested.append(reader.symbol())
    return SymbolAttribute(root, tuple(nested))


def _read_name(reader: Reader) -> Attribute:
    start = reader.position
    word = reader.peek_word()
    match word:
        case "true" | "false":
            reader.accept(word)
            return BoolAttribute(word == "true")
        case "unit":
            reader.accept(word)
            return UnitAttribute()
        case "dense":
            return _dense(reader)
        case "array":
            return _cached_array(reader)
        case "dense_resource":
            return _resource(reader)
        case "loc":
            reader.accept(word)
            return OpaqueAttribute("loc" + reader.read_balanced("("))
        case "opaque":
            return _opaque(reader, word)
    if word in _ANGLED:
        return _opaque(reader, word)
    if word in _AFFINE:
        return _affine(reader)
    if not word or (element_type(word) is None and word not in _TYPE_WORDS and not _is_integer_type(word)):
        hint = "an attribute is a number, a string, true, false, a list, a dictionary, a type, dense<…>, …"
        reader.move(start)
        reader.fail_expecting("an attribute", hint=hint)
    return TypeAttribute(read_type(reader))


def _dense(reader: Reader) -> Attribute:
    """Read a tensor literal; one of a foreign type (vectors, strings) is kept as text."""
    match = _FOREIGN_LITERAL.match(reader.text, reader.position)
    if match is None:
        return read_dense(reader)
    start = reader.position
    reader.move(match.end())
    reader.read_type()
    return OpaqueAttribute(reader.text[start : reader.end])


def _resource(reader: Reader) -> Attribute:
    """Read `dense_resource<name> : tensor<…>`."""
    start = reader.position
    match = reader.match(_RESOURCE)
    if not match:
        reader.accept("dense_resource")
        reader.expect("<", " and the resource's name")
        reader.fail_expecting("the resource's name")
    reader.expect(":", " and the resource's type")
    found = reader.read_type()
    if not isinstance(found, TensorType) or not found.is_static:
        return OpaqueAttribute(reader.text[start : reader.end])
    name = unquote(match[1])
    digits = reader.resources.get(name)
    if digits is None:
        return ResourceAttribute(name, found)
    if len(digits) % 2 or len(digits) < _ALIGNMENT:
        reader.fail(
            f"the data of {match[1]} has {len(digits)} hexadecimal digits, which is not a valid blob", start
        )
    return dense_attribute(Literal(start, reader.end, raw=bytes.fromhex(digits[_ALIGNMENT:])), found)


_TYPE_WORDS = ("tensor", "memref", "tuple", "complex", "vector", "none", "token", "f80", "f128")


def _is_integer_type(word: str) -> bool:
    return re.fullmatch(r"[su]?i[0-9]{1,8}", word) is not None


def _opaque(reader: Reader, word: str) -> Attribute:
    start = reader.position
    reader.accept(word)
    if reader.peek("["):
        reader.read_balanced("[")
    reader.read_balanced("<")
    if word == "sparse" and reader.accept(":"):
        read_type(reader)
    return OpaqueAttribute(reader.text[start : reader.end])


def _affine(reader: Reader) -> OpaqueAttribute:
    match = reader.match(_AFFINE_BODY)
    return (
        OpaqueAttribute(match[0]) if match else reader.fail_expecting("affine_map<(d0) -> (d0)> or the like")
    )


# Numbers


def read_bare_number(reader: Reader) -> Attribute | None:
    """Read a number without a type, if one comes next: i64, or f64 with a point or an exponent."""
    match = reader.match(NUMBER)
    return _read_typed_number(reader, match, None) if match else None


def _number(reader: Reader, match: re.Match[str]) -> Attribute:
    return _read_typed_number(reader, match, read_type(reader) if reader.accept(":") else None)


def _read_typed_number(
    reader: Reader, match: re.Match[str], stated: Type | None
) -> IntegerAttribute | FloatAttribute:
    text, start = match[0], match.start()
    is_decimal = "x" not in text and any(c in text for c in ".eE")
    wanted = stated or (F64_TYPE if is_decimal else I64_TYPE)
    if isinstance(wanted, ScalarType) and wanted.element_type.is_float:
        return _float(reader, text, wanted, start)
    if is_decimal:
        reader.fail(f"{text} is not an integer, which {wanted} needs", start)
    return _integer(reader, text, wanted, start)


def _float(reader: Reader, text: str, wanted: ScalarType, start: int) -> FloatAttribute:
    kind = wanted.element_type
    if "x" not in text:
        bits = float_bits(float(text), kind)
    else:
        bits = parse_integer(text)
        if bits < 0 or bits >> kind.bits:
            reader.fail(f"the bit pattern {text[:40]} has more than the {kind.bits} bits of {kind}", start)
    return FloatAttribute(bits, wanted, float_of_bits(bits, kind))


def _integer(reader: Reader, text: str, wanted: Type, start: int) -> IntegerAttribute:
    value = parse_integer(text)
    if isinstance(wanted, IntegerType):
        kind = ElementType(
            wanted.name, "unsigned" if wanted.name[0] == "u" else "signed", _width(reader, wanted)
        )
    elif isinstance(wanted, ScalarType) and not wanted.element_type.is_complex:
        kind = wanted.element_type
    else:
        reader.fail(f"{text[:40]} cannot be of type {wanted}", start)
    low, high = (-1, 1) if kind.kind == "boolean" else integer_range(kind)
    if not low <= value <= high:
        hint = f"its values are {low} to {high if kind.kind == 'unsigned' else high // 2}"
        message = f"{text[:40]} does not fit in {wanted}"
        raise ParseError(message, Span(start, start + len(text)), hint=hint)
    return IntegerAttribute(_wrap(value, kind), wanted)


def _width(reader: Reader, wanted: IntegerType) -> int:
    width = int(wanted.name.lstrip("sui"))
    if not 0 < width <= 128:
        reader.fail(f"integers of {width} bits are not supported", reader.end - len(wanted.name))
    return width


def _wrap(value: int, kind: ElementType) -> int:
    """The value as a signed integer: MLIR reads `255 : i8` as -1."""
    if kind.kind == "unsigned" or value < 1 << (kind.bits - 1):
        return value
    return value - (1 << kind.bits)


# array<i64: …>


def _cached_array(reader: Reader) -> DenseArrayAttribute:
    """Read an array; short ones are cached, since they are few and often repeated."""
    match = _PLAIN_ARRAY.match(reader.text, reader.position)
    known = reader.arrays.get(match[0]) if match else None
    if match is None:
        return _dense_array(reader)
    if known is None:
        known = reader.arrays[match[0]] = _dense_array(reader)
    else:
        reader.move(match.end())
    return known


def _dense_array(reader: Reader) -> DenseArrayAttribute:
    reader.accept("array")
    reader.enter("<", " after 'array'")
    start = reader.position
    kind = read_element_type(reader)
    if kind.kind not in ("boolean", "signed", "unsigned", "float"):
        reader.fail(f"an array has booleans, integers or floats, not {kind}", start)
    values: list[int | float | bool] = []
    if reader.accept(":"):
        values.append(_array_element(reader, kind))
        while reader.accept(","):
            values.append(_array_element(reader, kind))
    reader.leave(", which closes the array")
    return DenseArrayAttribute(kind, tuple(values))


def _array_element(reader: Reader, kind: ElementType) -> int | float | bool:
    start = reader.position
    if kind.kind == "boolean":
        word = reader.word("true or false")
        if word not in ("true", "false"):
            reader.fail(f"'{word}' is neither true nor false", start)
        return word == "true"
    match = reader.match(NUMBER)
    if not match:
        reader.fail_expecting(f"an element of {kind}")
    found = _read_typed_number(reader, match, ScalarType(kind))
    if isinstance(found, FloatAttribute) and isnan(found.value):
        return nan  # one object, so that arrays that contain it are equal
    return found.value


# #dialect.name<…>

RAGGED_DOT = ("#chlo.ragged_dot", "#mhlo.ragged_dot")


def _dialect_attribute(reader: Reader) -> Attribute:
    start = reader.position
    match = reader.match(_DIALECT_NAME)
    if not match:
        reader.fail_expecting("an attribute's name after '#'")
    dialect, name = match[1], match[2][1:]
    angled = reader.text.startswith("<", match.end())
    if not name and not angled:
        return reader.attribute_alias(match[0], start)
    if not name:
        return _read_dialect_attribute(reader, dialect)
    if match[0] in RAGGED_DOT and angled:
        return StructAttribute(dialect, name, read_parameters(reader))
    if dialect in ("stablehlo", "mhlo") and angled:
        found = read_struct(reader, dialect, name)
        if found is not None:
            return found
    body = reader.read_balanced("<") if angled else ""
    if match[0] == "#complex.number" and reader.accept(":"):
        body += f" : {reader.read_type()}"
    return OpaqueAttribute(match[0] + body)


def _read_dialect_attribute(reader: Reader, dialect: str) -> Attribute:
    """Read `#stablehlo<comparison_direction LT>`, or keep an unknown body as text."""
    enum = reader.match(_ENUM)
    if enum:
        return EnumAttribute(dialect, enum[1], enum[2])
    return OpaqueAttribute(f"#{dialect}{reader.read_balanced('<')}")
