"""Print a module as HLO text that XLA parses, and that reads back as an equal module."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ...ir.attributes import Attribute, OpaqueAttribute
from ...ir.module import Function, Module, Operation, Value
from ...ir.types import Type
from .opcode_forms import Form
from .opcodes import forms_of_ops
from .read_module import STACK_TABLES
from .values.print_literals import print_literal
from .values.print_shapes import print_shape


class NotHlo(ValueError):
    """HLO text cannot express the module, or one of its operations."""


def print_hlo(module: Module) -> str:
    """Print a program; `NotHlo` unless it came from HLO text or from the builder."""
    if module.language != "hlo":
        raise NotHlo(
            "the program is StableHLO; HLO text has one result an instruction and named computations"
        )
    return "\n".join(_module(module))


def without_indexed_operands(module: Module) -> Module:
    """The module with a named get-tuple-element for each operand `%tuple#1`, which only a new XLA parses."""
    return replace(module, functions=tuple(map(_with_named_elements, module.functions)))


def _with_named_elements(function: Function) -> Function:
    assert function.body
    block = function.body.block
    taken = {value.name for operation in block.operations for value in operation.results}
    names: dict[str, str] = {}
    for name in sorted(name for name in taken if "#" in name):
        names[name] = name.replace("#", ".element.")
        while names[name] in taken:
            names[name] += "_"
    if not names:
        return function

    def renamed(values: tuple[Value, ...]) -> tuple[Value, ...]:
        return tuple([replace(value, name=names.get(value.name, value.name)) for value in values])

    operations = [
        replace(found, operands=renamed(found.operands), results=renamed(found.results))
        for found in block.operations
    ]
    changed = replace(block, operations=tuple(operations))
    return replace(function, body=replace(function.body, blocks=(changed,)))


def print_instruction(operation: Operation, is_root: bool = False) -> str:
    """Print one instruction: `ROOT %name = shape opcode(%operands), attributes`."""
    if len(operation.results) != 1 or not operation.opcode:
        raise NotHlo(f"{operation.name} is not an HLO instruction")
    form = _form(operation)
    operands = ", ".join([value.name for value in operation.operands])
    if operation.opcode == "constant":
        operands = print_literal(operation.properties["value"])
    attributes = [f"{key}={text}" for key, text in form.write(operation) if key not in operation.attributes]
    attributes += _opaque_fields(operation.attributes)
    return _line(operation.results[0], is_root, operation.opcode, operands, attributes)


def _form(operation: Operation) -> Form:
    form = forms_of_ops().get(operation.name)
    if form is None:
        raise NotHlo(f"HLO text has no opcode for {operation.name}")
    return form


def _line(result: Value, is_root: bool, opcode: str, operands: str, attributes: list[str]) -> str:
    root = "ROOT " if is_root else ""
    text = f"{root}{result.name} = {print_shape(result.type)} {opcode}({operands})"
    return ", ".join([text, *attributes])


def _opaque_fields(attributes: Mapping[str, Attribute]) -> list[str]:
    return [f"{key}={value.text}" for key, value in attributes.items() if isinstance(value, OpaqueAttribute)]


def _module(module: Module) -> Iterator[str]:
    header = {key: value for key, value in module.attributes.items() if key != STACK_TABLES}
    yield ", ".join([f"HloModule {module.name or 'module'}", *_opaque_fields(header)])
    tables = module.attributes.get(STACK_TABLES)
    if isinstance(tables, OpaqueAttribute):
        yield f"\n{tables.text}"
    for function in module.functions:
        yield ""
        yield from _computation(function)
    yield ""


def _computation(function: Function) -> Iterator[str]:
    assert function.body
    *operations, end = function.body.block.operations
    root = end.operands[0].name
    entry = "ENTRY " if function.visibility == "public" else ""
    parameters = ", ".join(
        [f"{value.name.removeprefix('%')}: {print_shape(value.type)}" for value in function.arguments]
    )
    result: Type = function.result_types[0]
    yield f"{entry}%{function.name} ({parameters}) -> {print_shape(result)} {{"
    attributes = function.argument_attributes or ({},) * len(function.arguments)
    for number, (value, stated) in enumerate(zip(function.arguments, attributes, strict=True)):
        yield f"  {_line(value, value.name == root, 'parameter', str(number), _opaque_fields(stated))}"
    for operation in operations:
        if "#" in operation.results[0].name:
            continue  # the operand %tuple#1 states it
        yield f"  {print_instruction(operation, operation.results[0].name == root)}"
    yield ", ".join(["}", *_opaque_fields(function.attributes)])
