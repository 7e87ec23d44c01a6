"""An operation while it is being read."""

import re
from collections.abc import Callable, Mapping
from typing import Protocol

from ...errors import StructureError
from ...ir.attributes import Attribute, DenseArrayAttribute, DenseAttribute, ResourceAttribute
from ...ir.element_types import I1, I64
from ...ir.locations import Location
from ...ir.module import Operation, Region, Value
from ...ir.types import FunctionType, Type
from ...source import Span
from ..attributes.reader import Reader
from ..text.trampoline import Steps
from .scopes import UNKNOWN, Scope

_PROPERTIES = re.compile(r"<\s*[A-Za-z_]\w*\s*[=,>]")


class OpSyntax(Protocol):
    """The parts of an op class that the reader and the printer use."""

    @property
    def name(self) -> str:
        """The full name, with the dialect: `stablehlo.add`."""

    @property
    def short_form(self) -> str | None:
        """MLIR's notation without quotes, in the words of `short_forms.py`."""

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names of the op in texts."""

    def inherent_attributes(self) -> frozenset[str]:
        """Names of the attributes that are properties of the op."""

    def translate(self, entries: Mapping[str, Attribute]) -> Mapping[str, Attribute]:
        """Convert attributes from the notation of another dialect that also has the op."""


_DEFINITION = re.compile(r"%[^\s,:=%]++(?::[0-9]++)?+(?:\s*+,\s*+%[^\s,:=%]++(?::[0-9]++)?+)*+\s*+=")
_ATTRIBUTE = re.compile(r"\w+\s*=")
_MAX_LISTED = 4096
"""Maximum length of a converted list; no program's list is longer, but a splat may claim any size."""
OpTable = Mapping[str, OpSyntax]
RegionReader = Callable[..., Steps[Region]]


