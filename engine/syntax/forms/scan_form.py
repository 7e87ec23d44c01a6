"""Short form of scan."""

from __future__ import annotations

from typing import Any

from ...ir.attributes import DenseArrayAttribute, IntegerAttribute
from ...ir.element_types import I32, I64
from ...ir.module import Operation, Value
from ...ir.types import ScalarType
from ..attributes.print_attributes import print_dictionary
from ..text.trampoline import Steps
from .operation_draft import Draft
from .print_pieces import Body, Pieces, Scribe

_SEGMENTS = ("operandSegmentSizes", "resultSegmentSizes")
"""Properties that the position of the operands determines."""


def read_scan(draft: Draft, read_region: Any) -> Steps[None]:
    """Read `(%inputs) inits (%inits) dimension=0 attributes {…} {…} : …`."""
    reader = draft.reader
    inputs = _read_operands(draft, "the inputs")
    reader.expect_word("inits", " and the initial carried values")
    carried = _read_operands(draft, "the initial carried values")
    reader.expect_word("dimension", " and the dimension that is scanned")
    reader.expect("=")
    draft.property("dimension", IntegerAttribute(reader.integer(), ScalarType(I64)))
    if reader.accept_word("attributes"):
        draft.attribute_dictionary()
    draft.regions.append((yield read_region(draft, None)))
    reader.expect(":", " and the types of operands and results")
    draft.functional_type()
    outputs = len(draft.result_types or ()) - carried
    for name, sizes in zip(_SEGMENTS, ((inputs, carried), (outputs, carried)), strict=True):
        draft.property(name, DenseArrayAttribute(I32, sizes))


def _read_operands(draft: Draft, what: str) -> int:
    before = len(draft.operands)
    draft.reader.enter("(", f" and {what}")
    draft.operand_list()
    draft.reader.leave()
    return len(draft.operands) - before


def write_scan(operation: Operation, _: Scribe) -> Pieces | None:
    """Print the text after the op's name; `None` if the form cannot express the operation."""
    taken, given = (operation.properties.get(name) for name in _SEGMENTS)
    dimension = operation.properties.get("dimension")
    if not isinstance(taken, DenseArrayAttribute) or len(taken.values) != 2 or len(operation.regions) != 1:
        return None
    inputs, carried = map(int, taken.values)
    outputs = len(operation.results) - carried
    fits = inputs + carried == len(operation.operands) and min(inputs, carried, outputs) >= 0
    if not fits or given != DenseArrayAttribute(I32, (outputs, carried)) or taken.element_type != I32:
        return None
    if not isinstance(dimension, IntegerAttribute) or dimension.type != ScalarType(I64):
        return None
    stated = {**operation.properties, **operation.attributes}
    entries = {name: value for name, value in stated.items() if name not in (*_SEGMENTS, "dimension")}
    first, second = (_names(part) for part in (operation.operands[:inputs], operation.operands[inputs:]))
    rest = f" attributes {print_dictionary(entries)} " if entries else " "
    head = f"({first}) inits ({second}) dimension={dimension.value} {rest}"
    return [head, Body(operation.regions[0]), f" : {operation.function_type}"]


def _names(values: tuple[Value, ...]) -> str:
    return ", ".join([value.name for value in values])
