"""Properties as short forms write them, shorter than in the generic form."""

import re

from ...ir.attributes import (
    ArrayAttribute,
    Attribute,
    BoolAttribute,
    DenseArrayAttribute,
    DenseAttribute,
    EnumAttribute,
    FloatAttribute,
    IntegerAttribute,
    OpaqueAttribute,
    StringAttribute,
    SymbolAttribute,
)
from ...ir.element_types import ELEMENT_TYPES, F64, I32, I64
from ...ir.module import Operation
from ...ir.types import ScalarType
from ..attributes.print_attributes import print_attribute, print_symbol
from ..attributes.reader import Reader
from .operation_draft import Draft

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def read_property(draft: Draft, name: str, kind: str) -> Attribute:
    """Read the property `name` in notation `kind`; an empty `kind` is a bare attribute."""
    reader = draft.reader
    if name == "callee":
        return SymbolAttribute(reader.symbol("the function's name, which starts with '@'"))
    if not kind:
        return _read_bare(reader)
    if kind == "symbol-name":
        return StringAttribute(reader.symbol())
    if kind in ELEMENT_TYPES:
        return IntegerAttribute(reader.integer(), ScalarType(ELEMENT_TYPES[kind]))
    if "|" in kind:
        words, width = _numbers(kind)
        return IntegerAttribute(_read_numbers(reader, words), width)
    if "<" in kind:
        opening = "{" if reader.peek("{") else "["
        return OpaqueAttribute(f"{kind}{reader.read_balanced(opening)}>")
    if kind.startswith("#"):
        reader.accept(kind)
        return OpaqueAttribute(kind + reader.read_balanced("<"))
    return EnumAttribute(draft.dialect, kind, reader.word(f"a {kind.replace('_', ' ')}"))


def _numbers(kind: str) -> tuple[list[str], ScalarType]:
    """The words of `A|B` or `A|B:i64`, and the type of their numbers."""
    words, _, width = kind.partition(":")
    return words.split("|"), ScalarType(ELEMENT_TYPES[width] if width else I32)


def _read_numbers(reader: Reader, words: list[str]) -> int:
    start = reader.position
    found = reader.word(" or ".join(words))
    return words.index(found) if found in words else reader.fail(f"'{found}' is none of {words}", start)


def _read_bare(reader: Reader) -> Attribute:
    """Read an attribute; a colon after a number or a string belongs to the form, not to a type."""
    if reader.peek('"'):
        return StringAttribute(reader.string())
    return reader.bare_number() or _as_dense_array(reader.attribute())


def _as_dense_array(attribute: Attribute) -> Attribute:
    """A bracketed list of integers or booleans as a `DenseArrayAttribute`."""
    if not isinstance(attribute, ArrayAttribute):
        return attribute
    elements = attribute.elements
    if elements and all(isinstance(element, BoolAttribute) for element in elements):
        booleans = [element.value for element in elements if isinstance(element, BoolAttribute)]
        return DenseArrayAttribute(ELEMENT_TYPES["i1"], tuple(booleans))
    if all(isinstance(element, IntegerAttribute) and element.type == ScalarType(I64) for element in elements):
        integers = [element.value for element in elements if isinstance(element, IntegerAttribute)]
        return DenseArrayAttribute(I64, tuple(integers))
    return attribute


def write_property(operation: Operation, attribute: Attribute, name: str, kind: str) -> str | None:
    """The property's text; `None` if `read_property` would not read it back unchanged."""
    if not kind:
        return _write_bare(attribute, name)
    match attribute:
        case StringAttribute(text, None) if kind == "symbol-name":
            return print_symbol(text)
        case IntegerAttribute(value, ScalarType(found)) if found.name == kind:
            return str(value)
        case IntegerAttribute(value, found) if "|" in kind and found == _numbers(kind)[1]:
            words, _ = _numbers(kind)
            return words[value] if 0 <= value < len(words) else None
        case OpaqueAttribute(text) if "<" in kind and text.startswith((kind + "[", kind + "{")):
            return text.removeprefix(kind).removesuffix(">")
        case OpaqueAttribute(text) if kind.startswith("#") and text.startswith(kind + "<"):
            return text.removeprefix(kind)
        case EnumAttribute(dialect, found, value) if found == kind and operation.name.startswith(
            f"{dialect}."
        ):
            return value
    return None


def _write_bare(attribute: Attribute, name: str) -> str | None:
    match attribute:
        case IntegerAttribute(value, ScalarType(kind)):
            return str(value) if kind == I64 else None
        case DenseArrayAttribute(kind, values) if kind == I64:
            return f"[{', '.join(map(str, values))}]"
        case DenseArrayAttribute(kind, values) if kind.kind == "boolean" and values:
            return f"[{', '.join('true' if value else 'false' for value in values)}]"
        case FloatAttribute(_, ScalarType(kind)):
            return print_attribute(attribute, in_list=True) if kind == F64 else None
        case SymbolAttribute(_, nested) if nested and name == "callee":
            return None
        case StringAttribute(_, None) | BoolAttribute() | SymbolAttribute():
            return print_attribute(attribute)
        case DenseAttribute() if name == "value":
            return print_attribute(attribute)
        case ArrayAttribute() if _as_dense_array(attribute) is attribute:
            return print_attribute(attribute)
    return None


def write_precisions(attribute: Attribute | None) -> str | None:
    """`[DEFAULT, HIGH]` for a precision_config; `None` for any other attribute."""
    if not isinstance(attribute, ArrayAttribute):
        return None
    words = [element.value for element in attribute.elements if _is_precision(element)]  # type: ignore[attr-defined]
    return f"[{', '.join(words)}]" if len(words) == len(attribute.elements) else None


def _is_precision(attribute: Attribute) -> bool:
    return isinstance(attribute, EnumAttribute) and (attribute.dialect, attribute.kind) == (
        "stablehlo",
        "precision",
    )


def read_precisions(draft: Draft) -> ArrayAttribute:
    """Read `[DEFAULT, HIGH]`."""

    def precision() -> Attribute:
        return EnumAttribute("stablehlo", "precision", draft.reader.word("DEFAULT, HIGH or HIGHEST"))

    return ArrayAttribute(tuple(draft.reader.list_of("[", precision)))
