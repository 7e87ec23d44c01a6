"""Short forms of Shardy's ops with a region: manual_computation and named_computation."""

from typing import Any

from ...ir.attributes import OpaqueAttribute, StringAttribute
from ...ir.module import Operation
from ..attributes.print_attributes import print_dictionary, print_string
from ..text.trampoline import Steps
from .control_forms import read_argument
from .operation_draft import Draft
from .print_pieces import Body, Pieces, Scribe

_SHARDINGS = "#sdy.sharding_per_value"
_AXES = "#sdy<manual_axes"
_SIDES = ("in_shardings", "out_shardings")


def read_manual_computation(draft: Draft, read_region: Any) -> Steps[None]:
    """Read `(%0) in_shardings=[…] out_shardings=[…] manual_axes={…} (%arg: type) {…} : …`."""
    _read_operands(draft)
    for name in _SIDES:
        _read_shardings(draft, name)
    draft.reader.expect_word("manual_axes")
    draft.reader.expect("=")
    draft.property("manual_axes", OpaqueAttribute(f"{_AXES}{draft.reader.read_balanced('{')}>"))
    yield _read_body(draft, read_region)


def read_named_computation(draft: Draft, read_region: Any) -> Steps[None]:
    """Read `<"name">(%0) in_shardings=[…] out_shardings=[…] (%arg: type) {…} : …`."""
    draft.reader.enter("<", " and the computation's name")
    draft.property("name", StringAttribute(draft.reader.string("the computation's name in quotes")))
    draft.reader.leave()
    _read_operands(draft)
    for name in _SIDES:
        if draft.reader.peek_word() == name:
            _read_shardings(draft, name)
    yield _read_body(draft, read_region)


def _read_operands(draft: Draft) -> None:
    draft.reader.enter("(", " and the operands")
    draft.operand_list()
    draft.reader.leave()


def _read_shardings(draft: Draft, name: str) -> None:
    draft.reader.expect_word(name)
    draft.reader.expect("=")
    draft.property(name, OpaqueAttribute(f"{_SHARDINGS}<{draft.reader.read_balanced('[')}>"))


def _read_body(draft: Draft, read_region: Any) -> Steps[None]:
    arguments = tuple(draft.reader.list_of("(", lambda: read_argument(draft)))
    draft.regions.append((yield read_region(draft, arguments)))
    draft.attribute_dictionary()
    draft.reader.expect(":", " and the types of operands and results")
    draft.functional_type()


def write_manual_computation(operation: Operation, _: Scribe) -> Pieces | None:
    """Print the text after the op's name; `None` if the form cannot express the operation."""
    shardings = [_sharding(operation, name) for name in _SIDES]
    axes = operation.properties.get("manual_axes")
    if not (isinstance(axes, OpaqueAttribute) and axes.text.startswith(f"{_AXES}{{")):
        return None
    if len(operation.properties) != 3 or None in shardings:
        return None
    return _write_sharding(
        operation, f"{''.join(map(str, shardings))} manual_axes={axes.text[len(_AXES) : -1]}"
    )


def write_named_computation(operation: Operation, _: Scribe) -> Pieces | None:
    """Print the text after the op's name; `None` if the form cannot express the operation."""
    name = operation.properties.get("name")
    stated = [side for side in _SIDES if side in operation.properties]
    shardings = [_sharding(operation, side) for side in stated]
    if not isinstance(name, StringAttribute) or name.type is not None or None in shardings:
        return None
    if len(operation.properties) != 1 + len(stated):
        return None
    return _write_sharding(operation, "".join(map(str, shardings)), f"<{print_string(name.value)}>")


def _sharding(operation: Operation, name: str) -> str | None:
    """` in_shardings=[…]`; `None` if the property is of another form."""
    attribute = operation.properties.get(name)
    if not isinstance(attribute, OpaqueAttribute) or not attribute.text.startswith(f"{_SHARDINGS}<["):
        return None
    return f" {name}={attribute.text[len(_SHARDINGS) + 1 : -1]}"


def _write_sharding(operation: Operation, stated: str, name: str = "") -> Pieces | None:
    if len(operation.regions) != 1 or len(operation.regions[0].blocks) != 1:
        return None
    operands = ", ".join([value.name for value in operation.operands])
    block = operation.regions[0].blocks[0]
    arguments = ", ".join([f"{value.name}: {value.type}" for value in block.arguments])
    rest = f" {print_dictionary(operation.attributes)}" if operation.attributes else ""
    body = Body(operation.regions[0], with_arguments=False)
    return [f"{name}({operands}){stated} ({arguments}) ", body, f"{rest} : {operation.function_type}"]
