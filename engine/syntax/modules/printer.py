"""Print a module in MLIR's textual form; the text reads back as an equal module."""

from collections.abc import Mapping
from itertools import groupby
from typing import Literal

from ...ir.attributes import ArrayAttribute, Attribute, DictionaryAttribute, StringAttribute, TypeAttribute
from ...ir.module import Block, Function, Module, Operation, Region, Value
from ..attributes.print_attributes import print_dictionary, print_string, print_symbol
from ..forms.custom_forms import custom_form
from ..forms.foreign_forms import FOREIGN_OPS
from ..forms.operation_draft import OpTable
from ..forms.print_pieces import Body, Pieces
from ..forms.short_forms import compile_form
from ..text.trampoline import Steps, run

PrintedForm = Literal["short", "generic"]
_BARE_IN_FUNCTIONS = "func."


def print_module(module: Module, op_table: OpTable, form: PrintedForm = "short") -> str:
    """Print a program; ops that their short form cannot express are printed in the generic form."""
    printer = _Printer(op_table, form)
    run(printer.module(module))
    return "".join(printer.out)


def print_operation(operation: Operation, op_table: OpTable, form: PrintedForm = "short") -> str:
    """Print one operation, including its regions."""
    printer = _Printer(op_table, form)
    run(printer.operation(operation, in_function=True))
    return "".join(printer.out).rstrip("\n")


class _Printer:
    def __init__(self, op_table: OpTable, form: PrintedForm) -> None:
        self.op_table, self.generic = op_table, form == "generic"
        self.out: list[str] = []
        self._level = 0
        self._visible: set[str] = set()

    def indent(self) -> str:
        """Indentation of the operation being printed."""
        return "  " * self._level

    def is_visible(self, name: str) -> bool:
        """Whether a value of that name is in scope."""
        return name in self._visible

    # Modules and functions

    def module(self, module: Module) -> Steps[None]:
        """Print a module and its contents, in the order of the source text."""
        indent = self.indent()
        if self.generic:
            properties = f" <{{sym_name = {print_string(module.name)}}}>" if module.name else ""
            head = f'"builtin.module"(){properties} ({{'
            tail = f"}}){_dictionary(module.attributes)} : () -> ()"
        else:
            name = f" {print_symbol(module.name)}" if module.name else ""
            attributes = _dictionary(module.attributes)
            head = f"module{name}{' attributes' if attributes else ''}{attributes} {{"
            tail = "}"
        self.out.append(f"{indent}{head}\n")
        items: list[Operation | Module | Function] = [*module.operations, *module.modules, *module.functions]
        if self.generic and not items:
            self.out.append(f"{indent}^bb0:\n")
        self._level += 1
        for item in sorted(items, key=lambda found: found.span.start):
            self._visible = set()
            yield self._item(item)
        self._level -= 1
        self.out.append(f"{indent}{tail}\n")

    def _item(self, item: Operation | Module | Function) -> Steps[None]:
        if isinstance(item, Module):
            return self.module(item)
        if isinstance(item, Operation):
            return self.operation(item)
        return self._generic_function(item) if self.generic else self._function(item)

    def _function(self, function: Function) -> Steps[None]:
        visibility = f"{function.visibility} " if function.visibility else ""
        attributes = _dictionary(function.attributes)
        self.out.append(
            f"{self.indent()}func.func {visibility}{print_symbol(function.name)}"
            f"({_arguments(function)}){_results(function)}{' attributes' if attributes else ''}{attributes}"
        )
        if function.body is not None:
            self.out.append(" ")
            yield self._region(Body(function.body, with_arguments=False), in_function=True)
        self.out.append("\n")

    def _generic_function(self, function: Function) -> Steps[None]:
        properties: dict[str, Attribute] = {
            "sym_name": StringAttribute(function.name),
            "function_type": TypeAttribute(function.type),
        }
        if function.visibility:
            properties["sym_visibility"] = StringAttribute(function.visibility)
        if function.argument_attributes:
            properties["arg_attrs"] = _dictionaries(function.argument_attributes)
        if function.result_attributes:
            properties["res_attrs"] = _dictionaries(function.result_attributes)
        self.out.append(f'{self.indent()}"func.func"() {print_dictionary(properties, ("<{", "}>"))} (')
        yield self._region(Body(function.body or Region(())), in_function=True)
        self.out.append(f"){_dictionary(function.attributes)} : () -> ()\n")

    # Operations

    def operation(self, operation: Operation, in_function: bool = False) -> Steps[None]:
        """Print one operation on its own lines."""
        self.out.append(f"{self.indent()}{_result_names(operation.results)}")
        pieces = self._pieces(operation, in_function)
        for piece in pieces:
            if isinstance(piece, str):
                self.out.append(piece)
            else:
                yield self._region(piece)
        self.out.append("\n")
        self._visible.update(value.name.partition("#")[0] for value in operation.results)

    def _pieces(self, operation: Operation, in_function: bool) -> Pieces:
        short = None if self.generic else self._short(operation, in_function)
        return short or _print_generic(operation)

    def _short(self, operation: Operation, in_function: bool) -> Pieces | None:
        op = self.op_table.get(operation.name) or FOREIGN_OPS.get(operation.name)
        if op is None or op.short_form is None or op.name != operation.name or operation.successors:
            return None
        if not _is_normal(operation, op.inherent_attributes()):
            return None
        name = operation.name.removeprefix(_BARE_IN_FUNCTIONS) if in_function else operation.name
        custom = custom_form(op.short_form)
        if custom is not None:
            pieces = custom.write(operation, self)
            return None if pieces is None else [name, *pieces]
        text = compile_form(op.short_form).write(operation)
        return None if text is None else [name + text]

    # Regions

    def _region(self, body: Body, in_function: bool = False) -> Steps[None]:
        self.out.append("{\n")
        hidden = self._visible
        self._visible = set(hidden)
        for number, block in enumerate(body.region.blocks):
            self._visible.update(argument.name for argument in block.arguments)
            if number or (body.with_arguments and (block.arguments or block.label or not block.operations)):
                self.out.append(f"{self.indent()}{_label(block, number)}:\n")
            self._level += 1
            for operation in block.operations:
                yield self.operation(operation, in_function)
            self._level -= 1
        self._visible = hidden
        self.out.append(f"{self.indent()}}}")


