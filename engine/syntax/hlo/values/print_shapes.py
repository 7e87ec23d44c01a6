"""HLO's notation of types and element types."""

from ....errors import StructureError
from ....ir.element_types import ELEMENT_TYPES, ONLY_IN_HLO, ElementType
from ....ir.layouts import Layout
from ....ir.types import BufferType, OpaqueType, TensorType, TokenType, TupleType, Type

OPAQUE = OpaqueType("opaque[]")
ELEMENTS_BETWEEN_COMMENTS = 5
"""Interval of the comments with element indices in long tuples."""


HLO_ELEMENT_TYPES: dict[str, ElementType] = {
    known.hlo_name: known for name, known in ELEMENT_TYPES.items() if name not in ("index", "tf32")
} | ONLY_IN_HLO
"""Every element type of HLO arrays, by HLO's name."""
_NAMES = {known.name: name for name, known in HLO_ELEMENT_TYPES.items()}


def hlo_element_type(name: str) -> ElementType | None:
    """The element type that HLO calls `name`."""
    return HLO_ELEMENT_TYPES.get(name)


def element_type_name(element_type: ElementType) -> str:
    """HLO's name of `element_type`."""
    name = _NAMES.get(element_type.name)
    if name is None:
        raise StructureError(f"HLO has no element type for {element_type}")
    return name


def print_shape(shape: Type, layouts: bool = True) -> str:
    """Print `f32[2,<=8]{1,0:T(8,128)}`, `token[]`, `opaque[]`, and tuples and buffers of them."""
    match shape:
        case TensorType():
            return _array(shape, layouts)
        case TupleType():
            return _tuple([print_shape(element, layouts) for element in shape.types])
        case BufferType():
            return f"b({print_shape(shape.type, layouts)})"
        case TokenType():
            return "token[]"
        case OpaqueType() if shape == OPAQUE:
            return shape.text
    raise StructureError(f"HLO has no shape for {shape}")


def _tuple(elements: list[str]) -> str:
    for number in range(ELEMENTS_BETWEEN_COMMENTS, len(elements), ELEMENTS_BETWEEN_COMMENTS):
        elements[number] = f"/*index={number}*/{elements[number]}"
    return f"({', '.join(elements)})"


def _array(shape: TensorType, layouts: bool) -> str:
    bounds = shape.bounds or (None,) * shape.rank
    sizes = [_dimension(size, bound) for size, bound in zip(shape.shape, bounds, strict=True)]
    layout = _layout(shape.layout) if layouts and shape.layout is not None else ""
    return f"{element_type_name(shape.element_type)}[{','.join(sizes)}]{layout}"


def _dimension(size: int | None, bound: int | None) -> str:
    if size is not None:
        return str(size)
    return "?" if bound is None else f"<={bound}"


def _layout(layout: Layout) -> str:
    # A `{}` after the shape of a scalar would be read as an empty computation.
    text = str(layout)
    return "" if text == "{}" else text
