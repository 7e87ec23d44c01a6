"""Read functions and modules, in their custom forms and in the generic one."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ...cursor import VALUE_NAME
from ...errors import ParseError, ProgramError, StructureError
from ...ir.attributes import ArrayAttribute, Attribute, DictionaryAttribute, StringAttribute, TypeAttribute
from ...ir.module import Function, Module, Operation, Region, Value
from ...ir.types import FunctionType, Type
from ...source import Source, Span
from ..attributes.read_locations import read_trailing_location
from ..forms.scopes import Scope
from ..text.trampoline import Steps
from .read_operations import OTHER_DIALECTS, OperationReader

Attributes = Mapping[str, Attribute]
_FUNCTION = ("func.func", "func")
_MODULE = ("module", "builtin.module")
_VISIBILITIES = ("public", "private", "nested")
_FUNCTION_PROPERTIES = ("sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs")


@dataclass
class _Items:
    """The contents of a module: functions, nested modules and other operations."""

    functions: list[Function] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)
    modules: list[Module] = field(default_factory=list)

    def module(self, source: Source) -> Module:
        """An unnamed module with this content."""
        operations, modules = tuple(self.operations), tuple(self.modules)
        return Module(tuple(self.functions), operations=operations, source=source, modules=modules)


class ModuleReader(OperationReader):
    """Reads a whole program."""

    def module(self) -> Steps[Module]:
        """Read a module, or functions without a module, to the end of the text."""
        self._aliases_here()
        items: _Items = yield self._items()
        module = items.module(self.source)
        if len(module.modules) == 1 and not (module.functions or module.operations):
            module = module.modules[0]  # a single outer module is the program itself
        self._aliases_here()
        if self.peek("{-#"):
            self._skip_metadata()
        if not self.at_end:
            self.fail_expecting(
                "the end of the text", hint="a program is a module, or functions without a module", here=True
            )
        return module

    def _aliases_here(self) -> None:
        while self.peek("#") or self.peek("!"):
            self.read_alias_definition()

    def _skip_metadata(self) -> None:
        end = self.text.find("#-}", self.position)
        if end < 0:
            start = self.position
            self.accept("{-#")
            self.fail("this '{-#' is never closed by '#-}'", start)
        self.move(end + 3)

    def _module(self) -> Steps[Module]:
        start = self.position
        self.word("module")
        name = self.symbol() if self.peek("@") else ""
        attributes = self.dictionary("<") if self.peek("<") else {}
        attributes |= self.dictionary() if self.accept_word("attributes") else {}
        self.enter("{", ", which opens the module")
        items: _Items = yield self._items()
        self.leave(", a function or an operation")
        location = read_trailing_location(self)
        module = items.module(self.source)
        return replace(
            module, name=name, attributes=attributes, location=location, span=self.span_from(start)
        )

    def _items(self) -> Steps[_Items]:
        items, mark = _Items(), self.mark()
        while not (self.at_end or self.peek("}") or self.peek("{-#")):
            start = self.position
            try:
                yield self._item(items)
            except ProgramError as error:
                self.skip_item(error, start, mark)
        return items

    def _item(self, items: _Items) -> Steps[None]:
        word = self.peek_word()
        if self.peek("#") or self.peek("!"):
            self.read_alias_definition()
        elif word in _FUNCTION:
            items.functions.append((yield self._function()))
        elif word in _MODULE:
            items.modules.append((yield self._module()))
        else:
            self.scope = Scope()
            operation = yield self.operation()
            yield self._sort(operation, items)

    def _sort(self, operation: Operation, items: _Items) -> Steps[None]:
        if operation.name == "builtin.module":
            items.modules.append((yield self._generic_module(operation)))
        elif operation.name == "func.func":
            items.functions.append(self._generic_function(operation))
        elif hint := OTHER_DIALECTS.get(operation.name.partition(".")[0]):
            raise ParseError(f"unknown op '{operation.name}'", operation.name_span, hint=hint)
        else:
            items.operations.append(operation)

    # Functions in the custom form

    def _function(self) -> Steps[Function]:
        start = self.position
        self.word("func.func")
        visibility = self.word("a visibility") if self.peek_word() in _VISIBILITIES else ""
        name_start = self.position
        name = self.symbol("the function's name, which starts with '@'")
        name_span = self.span_from(name_start)
        arguments, argument_attributes = self._arguments()
        result_types, result_attributes = self._results()
        attributes = self.dictionary() if self.accept_word("attributes") else {}
        body = None
        if self.peek("{"):
            body = yield self._body(arguments)
        else:
            arguments = _declare(arguments)
        location = read_trailing_location(self)
        return Function(
            name,
            arguments,
            result_types,
            body,
            visibility,
            _drop_if_empty(argument_attributes),
            _drop_if_empty(result_attributes),
            attributes,
            self.span_from(start),
            name_span,
            location,
        )

    def _body(self, arguments: tuple[Value, ...]) -> Steps[Region]:
        self.scope = Scope()
        region: Region = yield self.region(arguments)
        return region

    def _arguments(self) -> tuple[tuple[Value, ...], list[Attributes]]:
        items: list[tuple[Value, Attributes]] = []

        def argument() -> None:
            items.append(self._argument(len(items)))

        self.list_of("(", argument, " and the function's arguments")
        return tuple(value for value, _ in items), [attributes for _, attributes in items]

    def _argument(self, number: int) -> tuple[Value, Attributes]:
        start = self.position
        match = self.match(VALUE_NAME)
        name = match[0] if match else f"%arg{number}"
        if match:
            self.expect(":", " and the argument's type")
        argument_type = self.read_type()
        span = Span(start, match.end()) if match else self.span_from(start)
        attributes = self.dictionary() if self.peek("{") else {}
        return Value(name, argument_type, span, read_trailing_location(self)), attributes

    def _results(self) -> tuple[tuple[Type, ...], list[Attributes]]:
        if not self.accept("->"):
            return (), []
        items: list[tuple[Type, Attributes]] = []

        def result() -> None:
            items.append((self.read_type(), self.dictionary() if self.peek("{") else {}))

        if self.peek("("):
            self.list_of("(", result)
            return tuple(found for found, _ in items), [attributes for _, attributes in items]
        types = [self.read_type()]
        while self.accept(","):  # the specification writes several results like this
            types.append(self.read_type())
        return tuple(types), []

    # The generic form

    def _generic_module(self, operation: Operation) -> Steps[Module]:
        items = _Items()
        for block in operation.regions[0].blocks if operation.regions else ():
            for inner in block.operations:
                yield self._sort(inner, items)
        name = operation.attribute("sym_name")
        attributes = {key: value for key, value in operation.attributes.items() if key != "sym_name"}
        attributes |= {key: value for key, value in operation.properties.items() if key != "sym_name"}
        found = name.value if isinstance(name, StringAttribute) else ""
        module = items.module(self.source)
        return replace(
            module, name=found, attributes=attributes, location=operation.location, span=operation.span
        )

    def _generic_function(self, operation: Operation) -> Function:
        name, stated = operation.attribute("sym_name"), operation.attribute("function_type")
        function_type = stated.type if isinstance(stated, TypeAttribute) else None
        if not isinstance(name, StringAttribute) or not isinstance(function_type, FunctionType):
            message = "a function in the generic form has the properties sym_name and function_type"
            raise StructureError(message, operation.name_span, op="func.func")
        if len(operation.regions) != 1:
            raise StructureError("a function has one region", operation.name_span, op="func.func")
        region = operation.regions[0]
        visibility = operation.attribute("sym_visibility")
        others = {**operation.properties, **operation.attributes}
        return Function(
            name.value,
            _generic_arguments(operation, function_type, region),
            function_type.results,
            region if region.blocks else None,
            visibility.value if isinstance(visibility, StringAttribute) else "",
            _dictionaries(operation.attribute("arg_attrs")),
            _dictionaries(operation.attribute("res_attrs")),
            {key: value for key, value in others.items() if key not in _FUNCTION_PROPERTIES},
            operation.span,
            operation.name_span,
            operation.location,
        )


def _declare(arguments: tuple[Value, ...]) -> tuple[Value, ...]:
    """The arguments of a declaration, renamed: nothing can refer to them."""
    return tuple(replace(argument, name=f"%arg{number}") for number, argument in enumerate(arguments))


def _generic_arguments(operation: Operation, stated: FunctionType, region: Region) -> tuple[Value, ...]:
    if not region.blocks:
        return tuple(Value(f"%arg{number}", t, operation.span) for number, t in enumerate(stated.inputs))
    arguments = region.blocks[0].arguments
    if tuple(argument.type for argument in arguments) != stated.inputs:
        message = "the arguments of the function's first block differ from its function_type"
        raise StructureError(message, operation.name_span, op="func.func")
    return arguments


def _dictionaries(attribute: Attribute | None) -> tuple[Attributes, ...]:
    if not isinstance(attribute, ArrayAttribute):
        return ()
    entries = [item.entries if isinstance(item, DictionaryAttribute) else {} for item in attribute.elements]
    return _drop_if_empty(entries)


def _drop_if_empty(entries: list[Attributes]) -> tuple[Attributes, ...]:
    """An empty tuple if no entry has attributes."""
    return tuple(entries) if any(entries) else ()
