"""Read `#stablehlo.name<key = value, …>`, and the dimension numbers of convolutions."""

import re
from collections.abc import Mapping

from ...cursor import NUMBER
from ...ir.attribute_values import integer, integers, real
from ...ir.attributes import Attribute, BoolAttribute, EnumAttribute, StructAttribute, TypeAttribute
from ...ir.element_types import F64
from .mesh_attributes import MESH_STRUCTS, read_mesh_struct
from .reader import Reader

_LONE_WORD = re.compile(r"<\s*+([A-Za-z_][A-Za-z0-9_]*+)\s*+>")
_KEYS = re.compile(r"<\s*+(?:[a-z_0-9]++\s*+=|>)")
_LOOSE = ("dot", "gather", "scatter")
"""Attributes that allow a trailing comma, as in MLIR."""
_DIMENSION = re.compile(r"[0-9]+|[a-z?]")
CONVOLUTION_PARTS = (("input", "b", "f"), ("kernel", "i", "o"), ("output", "b", "f"))
KERNEL_FEATURES = {"i": "kernel_input_feature_dimension", "o": "kernel_output_feature_dimension"}


def read_struct(reader: Reader, dialect: str, name: str) -> Attribute | None:
    """Read the body of `#stablehlo.name<…>`, or of the older `#mhlo.name<…>`.

    `None` if it has none of the known forms.
    """
    if name == "conv":
        return _convolution(reader, dialect)
    if name in MESH_STRUCTS:
        return read_mesh_struct(reader, name)
    word = _LONE_WORD.match(reader.text, reader.position)
    if word:
        reader.move(word.end())
        return EnumAttribute(dialect, name, word[1])
    if not _KEYS.match(reader.text, reader.position):
        return None
    return StructAttribute(dialect, name, read_parameters(reader, may_end_in_comma=name in _LOOSE))


def read_parameters(reader: Reader, *, may_end_in_comma: bool = False) -> dict[str, Attribute]:
    """Read `<key = value, …>`."""
    parameters: dict[str, Attribute] = {}

    def parameter() -> None:
        if parameters and may_end_in_comma and reader.peek(">"):
            return
        start = reader.position
        key = reader.word("a parameter's name")
        if key in parameters:
            reader.fail(f"parameter '{key}' is given twice", start)
        reader.expect("=", f" after '{key}'")
        parameters[key] = _value(reader)

    reader.list_of("<", parameter)
    return parameters


def _value(reader: Reader) -> Attribute:
    if reader.peek("["):
        return integers(reader.list_of("[", reader.integer))
    if reader.peek("#"):
        return reader.attribute()
    number = reader.match(NUMBER)
    if number and any(c in number[0] for c in ".eE") and "x" not in number[0]:
        value = float(number[0])
        return real(value, F64)
    if number:
        reader.move(number.start())
        return integer(reader.integer())
    for word in ("true", "false"):
        if reader.accept_word(word):
            return BoolAttribute(word == "true")
    return TypeAttribute(reader.read_type())


def _convolution(reader: Reader, dialect: str) -> StructAttribute:
    reader.enter("<")
    if reader.accept_word("raw"):
        reader.move(reader.position - 1)
        parameters: dict[str, Attribute] = {}
        while not reader.peek(">"):
            key = reader.word("a dimension's name")
            reader.expect("=", f" after '{key}'")
            parameters[key] = _value(reader)
            reader.accept(",")
    else:
        parameters = read_convolution_dimensions(reader)
    reader.leave()
    return StructAttribute(dialect, "conv", parameters)


def read_convolution_dimensions(reader: Reader) -> dict[str, Attribute]:
    """Read `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`."""
    parameters: dict[str, Attribute] = {}
    for number, (part, first, second) in enumerate(CONVOLUTION_PARTS):
        if number:
            reader.expect("x" if number == 1 else "->", " between the dimension numbers")
        parameters |= _dimension_numbers(reader, part, first, second)
    return parameters


def dimension_names(part: str, first: str, second: str) -> tuple[str, str, str]:
    """Names of the parameters of a convolution's input, kernel or output."""
    if part == "kernel":
        return KERNEL_FEATURES[first], KERNEL_FEATURES[second], "kernel_spatial_dimensions"
    return f"{part}_batch_dimension", f"{part}_feature_dimension", f"{part}_spatial_dimensions"


def convolution_part(part: str, first: str, second: str, places: Mapping[str, int]) -> dict[str, Attribute]:
    """The parameters of a part, from the places of its two features and of its spatial dimensions, by number."""
    spatial = integers(places[str(number)] for number in range(len(places) - 2))
    values = (integer(places[first]), integer(places[second]), spatial)
    return dict(zip(dimension_names(part, first, second), values, strict=True))


def _dimension_numbers(reader: Reader, part: str, first: str, second: str) -> dict[str, Attribute]:
    start = reader.position

    def dimension() -> str:
        match = reader.match(_DIMENSION)
        return match[0] if match else reader.fail_expecting(f"'{first}', '{second}' or a number")

    items = reader.list_of("[", dimension)
    places = {item: number for number, item in enumerate(items)}
    spatial = len(items) - 2
    if sorted(places) != sorted([first, second, *map(str, range(spatial))]) or len(places) != len(items):
        wanted = ", ".join([*map(str, range(max(spatial, 0))), first, second])
        reader.fail(f"the {part}'s dimension numbers must be {wanted}, in any order", start)
    return convolution_part(part, first, second, places)