def _is_normal(operation: Operation, inherent: frozenset[str]) -> bool:
    """Whether a reader of the short form would sort the attributes in the same way."""
    return inherent.isdisjoint(operation.attributes) and operation.properties.keys() <= inherent


def _print_generic(operation: Operation) -> Pieces:
    operands = ", ".join([value.name for value in operation.operands])
    head = f"{print_string(operation.name)}({operands})"
    if operation.successors:
        head += f"[{', '.join(operation.successors)}]"
    if operation.properties:
        head += f" {print_dictionary(operation.properties, ('<{', '}>'))}"
    pieces: Pieces = [head]
    for number, region in enumerate(operation.regions):
        pieces += [", " if number else " (", Body(region)]
    closing = ")" if operation.regions else ""
    pieces.append(f"{closing}{_dictionary(operation.attributes)} : {operation.function_type}")
    return pieces


def _label(block: Block, number: int) -> str:
    arguments = ", ".join([f"{value.name}: {value.type}" for value in block.arguments])
    return (block.label or f"^bb{number}") + (f"({arguments})" if arguments else "")


def _result_names(results: tuple[Value, ...]) -> str:
    if not results:
        return ""
    packs = [list(pack) for _, pack in groupby(results, key=lambda value: value.name.partition("#")[0])]
    names = [_pack(pack) for pack in packs]
    return f"{', '.join(names)} = "


def _pack(values: list[Value]) -> str:
    name, _, _ = values[0].name.partition("#")
    return name if len(values) == 1 else f"{name}:{len(values)}"


def _dictionary(entries: Mapping[str, Attribute]) -> str:
    return f" {print_dictionary(entries)}" if entries else ""


def _dictionaries(attributes: tuple[Mapping[str, Attribute], ...]) -> ArrayAttribute:
    return ArrayAttribute(tuple(DictionaryAttribute(entries) for entries in attributes))


def _arguments(function: Function) -> str:
    attributes = function.argument_attributes or ({},) * len(function.arguments)
    return ", ".join(
        [
            f"{f'{value.name}: ' if function.body is not None else ''}{value.type}{_dictionary(entries)}"
            for value, entries in zip(function.arguments, attributes, strict=True)
        ]
    )


def _results(function: Function) -> str:
    types = function.result_types
    if not types:
        return ""
    attributes = function.result_attributes or ({},) * len(types)
    items = [f"{t}{_dictionary(entries)}" for t, entries in zip(types, attributes, strict=True)]
    plain = len(items) == 1 and not function.result_attributes and not items[0].startswith("(")
    return f" -> {items[0]}" if plain else f" -> ({', '.join(items)})"
