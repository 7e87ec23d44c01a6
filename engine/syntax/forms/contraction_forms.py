"""Short forms of dot_general and convolution."""

import re
from collections.abc import Callable, Mapping

import numpy as np

from ...ir.attribute_values import integers
from ...ir.attributes import Attribute, DenseArrayAttribute, DenseAttribute, StructAttribute
from ...ir.element_types import ELEMENT_TYPES, I64
from ...ir.module import Operation
from ...ir.types import TensorType
from ..attributes.print_attributes import (
    is_regular_convolution,
    print_attribute,
    print_convolution_dimensions,
    print_dictionary,
)
from ..attributes.reader import Reader
from ..attributes.struct_attributes import read_convolution_dimensions, read_struct
from .form_attributes import read_precisions, write_precisions
from .operation_draft import Draft
from .print_pieces import Pieces, Scribe

_BOOLEAN = re.compile(r"(?:true|false|[01])\b")
I1 = ELEMENT_TYPES["i1"]
_DOT = (
    "lhs_batching_dimensions",
    "rhs_batching_dimensions",
    "lhs_contracting_dimensions",
    "rhs_contracting_dimensions",
)
_DOT_STATED = frozenset(["dot_dimension_numbers", "precision_config", "algorithm"])
_WINDOW = {
    "stride": "window_strides",
    "pad": "padding",
    "lhs_dilate": "lhs_dilation",
    "rhs_dilate": "rhs_dilation",
    "reverse": "window_reversal",
}
_CONVOLUTION_STATED = frozenset(["dimension_numbers", *_WINDOW.values()])


def _rest(operation: Operation, stated: frozenset[str]) -> str:
    entries = {name: value for name, value in operation.properties.items() if name not in stated}
    entries |= operation.attributes
    return f" {print_dictionary(entries)}" if entries else ""


def _integers(draft: Reader) -> DenseArrayAttribute:
    return integers(draft.list_of("[", draft.integer))


# dot_general


def read_dot_general(draft: Draft, _: object) -> None:
    """Read `%0, %1, batching_dims = [0] x [0], contracting_dims = [1] x [0], precision = […] : …`."""
    reader = draft.reader
    draft.operand_list()
    numbers: dict[str, Attribute] = {name: integers(()) for name in _DOT}
    readers: dict[str, Callable[[], None]] = {
        "batching_dims": lambda: _read_sides(draft, numbers, "batching"),
        "contracting_dims": lambda: _read_sides(draft, numbers, "contracting"),
        "precision": lambda: draft.property("precision_config", read_precisions(draft)),
        "algorithm": lambda: draft.property("algorithm", _read_algorithm(draft)),
    }
    while reader.accept(","):
        key = reader.peek_word()
        if key not in readers:
            reader.fail_expecting("batching_dims, contracting_dims, precision or algorithm")
        reader.accept(key)
        reader.expect("=", f" after '{key}'")
        readers.pop(key)()
    if "contracting_dims" in readers:
        reader.fail_expecting("', contracting_dims = […] x […]'")
    draft.property("dot_dimension_numbers", StructAttribute("stablehlo", "dot", numbers))
    draft.attribute_dictionary()
    reader.expect(":", " and the types of operands and result")
    draft.functional_type()


def _read_sides(draft: Draft, numbers: dict[str, Attribute], kind: str) -> None:
    numbers[f"lhs_{kind}_dimensions"] = _integers(draft.reader)
    draft.reader.expect("x", " between the dimensions of lhs and rhs")
    numbers[f"rhs_{kind}_dimensions"] = _integers(draft.reader)


def _read_algorithm(draft: Draft) -> Attribute:
    found = read_struct(draft.reader, "stablehlo", "dot_algorithm") if draft.reader.peek("<") else None
    return found or draft.reader.attribute()


def write_dot_general(operation: Operation, _: Scribe) -> Pieces | None:
    """Print the text after the op's name; `None` if the form cannot express the operation."""
    numbers = operation.properties.get("dot_dimension_numbers")
    if (
        operation.regions
        or not isinstance(numbers, StructAttribute)
        or numbers.parameters.keys() != set(_DOT)
    ):
        return None
    lists = [_list(numbers.parameters.get(name)) for name in _DOT]
    if None in lists:
        return None
    text = ", ".join([value.name for value in operation.operands])
    if lists[0] != "[]" or lists[1] != "[]":
        text += f", batching_dims = {lists[0]} x {lists[1]}"
    text += f", contracting_dims = {lists[2]} x {lists[3]}"
    if "precision_config" in operation.properties:
        precisions = write_precisions(operation.properties["precision_config"])
        if precisions is None:
            return None
        text += f", precision = {precisions}"
    if "algorithm" in operation.properties:
        algorithm = print_attribute(operation.properties["algorithm"])
        if not algorithm.startswith("#stablehlo.dot_algorithm<"):
            return None
        text += f", algorithm = {algorithm.removeprefix('#stablehlo.dot_algorithm')}"
    return [f" {text}{_rest(operation, _DOT_STATED)} : {operation.function_type}"]


