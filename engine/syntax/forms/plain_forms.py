"""Short forms of constant and optimization_barrier, which have a second form for a rare case."""

from __future__ import annotations

from ...ir.attributes import DenseAttribute, ResourceAttribute
from ...ir.module import Operation
from ..attributes.print_attributes import print_attribute, print_dictionary
from .form_attributes import read_property
from .form_types import read_types, write_types
from .operation_draft import Draft
from .print_pieces import Pieces, Scribe


def read_constant(draft: Draft, _: object) -> None:
    """Read `{…} dense<…> : type`, or `() <{value = dense<…> : type}> {…} : () -> type`."""
    reader = draft.reader
    if not reader.peek("("):
        draft.attribute_dictionary()
        draft.properties["value"] = read_property(draft, "value", "")
        return
    reader.enter("(")
    reader.leave()
    if reader.peek("<"):
        draft.property_dictionary()
    draft.attribute_dictionary()
    reader.expect(":", " and the result's type")
    draft.functional_type()


def write_constant(operation: Operation, _: Scribe) -> Pieces | None:
    """Print the text after the op's name; `None` if the form cannot express the operation."""
    value = operation.properties.get("value")
    if not isinstance(value, DenseAttribute | ResourceAttribute):
        return None
    if operation.operands or operation.regions or len(operation.results) != 1:
        return None
    rest = f" {print_dictionary(operation.attributes)}" if operation.attributes else ""
    if operation.results[0].type == value.type:
        return [f"{rest} {print_attribute(value)}"]
    # The literal of a quantized constant has the storage type, which is not the result's type.
    properties = print_dictionary(operation.properties, ("<{", "}>"))
    return [f"() {properties}{rest} : {operation.function_type}"]


def read_barrier(draft: Draft, _: object) -> None:
    """Read `{…} %0, %1 : types`, or `{…} ()`."""
    reader = draft.reader
    draft.attribute_dictionary()
    if reader.peek("("):
        reader.enter("(", " or the operands")
        reader.leave()
        draft.operand_types, draft.result_types = [], []
        return
    draft.operand_list()
    draft.attribute_dictionary()  # older text has it here
    reader.expect(":", " and the types of the operands")
    read_types(draft, "pairwise-types")


def write_barrier(operation: Operation, _: Scribe) -> Pieces | None:
    """Print the text after the op's name; `None` if the form cannot express the operation."""
    if operation.properties or operation.regions:
        return None
    rest = f" {print_dictionary(operation.attributes)}" if operation.attributes else ""
    if not operation.operands and not operation.results:
        return [f"{rest}()"]
    types = write_types(operation, "pairwise-types")
    operands = ", ".join([value.name for value in operation.operands])
    return None if types is None else [f"{rest} {operands} : {types}"]
