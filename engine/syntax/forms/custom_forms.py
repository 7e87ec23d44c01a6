"""Irregular short forms: a read and a write function for each `custom NAME`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ...ir.attributes import DenseAttribute, ResourceAttribute
from ...ir.module import Operation, Region, Value
from ..attributes.print_attributes import print_attribute, print_dictionary
from ..text.trampoline import Steps
from .contraction_forms import read_convolution, read_dot_general, write_convolution, write_dot_general
from .control_forms import read_scan, read_while, write_scan, write_while
from .form_attributes import read_property
from .form_types import read_types, write_types
from .operation_draft import Draft
from .print_pieces import Pieces, Scribe
from .reduce_form import read_reduce, write_reduce
from .shape_forms import (
    read_assuming,
    read_extract,
    read_select,
    read_shape,
    read_typed_value,
    write_assuming,
    write_extract,
    write_select,
    write_shape,
    write_typed_value,
)
from .shardy_forms import (
    read_manual_computation,
    read_named_computation,
    write_manual_computation,
    write_named_computation,
)


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


class RegionReader(Protocol):
    """Callback with which a custom form reads its regions."""

    def __call__(self, draft: Draft, arguments: tuple[Value, ...] | None) -> Steps[Region]:
        """Read `{…}`; its only block has these arguments, or states its own if they are `None`."""


@dataclass(frozen=True)
class CustomForm:
    """Read and write functions of an irregular form."""

    read: Callable[[Draft, RegionReader], Steps[None] | None]
    """Reads the text after the op's name; a generator if it contains regions."""
    write: Callable[[Operation, Scribe], Pieces | None]


CUSTOM_FORMS = {
    "assuming": CustomForm(read_assuming, write_assuming),
    "barrier": CustomForm(read_barrier, write_barrier),
    "constant": CustomForm(read_constant, write_constant),
    "convolution": CustomForm(read_convolution, write_convolution),
    "dot_general": CustomForm(read_dot_general, write_dot_general),
    "extract": CustomForm(read_extract, write_extract),
    "manual_computation": CustomForm(read_manual_computation, write_manual_computation),
    "named_computation": CustomForm(read_named_computation, write_named_computation),
    "reduce": CustomForm(read_reduce, write_reduce),
    "scan": CustomForm(read_scan, write_scan),
    "select": CustomForm(read_select, write_select),
    "shape": CustomForm(read_shape, write_shape),
    "typed_value": CustomForm(read_typed_value, write_typed_value),
    "while": CustomForm(read_while, write_while),
}


def custom_form(short_form: str) -> CustomForm | None:
    """The form named by `custom NAME`; `None` for a regular form."""
    keyword, _, name = short_form.partition(" ")
    return CUSTOM_FORMS[name] if keyword == "custom" else None