def _list(attribute: Attribute | None) -> str | None:
    if not isinstance(attribute, DenseArrayAttribute) or attribute.element_type != I64:
        return None
    return f"[{', '.join(map(str, attribute.values))}]"


# convolution


def read_convolution(draft: Draft, _: object) -> None:
    """Read `(%0, %1) dim_numbers = […]x[…]->[…], window = {…} {…} : …`."""
    reader = draft.reader
    reader.enter("(")
    draft.operand_list()
    reader.leave()
    reader.expect_word("dim_numbers")
    reader.expect("=")
    numbers = StructAttribute("stablehlo", "conv", read_convolution_dimensions(reader))
    draft.property("dimension_numbers", numbers)
    reader.expect(",", " and the window")
    reader.expect_word("window")
    reader.expect("=")
    reader.list_of("{", lambda: _read_window(draft))
    draft.attribute_dictionary()
    reader.expect(":", " and the types of operands and result")
    draft.functional_type()


def _read_window(draft: Draft) -> None:
    reader = draft.reader
    key = reader.peek_word()
    if key not in _WINDOW:
        reader.fail_expecting(", ".join(_WINDOW))
    start = reader.position
    reader.accept(key)
    reader.expect("=", f" after '{key}'")
    if _WINDOW[key] in draft.properties:
        reader.fail(f"'{key}' is given twice", start)
    match key:
        case "pad":
            draft.property("padding", _read_padding(reader))
        case "reverse":
            draft.property("window_reversal", _read_booleans(reader))
        case _:
            draft.property(_WINDOW[key], _integers(reader))


def _read_padding(reader: Reader) -> DenseAttribute:
    def pair() -> list[int]:
        start = reader.position
        found = reader.list_of("[", reader.integer)
        if any(not -(1 << 63) <= number < 1 << 63 for number in found):
            reader.fail("padding is a number of 64 bits", start)
        return found if len(found) == 2 else reader.fail("padding has a low and a high value", start)

    rows = reader.list_of("[", pair)
    return padding_attribute(rows)


def padding_attribute(rows: list[list[int]]) -> DenseAttribute:
    """`dense<[[low, high], …]> : tensor<Nx2xi64>`."""
    data = np.array(rows, dtype=np.int64).reshape(len(rows), 2)
    data.flags.writeable = False
    return DenseAttribute(TensorType((len(rows), 2), I64), data)


def _read_booleans(reader: Reader) -> DenseArrayAttribute:
    def boolean() -> bool:
        match = reader.match(_BOOLEAN)  # older text has 0 and 1
        return match[0] in ("true", "1") if match else reader.fail_expecting("true or false")

    return DenseArrayAttribute(I1, tuple(reader.list_of("[", boolean)))


def write_convolution(operation: Operation, _: Scribe) -> Pieces | None:
    """Print the text after the op's name; `None` if the form cannot express the operation."""
    numbers = operation.properties.get("dimension_numbers")
    if (
        operation.regions
        or not isinstance(numbers, StructAttribute)
        or not is_regular_convolution(numbers.parameters)
    ):
        return None
    window = _write_window(operation.properties)
    if window is None:
        return None
    operands = ", ".join([value.name for value in operation.operands])
    dimensions = print_convolution_dimensions(numbers.parameters)
    rest = _rest(operation, _CONVOLUTION_STATED)
    return [
        f"({operands}) dim_numbers = {dimensions}, window = {{{window}}}{rest} : {operation.function_type}"
    ]


def _write_window(properties: Mapping[str, Attribute]) -> str | None:
    items = []
    for key, name in _WINDOW.items():
        match properties.get(name):
            case None:
                continue
            case DenseAttribute(TensorType((_, 2), kind), data) if name == "padding" and kind == I64:
                items.append(f"{key} = {data.tolist()}")
            case DenseArrayAttribute(kind, values) if kind == (I1 if name == "window_reversal" else I64):
                items.append(f"{key} = [{', '.join(str(value).lower() for value in values)}]")
            case _:
                return None
    return ", ".join(items)
