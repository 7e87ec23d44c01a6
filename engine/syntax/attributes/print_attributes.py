"""Print attributes as MLIR does."""

import re
from collections.abc import Mapping

from ...ir.attributes import (
    ArrayAttribute,
    Attribute,
    BoolAttribute,
    DenseArrayAttribute,
    DenseAttribute,
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
from ...ir.element_types import ElementType
from ...ir.types import ScalarType
from ..text.float_text import float_bits, print_float
from .mesh_attributes import MESH_STRUCTS, print_mesh_struct
from .print_dense import print_literal
from .struct_attributes import CONVOLUTION_PARTS, dimension_names

_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_$.]*\Z")
_DOTTED_ENUMS = ("result_accuracy_mode",)
"""Enums that MLIR writes as `#stablehlo.kind<VALUE>`."""


def print_attribute(attribute: Attribute, *, in_list: bool = False) -> str:
    """Print an attribute; inside a list MLIR omits the types i64 and f64."""
    match attribute:
        case IntegerAttribute(value, value_type):
            return _print_typed(str(value), str(value_type), in_list and str(value_type) == "i64")
        case FloatAttribute(bits, value_type):
            return _float(bits, value_type, in_list)
        case BoolAttribute(value):
            return "true" if value else "false"
        case UnitAttribute():
            return "unit"
        case StringAttribute(text, None):
            return print_string(text)
        case StringAttribute(text, value_type):
            return f"{print_string(text)} : {value_type}"
        case SymbolAttribute(root, nested):
            return "::".join(map(print_symbol, (root, *nested)))
        case TypeAttribute(value_type):
            return str(value_type)
        case DenseAttribute(dense_type, data):
            return f"dense<{print_literal(dense_type.element_type, data)}> : {dense_type}"
        case DenseArrayAttribute():
            return _dense_array(attribute)
        case EnumAttribute():
            return _enum(attribute)
        case OpaqueAttribute(text):
            return text
        case ResourceAttribute(name, dense_type):
            return f"dense_resource<{print_key(name)}> : {dense_type}"
    return _print_nested(attribute)


def _print_nested(attribute: Attribute) -> str:
    match attribute:
        case ArrayAttribute(elements):
            return f"[{', '.join([print_attribute(element, in_list=True) for element in elements])}]"
        case DictionaryAttribute(entries):
            return print_dictionary(entries)
        case StructAttribute("stablehlo", "conv", parameters) if is_regular_convolution(parameters):
            return f"#stablehlo.conv<{print_convolution_dimensions(parameters)}>"
        case StructAttribute("stablehlo", name, _) if name in MESH_STRUCTS:
            return print_mesh_struct(attribute, print_attribute)
        case StructAttribute(dialect, name, parameters):
            # MLIR requires the order of the definition, so the order of the text is kept.
            items = ", ".join([f"{key} = {_parameter(value)}" for key, value in parameters.items()])
            return f"#{dialect}.{name}<{'raw ' if name == 'conv' else ''}{items}>"
    raise TypeError(f"cannot print {attribute!r}")


def print_dictionary(entries: Mapping[str, Attribute], brackets: tuple[str, str] = ("{", "}")) -> str:
    """`{name = value, unit}`, sorted by name as MLIR sorts it."""
    items = ", ".join([_entry(name, entries[name]) for name in sorted(entries)])
    return f"{brackets[0]}{items}{brackets[1]}"


def _entry(name: str, value: Attribute) -> str:
    key = print_key(name)
    return key if isinstance(value, UnitAttribute) else f"{key} = {print_attribute(value)}"


def print_key(name: str) -> str:
    """An attribute's name, quoted unless it is a word."""
    return name if _BARE.match(name) else print_string(name)


def print_symbol(name: str) -> str:
    """`@name`, quoted unless it is a word."""
    return f"@{print_key(name)}"


def print_string(text: str) -> str:
    """A quoted string; bytes other than printable ASCII in hexadecimal."""
    return f'"{"".join([_escape(byte) for byte in text.encode("utf-8", "surrogateescape")])}"'


def _escape(byte: int) -> str:
    if byte == 0x5C:
        return "\\\\"
    return chr(byte) if 0x20 <= byte < 0x7F and byte != 0x22 else f"\\{byte:02X}"


def _print_typed(text: str, value_type: str, elided: bool) -> str:
    return text if elided else f"{text} : {value_type}"


def _float(bits: int, value_type: object, in_list: bool) -> str:
    assert isinstance(value_type, ScalarType)
    kind = value_type.element_type
    text = print_float(bits, kind)
    # Without its type, a bit pattern would read as an integer.
    return _print_typed(text, kind.name, in_list and kind.name == "f64" and "x" not in text)


def _dense_array(attribute: DenseArrayAttribute) -> str:
    if not attribute.values:
        return f"array<{attribute.element_type}>"
    items = ", ".join([_array_element(value, attribute.element_type) for value in attribute.values])
    return f"array<{attribute.element_type}: {items}>"


def _array_element(value: float, kind: ElementType) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return print_float(float_bits(value, kind), kind) if kind.is_float else str(value)


def _enum(attribute: EnumAttribute) -> str:
    if attribute.kind in _DOTTED_ENUMS:
        return f"#{attribute.dialect}.{attribute.kind}<{attribute.value}>"
    return f"#{attribute.dialect}<{attribute.kind} {attribute.value}>"


def _parameter(value: Attribute) -> str:
    match value:
        case DenseArrayAttribute(_, values):
            return f"[{', '.join(map(str, values))}]"
        case IntegerAttribute(number, _):
            return str(number)
        case FloatAttribute(bits, ScalarType(kind)):
            return print_float(bits, kind)
    return print_attribute(value)


def is_regular_convolution(parameters: Mapping[str, Attribute]) -> bool:
    """Whether a convolution's dimension numbers are permutations, which the short form requires."""
    for part in CONVOLUTION_PARTS:
        batch, feature, spatial = (parameters.get(name) for name in dimension_names(*part))
        if not (isinstance(batch, IntegerAttribute) and isinstance(feature, IntegerAttribute)):
            return False
        if not isinstance(spatial, DenseArrayAttribute):
            return False
        numbers = [batch.value, feature.value, *spatial.values]
        if sorted(numbers) != list(range(len(numbers))):
            return False
    return len(parameters) == 9


def print_convolution_dimensions(parameters: Mapping[str, Attribute]) -> str:
    """`[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`."""
    lists = []
    for part in CONVOLUTION_PARTS:
        batch, feature, spatial = (parameters[name] for name in dimension_names(*part))
        assert isinstance(batch, IntegerAttribute)
        assert isinstance(feature, IntegerAttribute)
        assert isinstance(spatial, DenseArrayAttribute)
        places: dict[float, str] = {batch.value: part[1], feature.value: part[2]}
        places |= {place: str(number) for number, place in enumerate(spatial.values)}
        lists.append(f"[{', '.join(places[place] for place in sorted(places))}]")
    return f"{lists[0]}x{lists[1]}->{lists[2]}"
