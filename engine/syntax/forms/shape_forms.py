"""Short forms of the dialects shape, tensor and arith that words cannot express."""

from typing import Any

import numpy as np

from ...ir.attributes import Attribute, BoolAttribute, DenseAttribute, FloatAttribute, IntegerAttribute
from ...ir.element_types import I1, INDEX
from ...ir.module import Operation
from ...ir.types import ScalarType, TensorType, Type
from ..attributes.print_attributes import print_attribute, print_dictionary
from ..attributes.read_types import read_result_types
from ..text.trampoline import Steps
from .operation_draft import Draft
from .print_pieces import Body, Pieces, Scribe


def _rest(operation: Operation) -> str:
    return f" {print_dictionary(operation.attributes)}" if operation.attributes else ""


def _is_plain(operation: Operation, *properties: str) -> bool:
    """Whether it has exactly these properties, one result and no regions."""
    stated = operation.properties.keys() == set(properties)
    return stated and len(operation.results) == 1 and not operation.regions


# arith.constant


def read_typed_value(draft: Draft, _: object) -> None:
    """Read `{…} 0 : index`."""
    draft.attribute_dictionary()
    start = draft.reader.position
    value = draft.reader.attribute()
    found = _type_of(value)
    if found is None:
        draft.reader.fail("a constant is a number, true, false, or dense<…>", start)
    draft.properties["value"] = value
    draft.result_types = [found]


def _type_of(value: Attribute | None) -> Type | None:
    if isinstance(value, BoolAttribute):
        return ScalarType(I1)
    if isinstance(value, IntegerAttribute | FloatAttribute | DenseAttribute):
        return value.type
    return None


def write_typed_value(operation: Operation, _: Scribe) -> Pieces | None:
    """Print the text after the op's name; `None` if the form cannot express the operation."""
    value = operation.properties.get("value")
    if value is None or not _is_plain(operation, "value") or operation.operands:
        return None
    if operation.results[0].type != _type_of(value):
        return None
    return [f"{_rest(operation)} {print_attribute(value)}"]


# shape.const_shape


def read_shape(draft: Draft, _: object) -> None:
    """Read `{…} [1, 2] : tensor<2xindex>`."""
    reader = draft.reader
    draft.attribute_dictionary()
    sizes = np.array(reader.list_of("[", _size_reader(draft)), np.int64)
    draft.properties["shape"] = DenseAttribute(TensorType(sizes.shape, INDEX), sizes)
    reader.expect(":", " and the result's type")
    draft.result_types = [reader.read_type()]


def _size_reader(draft: Draft) -> Any:
    def size() -> int:
        start = draft.reader.position
        found = draft.reader.integer("a size")
        if abs(found) >= 1 << 63:
            draft.reader.fail("a size has at most 63 bits", start)
        return found

    return size


def write_shape(operation: Operation, _: Scribe) -> Pieces | None:
    """Print the text after the op's name; `None` if the form cannot express the operation."""
    shape = operation.properties.get("shape")
    if not isinstance(shape, DenseAttribute) or not _is_plain(operation, "shape") or operation.operands:
        return None
    if shape.type != TensorType(shape.data.shape, INDEX) or shape.data.ndim != 1:
        return None
    sizes = ", ".join(map(str, shape.data.tolist()))
    return [f"{_rest(operation)} [{sizes}] : {operation.results[0].type}"]


# tensor.extract


def read_extract(draft: Draft, _: object) -> None:
    """Read `%t[%i, %j] {…} : tensor<2x3xf32>`."""
    reader = draft.reader
    draft.operand()
    reader.enter("[", " and an index for each dimension")
    draft.operand_list()
    reader.leave(" or ',' and an index")
    draft.attribute_dictionary()
    reader.expect(":", " and the tensor's type")
    start = reader.position
    found = reader.read_type()
    if not isinstance(found, TensorType):
        reader.fail(f"elements are extracted from a tensor, not from {found}", start)
    draft.types_span = reader.span_from(start)
    draft.operand_types = [found, *(value.type for value in draft.operands[1:])]
    draft.result_types = [ScalarType(found.element_type)]


def write_extract(operation: Operation, _: Scribe) -> Pieces | None:
    """Print the text after the op's name; `None` if the form cannot express the operation."""
    if not operation.operands or not _is_plain(operation):
        return None
    tensor, *indices = operation.operands
    if not isinstance(tensor.type, TensorType):
        return None
    if operation.results[0].type != ScalarType(tensor.type.element_type):
        return None
    listed = ", ".join([value.name for value in indices])
    return [f" {tensor.name}[{listed}]{_rest(operation)} : {tensor.type}"]


# arith.select


def read_select(draft: Draft, _: object) -> None:
    """Read `%c, %a, %b {…} : type`; a tensor condition has its type before that."""
    reader = draft.reader
    draft.operand_list()
    draft.attribute_dictionary()
    reader.expect(":", " and the type of the values")
    start = reader.position
    types = [reader.read_type()]
    if reader.accept(","):
        types.append(reader.read_type())
    *condition, chosen = [ScalarType(I1), *types][-2:]
    draft.operand_types = [*condition, chosen, chosen]
    draft.result_types = [chosen]
    draft.types_span = reader.span_from(start)


def write_select(operation: Operation, _: Scribe) -> Pieces | None:
    """Print the text after the op's name; `None` if the form cannot express the operation."""
    if len(operation.operands) != 3 or not _is_plain(operation):
        return None
    condition, *values = [value.type for value in operation.operands]
    chosen = operation.results[0].type
    if values != [chosen, chosen]:
        return None
    names = ", ".join([value.name for value in operation.operands])
    stated = "" if condition == ScalarType(I1) else f"{condition}, "
    return [f" {names}{_rest(operation)} : {stated}{chosen}"]


# shape.assuming


def read_assuming(draft: Draft, read_region: Any) -> Steps[None]:
    """Read `%w -> (types) {…} attributes {…}`."""
    reader = draft.reader
    draft.operand()
    draft.result_types = []
    if reader.accept("->"):
        draft.result_types = list(read_result_types(reader))
    draft.regions.append((yield read_region(draft, ())))
    draft.attribute_dictionary()


def write_assuming(operation: Operation, _: Scribe) -> Pieces | None:
    """Print the text after the op's name; `None` if the form cannot express the operation."""
    if len(operation.operands) != 1 or len(operation.regions) != 1 or operation.properties:
        return None
    (region,) = operation.regions
    if len(region.blocks) != 1 or region.blocks[0].arguments:
        return None
    types = ", ".join([str(value.type) for value in operation.results])
    head = f" {operation.operands[0].name} {f'-> ({types}) ' if types else ''}"
    return [head, Body(region, with_arguments=False), _rest(operation)]
