"""Short forms of while and scan, and the arguments of regions."""

from typing import Any

from ...cursor import VALUE_NAME
from ...ir.attribute_values import integer
from ...ir.attributes import DenseArrayAttribute, IntegerAttribute
from ...ir.element_types import I32, I64
from ...ir.module import Operation, Region, Value
from ...ir.types import ScalarType
from ...source import Span
from ..attributes.print_attributes import print_dictionary
from ..attributes.read_locations import read_trailing_location
from ..text.trampoline import Steps
from .operation_draft import Draft
from .print_pieces import Body, Pieces, Scribe


def read_while(draft: Draft, read_region: Any) -> Steps[None]:
    """Read `(%iterArg = %0, …) : types attributes {…} cond {…} do {…}`."""
    reader = draft.reader
    names = reader.list_of("(", lambda: _read_carried(draft)) if reader.peek("(") else []
    if names:
        reader.expect(":", " and the types of the carried values")
        _read_carried_types(draft)
    else:
        draft.operand_types, draft.result_types = [], []
    if reader.accept_word("attributes"):
        draft.attribute_dictionary()
    for keyword, what in (("cond", "condition"), ("do", "body")):
        reader.expect_word(keyword, f" and the {what}")
        arguments = tuple(
            Value(name, value.type, span) for (name, span), value in zip(names, draft.operands, strict=True)
        )
        draft.regions.append((yield read_region(draft, arguments)))


def _read_carried(draft: Draft) -> tuple[str, Span]:
    name, span = _read_name(draft, "a name for the carried value, such as %iterArg")
    draft.reader.expect("=", " and the value that it starts with")
    draft.operand()
    return name, span


def _read_name(draft: Draft, expected: str) -> tuple[str, Span]:
    start = draft.reader.position
    match = draft.reader.match(VALUE_NAME)
    if not match:
        draft.reader.fail_expecting(expected)
    return match[0], draft.reader.span_from(start)


def _read_carried_types(draft: Draft) -> None:
    reader = draft.reader
    start = reader.position
    types = [reader.read_type()]
    while reader.accept(","):
        types.append(reader.read_type())
    draft.operand_types, draft.result_types = types, list(types)
    draft.adopt_types()
    draft.types_span = reader.span_from(start)


def write_while(operation: Operation, scribe: Scribe) -> Pieces | None:
    """Print the text after the op's name; `None` unless both regions name the carried values alike."""
    if len(operation.regions) != 2 or _types(operation.operands) != _types(operation.results):
        return None
    arguments = [_arguments(region) for region in operation.regions]
    carried = arguments[0]
    if carried is None or carried != arguments[1] or _types(carried) != _types(operation.operands):
        return None
    pairs = zip(carried, operation.operands, strict=True)
    starts = ", ".join([f"{argument.name} = {value.name}" for argument, value in pairs])
    entries = {**operation.properties, **operation.attributes}
    stated = f" attributes {print_dictionary(entries)}" if entries else ""
    types = f" : {', '.join(map(str, _types(carried)))}" if carried else ""
    head = f"({starts}){types}{stated}\n{scribe.indent()}cond "
    condition, body = operation.regions
    return [head, Body(condition, with_arguments=False), " do ", Body(body, with_arguments=False)]


def _arguments(region: Region) -> tuple[Value, ...] | None:
    return region.blocks[0].arguments if len(region.blocks) == 1 else None


def _types(values: tuple[Value, ...]) -> list[object]:
    return [value.type for value in values]


def read_argument(draft: Draft) -> Value:
    """Read `%name: type loc(…)`."""
    name, span = _read_name(draft, "an argument, such as %arg0")
    draft.reader.expect(":", " and the argument's type")
    argument_type = draft.reader.read_type()
    return Value(name, argument_type, span, read_trailing_location(draft.reader))


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
    draft.property("dimension", integer(reader.integer()))
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