class Draft:
    """Collects operands, types, attributes and regions, then builds the operation."""

    def __init__(self, name: str, op: OpSyntax | None, reader: Reader, scope: Scope, name_span: Span) -> None:
        self.name, self.op, self.reader, self.scope, self.name_span = name, op, reader, scope, name_span
        self.result_count: int | None = None
        """Number of results that the text names; `None` if it names none."""
        self.operands: list[Value] = []
        self.operand_spans: list[Span] = []
        self.operand_types: list[Type] | None = None
        """The operand types in the text; `None` if it omits them."""
        self.result_types: list[Type] | None = None
        self.types_span: Span = name_span
        self.properties: dict[str, Attribute] = {}
        self.attributes: dict[str, Attribute] = {}
        self.regions: list[Region] = []
        self.applies = False
        """Whether the text names the op that is the only one of the region."""
        self.successors: tuple[str, ...] = ()

    @property
    def dialect(self) -> str:
        """`stablehlo` of `stablehlo.add`."""
        return self.name.partition(".")[0]

    # Reading

    def operand(self) -> None:
        """Read one operand."""
        value, span = self.scope.use(self.reader)
        self.operands.append(value)
        self.operand_spans.append(span)

    def operand_list(self) -> None:
        """Read comma-separated operands; stop before a comma that no operand follows."""
        reader = self.reader
        # The line after an op without operands (`return`) may define values.
        if "\n" in reader.text[reader.end : reader.position] and _DEFINITION.match(
            reader.text, reader.position
        ):
            return
        self._refuse_bare_name()
        while reader.peek("%"):
            self.operand()
            back, end = reader.position, reader.end
            if not reader.accept(","):
                return
            self._refuse_bare_name()
            if not reader.peek("%"):
                reader.position, reader.end = back, end
                return

    def _refuse_bare_name(self) -> None:
        """Raise an error if the name of a value without its `%` comes next."""
        reader = self.reader
        name = f"%{reader.peek_word()}"
        if name in self.scope and not _ATTRIBUTE.match(reader.text, reader.position):
            reader.fail_expecting("an operand", f"did you mean '{name}'?", here=True)

    def attribute_dictionary(self) -> None:
        """Read `{…}` if it comes next; entries that the op defines become properties.

        MLIR of jaxlib 0.12 writes these in front of it: `<…>`.
        """
        if self.has_properties_next():
            self.place(self.reader.dictionary("<"), self.reader.position)
        if self.reader.peek("{"):
            start = self.reader.position
            self.place(self.reader.dictionary(), start)

    def has_properties_next(self) -> bool:
        """Whether `<name = value, …>` comes next, and not the body of an attribute, such as `<@mesh, …>`."""
        return _PROPERTIES.match(self.reader.text, self.reader.position) is not None

    def place(self, entries: Mapping[str, Attribute], start: int) -> None:
        """Sort entries into properties and attributes."""
        inherent = self._inherent_attributes()
        for name, attribute in self._translate(entries).items():
            if name in self.properties:
                self.reader.fail(f"attribute '{name}' is given twice", start)
            if name in inherent:
                self.properties[name] = _as_now(name, attribute)
            else:
                self.attributes[name] = attribute

    def property_dictionary(self) -> None:
        """Read `<{…}>`; every entry is a property."""
        inherent = self._inherent_attributes()
        self.reader.enter("<")
        entries = self.reader.dictionary()
        self.reader.leave()
        for name, attribute in self._translate(entries).items():
            self.properties[name] = _as_now(name, attribute) if name in inherent else attribute

    def _inherent_attributes(self) -> frozenset[str]:
        return self.op.inherent_attributes() if self.op else frozenset()

    def _translate(self, entries: Mapping[str, Attribute]) -> Mapping[str, Attribute]:
        return self.op.translate(entries) if self.op else entries

    def property(self, name: str, attribute: Attribute) -> None:
        """Set property `name`, as the short form states it."""
        self.properties[name] = attribute

    def functional_type(self) -> None:
        """Read `(operand types) -> result types`."""
        start = self.reader.position
        if not self.reader.peek("("):
            self.reader.fail_expecting("'(' and the types of the operands")
        self.set_types(self.reader.function_type(), start)

    def set_types(self, stated: FunctionType, start: int) -> None:
        """Set the types of operands and results."""
        self.operand_types, self.result_types = list(stated.inputs), list(stated.results)
        self.types_span = self.reader.span_from(start)

    # Checking and building

    def finish(self) -> list[Type]:
        """Check the operands against the stated types and return the result types."""
        if self.operand_types is not None:
            self.adopt_types()
            self._check_operands(self.operand_types)
        if self.result_types is None:
            self.result_types = self._types_from_value()
        found = len(self.result_types)
        if self.result_count is not None and self.result_count != found:
            named = f"{_count(self.result_count, 'name')} for {_count(found, 'result')}"
            hint = None if found else "leave out the names and '='"
            raise StructureError(named, self.name_span, op=self.name, hint=hint)
        return self.result_types

    def _types_from_value(self) -> list[Type]:
        value = self.properties.get("value")
        if isinstance(value, DenseAttribute | ResourceAttribute) and not self.operands:
            return [value.type]
        return []

    def _check_operands(self, stated: list[Type]) -> None:
        if len(stated) != len(self.operands):
            message = f"{_count(len(self.operands), 'operand')}, but {_count(len(stated), 'type')}"
            raise StructureError(message, self.types_span, op=self.name)
        for number, (value, wanted) in enumerate(zip(self.operands, stated, strict=True)):
            if value.type is not wanted and value.type != wanted:
                line = self.reader.source.line_and_column(value.span.start)[0]
                message = f"{value.name} is {value.type}, but its type is stated as {wanted}"
                hint = f"it is defined on line {line}"
                raise StructureError(message, self.operand_spans[number], op=self.name, hint=hint)

    def adopt_types(self) -> None:
        """Take the types of operands whose definitions have errors from the types that this operation states."""
        if self.operand_types is None or self.scope.is_sound:
            return
        for number, (value, stated) in enumerate(zip(self.operands, self.operand_types, strict=False)):
            if value.type is UNKNOWN:
                self.operands[number] = Value(value.name, stated)

    def is_known(self, results: list[Type]) -> bool:
        """Whether the types of all operands and results are known."""
        return UNKNOWN not in results and all(value.type is not UNKNOWN for value in self.operands)

    def operation(self, results: tuple[Value, ...], start: int, location: Location | None) -> Operation:
        """Build the operation; its text ends at the reader's position."""
        return Operation(
            self.name,
            tuple(self.operands),
            results,
            self.properties,
            self.attributes,
            tuple(self.regions),
            self.successors,
            self.reader.span_from(start),
            self.name_span,
            tuple(self.operand_spans),
            location,
        )


def _as_now(name: str, attribute: Attribute) -> Attribute:
    """Convert `dense<…> : tensor<Nxi64>`, the notation of lists before 2023, to `array<i64: …>`."""
    if not isinstance(attribute, DenseAttribute) or name == "value":
        return attribute
    kind = attribute.type.element_type
    if attribute.type.rank != 1 or kind not in (I64, I1) or attribute.data.size > _MAX_LISTED:
        return attribute
    return DenseArrayAttribute(kind, tuple(attribute.data.tolist()))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
